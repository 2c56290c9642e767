#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

constexpr const char* kSubscription = "/params/_meta/io.modelcontextprotocol~1subscriptionId";

TEST(Listening, IsAcknowledgedFirstWithWhatIsHonoured) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.modern_stream(
            "7", "subscriptions/listen",
            R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://x","test://missing"]})");
        CO_ASSERT(stream && stream->status() == 200);
        EXPECT_EQ(stream->header("x-accel-buffering"), "no");
        const Json ack = co_await stream->message();
        EXPECT_EQ(ack.string_at("method"), "notifications/subscriptions/acknowledged");
        EXPECT_EQ(ack.at_pointer("/params/notifications")->dump(),
                  R"({"toolsListChanged":true,"resourceSubscriptions":["test://x"]})");
        EXPECT_EQ(ack.at_pointer(kSubscription)->dump(), "7") << "a number stays one";
        rig.backend.change({.kind = Change::Kind::kPrompts});
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://other"});
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x/part"});
        const Json updated = co_await stream->message();
        EXPECT_EQ(updated.at_pointer("/params/uri")->dump(), "\"test://x/part\"");
        EXPECT_EQ(updated.at_pointer(kSubscription)->dump(), "7");
        rig.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/tools/list_changed");
        stream->abort();
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.empty(); }));
    });
}

TEST(Listening, EndsWithItsResultWhenTheServerStops) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.modern_stream("\"L1\"", "subscriptions/listen", R"("notifications":{})");
        CO_ASSERT(stream);
        EXPECT_EQ((co_await stream->message()).at_pointer("/params/notifications")->dump(), "{}");
        rig.endpoint->drain();
        const Json end = co_await stream->message();
        EXPECT_EQ(end.find("id")->dump(), "\"L1\"");
        EXPECT_EQ(end.at_pointer("/result/resultType")->dump(), "\"complete\"");
        EXPECT_EQ(end.at_pointer("/result/_meta/io.modelcontextprotocol~1subscriptionId")->dump(), "\"L1\"");
        EXPECT_TRUE((co_await stream->message()).is_null());
        EXPECT_FALSE(stream->broken());
    });
}

TEST(Listening, WithoutAFilterIsRefused) {
    run_rig([](Rig& rig) -> Task<void> {
        const Reply reply = co_await rig.modern("1", "subscriptions/listen");
        EXPECT_EQ(reply.error(), -32602);
        EXPECT_EQ(rig.endpoint->counts().streams, 0u);
    });
}

TEST(Listening, StaysAliveAndTellsTasks) {
    HttpEndpointOptions options;
    options.keep_alive = milliseconds(5);
    run_rig(
        [](Rig& rig) -> Task<void> {
            auto stream =
                co_await rig.modern_stream("1", "subscriptions/listen", R"("notifications":{"taskIds":["t1"]})");
            CO_ASSERT(stream);
            (void)co_await stream->message();
            EXPECT_TRUE((co_await sleep_for(patiently(), milliseconds(30))).has_value());
            rig.backend.change({.kind = Change::Kind::kTask, .task = JsonObject{{"taskId", "t2"}}});
            rig.backend.change(
                {.kind = Change::Kind::kTask, .task = JsonObject{{"taskId", "t1"}, {"status", "working"}}});
            const Json told = co_await stream->message();
            EXPECT_EQ(told.string_at("method"), "notifications/tasks");
            EXPECT_EQ(told.at_pointer("/params/taskId")->dump(), "\"t1\"");
            stream->abort();
        },
        options);
}

TEST(Listening, AReaderTooSlowToBeToldIsCutOff) {
    HttpEndpointOptions options;
    options.max_queued_bytes = 2000;
    run_rig(
        [](Rig& rig) -> Task<void> {
            auto stream =
                co_await rig.modern_stream("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
            CO_ASSERT(stream);
            (void)co_await stream->message();
            for (int i = 0; i < 100; ++i) rig.backend.change({.kind = Change::Kind::kTools});
            while (!(co_await stream->message()).is_null()) {}
            EXPECT_TRUE(stream->broken());
        },
        options);
}

}  // namespace
}  // namespace gantry::mcp::testing
