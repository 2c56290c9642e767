#include "gateway/events/traces.hpp"

#include <gmock/gmock.h>

#include "gateway/events/test_outcome.hpp"
#include "gateway/events/test_receiver.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

class TracesTest : public ::testing::Test {
protected:
    ~TracesTest() override {
        if (traces) loop.run_until_done(traces->stop());
        loop.run_until_done(receiver.stop());
    }
    void start(TraceOptions options = {}) {
        options.url = receiver.url("/v1/traces");
        auto made =
            Traces::make(loop, std::move(options), "run", [this](std::string_view text) { notes.emplace_back(text); });
        ASSERT_TRUE(made.has_value());
        traces = *std::move(made);
        loop.run_until_done(start_on_loop(*traces));
    }
    static Task<void> start_on_loop(Traces& traces) {
        traces.start();
        co_return;
    }
    void call(const TraceIds& ids, const Error* error = nullptr) {
        Outcome outcome = good_call();
        outcome.trace = ids;
        outcome.error = error;
        traces->heard(record_of(outcome));
    }
    bool eventually(std::function<bool()> met) { return loop.run_until_done(until(std::move(met))); }

    Loop loop;
    Receiver receiver{loop};
    std::unique_ptr<Traces> traces;
    std::vector<std::string> notes;
};

TEST_F(TracesTest, ACallIsASpanUnderItsCaller) {
    start({.service_name = "gate", .interval = milliseconds(10)});
    const Error late(ErrorCode::kTimeout, "late");
    const TraceIds ids = traces->begin(kParent);
    call(ids, &late);
    ASSERT_TRUE(eventually([&] { return traces->sent() == 1; }));
    EXPECT_EQ(receiver.got[0].target, "/v1/traces");
    EXPECT_EQ(receiver.got[0].header("Content-Type"), "application/json");
    const Json body = *Json::parse(receiver.got[0].body);
    const Json* resource = body.at_pointer("/resourceSpans/0/resource/attributes/0");
    EXPECT_EQ(resource->dump(), R"({"key":"service.name","value":{"stringValue":"gate"}})");
    const Json& span = *body.at_pointer("/resourceSpans/0/scopeSpans/0/spans/0");
    EXPECT_EQ(span.string_at("traceId"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(span.string_at("parentSpanId"), "00f067aa0ba902b7");
    EXPECT_EQ(span.string_at("spanId"), to_traceparent(ids).substr(36, 16));
    EXPECT_EQ(span.string_at("name"), "tools/call files_read");
    EXPECT_EQ(span.at_pointer("/status/code")->as_int(), 2);
    const auto began = std::stoll(std::string(span.string_at("startTimeUnixNano")));
    const auto ended = std::stoll(std::string(span.string_at("endTimeUnixNano")));
    EXPECT_EQ(ended - began, 250'000);
    EXPECT_THAT(span.dump(), HasSubstr(R"({"key":"error.type","value":{"stringValue":"timeout"}})"));
    EXPECT_THAT(span.dump(), HasSubstr(R"({"key":"gantry.correlation_id","value":{"stringValue":"c-1"}})"));
    EXPECT_THAT(span.dump(), Not(HasSubstr("secret-place")));
}

TEST_F(TracesTest, WithoutACallerATraceBeginsHereAndTheShareDecides) {
    start({.sample = 0});
    const TraceIds first = traces->begin("");
    const TraceIds second = traces->begin("nonsense");
    EXPECT_TRUE(static_cast<bool>(first));
    EXPECT_NE(first.trace, second.trace);
    EXPECT_FALSE(first.sampled);
    EXPECT_TRUE(traces->begin(kParent).sampled) << "that was decided before";
    call(first);
    call(second);
    loop.run_until_done(traces->stop());
    EXPECT_THAT(receiver.got, IsEmpty());
    traces.reset();
}

TEST_F(TracesTest, ManyGoInBatches) {
    start({.max_batch = 10, .interval = seconds(3600)});
    for (int i = 0; i < 25; ++i) call(traces->begin(kParent));
    ASSERT_TRUE(eventually([&] { return traces->sent() == 25; }));
    EXPECT_THAT(receiver.got, SizeIs(3));
}

TEST_F(TracesTest, ACollectorThatIsAwayIsToldOnceAndLosesOnlyWhatDoesNotFit) {
    bool away = true;
    receiver.status = [&](std::size_t) { return away ? 503 : 200; };
    start({.max_queue = 20, .max_batch = 10, .interval = milliseconds(5)});
    for (int i = 0; i < 30; ++i) call(traces->begin(kParent));
    EXPECT_EQ(traces->dropped(), 10u);
    ASSERT_TRUE(eventually([&] { return receiver.got.size() >= 3; }));
    away = false;
    ASSERT_TRUE(eventually([&] { return traces->sent() == 20; }));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("the collector answered 503"), HasSubstr("sent again")));
}

TEST_F(TracesTest, WhatWaitsIsSentAtTheEnd) {
    start({.interval = seconds(3600)});
    call(traces->begin(kParent));
    loop.run_until_done(traces->stop());
    EXPECT_EQ(traces->sent(), 1u);
    traces.reset();
}

}  // namespace
}  // namespace gantry::gateway::events
