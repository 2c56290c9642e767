#include "gateway/events/feed.hpp"

#include <gmock/gmock.h>

#include "gateway/events/test_outcome.hpp"
#include "gateway/events/test_receiver.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::HasSubstr;

class FeedTest : public ::testing::Test {
protected:
    FeedTest() { EXPECT_TRUE(server.start().has_value()); }
    ~FeedTest() override {
        feed.hang_up();
        loop.run_until_done(server.stop(seconds(1)));
    }
    http::Response listen(const std::string& query = {}) {
        auto response = loop.run_until_done(get(query));
        EXPECT_TRUE(response.has_value());
        return *std::move(response);
    }
    Task<Result<http::Response>> get(std::string query) {
        http::Request request{.url =
                                  *Url::parse("http://127.0.0.1:" + std::to_string(server.port()) + "/events" + query)};
        co_return co_await client.send(Context::background().within(seconds(30)), std::move(request));
    }
    /// The next event with data.
    static Task<sse::Event> next(http::Response& response, sse::Parser& parser) {
        while (true) {
            while (auto event = parser.next()) {
                if (event->has_data) co_return *std::move(event);
            }
            auto piece = co_await response.read(Context::background().within(seconds(30)));
            if (!piece || !*piece) co_return sse::Event{.data = "the end"};
            static_cast<void>(parser.feed(**piece));
        }
    }
    sse::Event next(http::Response& response) { return loop.run_until_done(next(response, parser)); }

    static std::string own_id(const sse::Event& event) { return std::string(Json::parse(event.data)->string_at("id")); }

    Loop loop;
    Bus bus{{}};
    FeedOptions options{.max_subscribers = 2, .max_pending = 4};
    Feed feed{options, {.bus = bus, .run = "run"}};
    http::Server server{loop, {}, [this](const Context& ctx, http::Exchange& e) { return feed.serve(ctx, e); }};
    net::EgressGuard guard;
    http::Client client{loop, guard};
    sse::Parser parser;
};

TEST_F(FeedTest, TellsWhatHappensAsItHappensAndNobodyPaysWhileNobodyListens) {
    EXPECT_FALSE(bus.listening());
    bus.record(good_call("before"));
    auto response = listen();
    EXPECT_EQ(response.headers().get("Content-Type"), "text/event-stream");
    EXPECT_TRUE(bus.listening());
    bus.record(good_call("c-7"));
    bus.publish({.type = event_type::kSourceState, .subject = "files", .data = {{"state", "down"}}});
    const sse::Event call = next(response);
    EXPECT_EQ(call.type, "gantry.tool.called.v1");
    EXPECT_EQ(call.id, std::nullopt) << "without a journal nobody can come back to it";
    EXPECT_EQ(Json::parse(call.data)->string_at("id"), "run-2");
    EXPECT_EQ(Json::parse(call.data)->string_at("correlationid"), "c-7");
    EXPECT_EQ(next(response).type, "gantry.source.health_changed.v1");
    response.abort();
    EXPECT_TRUE(loop.run_until_done(until([this] { return feed.subscribers() == 0; })));
    EXPECT_FALSE(bus.listening());
}

TEST_F(FeedTest, CanBeNarrowedDown) {
    auto response = listen("?x=1&type=tool.failed,source.*");
    bus.record(good_call());
    Outcome failed = good_call("bad");
    failed.tool_failed = true;
    bus.record(failed);
    EXPECT_EQ(next(response).type, "gantry.tool.failed.v1");
}

TEST_F(FeedTest, EachReaderChoosesTheNamesItIsToldUnder) {
    EXPECT_EQ(listen("?names=other").status(), 400);
    auto usual = listen();
    auto runtime = listen("?names=mcp&type=mcp.tool_called");
    bus.publish({.type = event_type::kSourceState, .subject = "files"});
    bus.record(good_call());
    const sse::Event call = next(runtime);
    EXPECT_EQ(call.type, "mcp.tool_called");
    const Json event = *Json::parse(call.data);
    EXPECT_EQ(event.string_at("type"), "mcp.tool_called");
    EXPECT_EQ(event.at_pointer("/data/tool_name")->dump(), R"("files_read")");
    EXPECT_EQ(event.at_pointer("/data/mcp_server")->dump(), R"("files")");
    parser = sse::Parser();
    EXPECT_EQ(next(usual).type, "gantry.source.health_changed.v1");
    EXPECT_EQ(next(usual).type, "gantry.tool.called.v1");
}

TEST_F(FeedTest, ASlowReaderIsToldHowMuchItMissedAndHoldsNobodyUp) {
    auto slow = listen();
    // All in one turn of the loop, so that nothing can be sent in between.
    for (int i = 0; i < 10; ++i) bus.record(good_call());
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(own_id(next(slow)), "run-" + std::to_string(i));
    const sse::Event gap = next(slow);
    EXPECT_EQ(gap.type, "gantry.feed.missed");
    EXPECT_EQ(gap.data, R"({"count":6})");
    EXPECT_EQ(feed.missed(), 6u);
    bus.record(good_call());
    EXPECT_EQ(own_id(next(slow)), "run-b");
}

TEST_F(FeedTest, WhoComesBackIsToldThatNothingIsKnownOfTheTimeBetween) {
    auto response = listen("?after=7");
    bus.record(good_call("c-7"));
    const sse::Event gap = next(response);
    EXPECT_EQ(gap.type, "gantry.feed.missed");
    EXPECT_THAT(gap.data, HasSubstr("without the journal"));
    EXPECT_EQ(next(response).type, "gantry.tool.called.v1");
}

TEST_F(FeedTest, AReaderThatNeverReadsBoundsWhatIsHeldForIt) {
    auto sleeping = listen();
    auto awake = listen();
    std::uint64_t heard = 0;
    while (feed.missed() == 0) {
        for (int i = 0; i < 4; ++i) bus.record(good_call());
        for (int i = 0; i < 4; ++i, ++heard) ASSERT_THAT(next(awake).type, HasSubstr("tool.called"));
        ASSERT_LT(heard, 1'000'000u);
    }
    EXPECT_GT(heard, 4u);
    sleeping.abort();
}

TEST_F(FeedTest, TooManyReadersAreTurnedAwayAndHangingUpEndsThem) {
    auto first = listen();
    auto second = listen();
    EXPECT_EQ(listen().status(), 503);
    feed.hang_up();
    EXPECT_EQ(next(first).data, "the end");
    EXPECT_TRUE(loop.run_until_done(until([this] { return feed.subscribers() == 0; })));
}

}  // namespace
}  // namespace gantry::gateway::events
