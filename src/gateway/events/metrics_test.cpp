#include "gateway/events/metrics.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "gateway/events/test_outcome.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MetricsTest : public ::testing::Test {
protected:
    Outcome call(const std::string& tool) {
        items_.push_back(std::make_shared<const Item>(Item{.name = tool}));
        Outcome outcome = good_call();
        outcome.item = items_.back().get();
        return outcome;
    }
    void count(const Outcome& outcome) { metrics.heard_call(record_of(outcome), outcome); }

    Readings readings;
    Metrics metrics{{.max_series = 5}, [this] { return readings; }};
    std::vector<ItemPtr> items_;
};

TEST_F(MetricsTest, CountsCallsBySourceToolAndOutcome) {
    count(call("read"));
    count(call("read"));
    Outcome failed = call("read");
    failed.tool_failed = true;
    count(failed);
    Outcome late = call("read");
    const Error error(ErrorCode::kTimeout, "late");
    late.error = &error;
    count(late);
    const std::string text = metrics.text();
    const std::string labels = R"(method="tools/call",)";
    EXPECT_THAT(text,
                HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="ok",source="files",tool="read"} 2)"));
    EXPECT_THAT(
        text,
        HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="tool_failed",source="files",tool="read"} 1)"));
    EXPECT_THAT(text,
                HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="timeout",source="files",tool="read"} 1)"));
    EXPECT_THAT(text,
                HasSubstr(R"(gantry_call_duration_seconds_count{method="tools/call",source="files",tool="read"} 4)"));
    EXPECT_THAT(text, HasSubstr(R"(tool="read",le="0.00025"} 4)"));
}

TEST_F(MetricsTest, NamesNobodyOffersAreNoLabels) {
    for (int i = 0; i < 100; ++i) {
        const std::string name = "made-up-" + std::to_string(i);
        Outcome outcome = good_call();
        outcome.name = name;
        outcome.source = {};
        count(outcome);
    }
    const std::string text = metrics.text();
    EXPECT_THAT(text, Not(HasSubstr("made-up")));
    EXPECT_THAT(text, HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="ok",source="",tool=""} 100)"));
}

TEST_F(MetricsTest, BeyondTheBoundToolsShareOneSeries) {
    for (int i = 0; i < 50; ++i) count(call("tool" + std::to_string(i)));
    const std::string text = metrics.text();
    EXPECT_THAT(text, HasSubstr(R"(source="files",tool="tool4"} 1)"));
    EXPECT_THAT(text, Not(HasSubstr("tool5")));
    EXPECT_THAT(text,
                HasSubstr(R"(gantry_calls_total{method="tools/call",outcome="ok",source="files",tool="other"} 45)"));
}

TEST_F(MetricsTest, ShowsWhatIsReadWhenAskedAndCountersOnlyGrow) {
    readings = {.calls_in_flight = 3,
                .sources = {{"files", "ready"}, {"docs", "down"}},
                .records_taken = 10,
                .records_kept = 4,
                .records_dropped = 2,
                .audit_failing = true};
    std::string text = metrics.text();
    EXPECT_THAT(text, HasSubstr("gantry_calls_in_flight 3"));
    EXPECT_THAT(text, HasSubstr(R"(gantry_source_up{source="files"} 1)"));
    EXPECT_THAT(text, HasSubstr(R"(gantry_source_up{source="docs"} 0)"));
    EXPECT_THAT(text, HasSubstr("gantry_audit_lag_records 6"));
    EXPECT_THAT(text, HasSubstr("gantry_records_dropped_total 2"));
    EXPECT_THAT(text, HasSubstr("gantry_audit_failing 1"));
    EXPECT_THAT(text, HasSubstr("# TYPE gantry_records_dropped_total counter"));
    readings.records_dropped = 7;
    text = metrics.text();
    EXPECT_THAT(text, HasSubstr("gantry_records_dropped_total 7"));
}

TEST_F(MetricsTest, ShowsTheProcessItself) {
    const std::string text = metrics.text();
    EXPECT_THAT(text, HasSubstr("process_resident_memory_bytes "));
    EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0")));
    EXPECT_THAT(text, Not(HasSubstr("process_start_time_seconds 0")));
    EXPECT_THAT(text, HasSubstr("process_cpu_seconds_total "));
}

TEST_F(MetricsTest, CountsOtherEventsByType) {
    const GatewayEvent event{.type = event_type::kSourceState, .subject = "files"};
    metrics.heard(record_of(event, "{}"));
    metrics.heard(record_of(event, "{}"));
    EXPECT_THAT(metrics.text(), HasSubstr(R"(gantry_events_total{type="gantry.source.health_changed.v1"} 2)"));
}

}  // namespace
}  // namespace gantry::gateway::events
