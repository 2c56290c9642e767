#include "gateway/events/source_stats.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway::events {
namespace {

void tell(SourceStats& stats, std::string_view source, Duration took, bool failed = false) {
    const Outcome outcome{.source = source, .took = took, .tool_failed = failed};
    stats.heard_call(record_of(outcome), outcome);
}

TEST(SourceStats, CountsEachSourceByItself) {
    SourceStats stats;
    tell(stats, "a", milliseconds(1));
    tell(stats, "a", milliseconds(1), true);
    tell(stats, "b", milliseconds(1));
    tell(stats, "", milliseconds(1));
    EXPECT_EQ(stats.of("a").calls, 2u);
    EXPECT_EQ(stats.of("a").failed, 1u);
    EXPECT_EQ(stats.of("b").calls, 1u);
    EXPECT_EQ(stats.of("c").calls, 0u);
    EXPECT_EQ(stats.of("c").p99_ms, 0);
}

TEST(SourceStats, QuantilesAreWithinAQuarterOfWhatTheyStandFor) {
    for (const std::int64_t micros : {10, 100, 999, 20'000, 3'000'000}) {
        SourceStats stats;
        for (int i = 0; i < 99; ++i) tell(stats, "a", std::chrono::microseconds(micros));
        tell(stats, "a", std::chrono::microseconds(micros * 100));
        const double real = static_cast<double>(micros) / 1000;
        EXPECT_GE(stats.of("a").p50_ms, real);
        EXPECT_LE(stats.of("a").p50_ms, real * 1.3 + 0.005);
        EXPECT_LE(stats.of("a").p99_ms, real * 1.3 + 0.005) << "one in a hundred is beyond";
    }
    SourceStats far;
    tell(far, "a", std::chrono::hours(10'000));
    tell(far, "a", Duration(-1));
    EXPECT_GT(far.of("a").p99_ms, 1000);
}

}  // namespace
}  // namespace gantry::gateway::events
