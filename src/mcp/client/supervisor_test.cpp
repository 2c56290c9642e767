#include "mcp/client/supervisor.hpp"

#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;
using State = ConnectionState;

const char* const kTools = R"({"tools":[
    {"name":"charge","inputSchema":{"type":"object"}},
    {"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"put","inputSchema":{"type":"object"},"annotations":{"idempotentHint":true}}]})";

/// Dies on the first tools/call, answers later ones.
void die_once(Rig& rig) {
    rig.server.on("tools/call", [&rig](const Heard&) -> std::optional<TestServer::Answer> {
        if (rig.server.count("tools/call") > 1) return said("second time");
        rig.server.later(rig.server.hang_up());
        return std::nullopt;
    });
}

Task<void> unknown_outcome(Rig& rig) {
    rig.server.reply("tools/list", parse(kTools));
    die_once(rig);
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto result = co_await rig.client->call_tool(watchdog(), "charge", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown);
    EXPECT_FALSE(result.error().retryable());
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kConnected; }));
    CO_ASSERT(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.server.count("tools/call"), 1u) << "a call that may have run is never repeated";
}
TEST(Supervision, ACallWhoseOutcomeIsUnknownIsNotRepeated) {
    run(Revision::k2025_11_25, unknown_outcome);
    run(Revision::k2026_07_28, unknown_outcome);
}

Task<void> repeat(Rig& rig, std::string tool) {
    rig.server.reply("tools/list", parse(kTools));
    die_once(rig);
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto result = co_await rig.client->call_tool(watchdog(), tool, {});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "second time");
    EXPECT_EQ(rig.server.count("tools/call"), 2u);
}
TEST(Supervision, ReadOnlyAndIdempotentToolsAreRepeated) {
    run(Revision::k2025_11_25, [](Rig& rig) { return repeat(rig, "look"); });
    run(Revision::k2026_07_28, [](Rig& rig) { return repeat(rig, "put"); });
}

Task<void> reads_repeat(Rig& rig) {
    rig.server.on("resources/read", [&rig](const Heard&) -> std::optional<TestServer::Answer> {
        if (rig.server.count("resources/read") > 1) return parse(R"({"contents":[{"uri":"a://b","text":"t"}]})");
        rig.server.later(rig.server.hang_up());
        return std::nullopt;
    });
    EXPECT_TRUE(co_await rig.client->read_resource(watchdog(), "a://b"));
    EXPECT_EQ(rig.server.connects, 2);
}
TEST(Supervision, ReadsAreRepeated) {
    run(Revision::k2025_06_18, reads_repeat);
}

Task<void> states_in_order(Rig& rig) {
    rig.server.refuse = 0;
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.states.size() == 4; }));
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
    co_await rig.client->close();
    co_await rig.client->close();
    EXPECT_EQ(rig.states, (std::vector{State::kConnecting, State::kConnected, State::kReconnecting, State::kConnected,
                                       State::kDisconnected}));
}
TEST(Supervision, StatesAreSeenInOrder) {
    run(Revision::k2025_11_25, states_in_order);
    run(Revision::k2026_07_28, states_in_order);
}

Task<void> three_attempts(Rig& rig) {
    rig.server.refuse = 1'000'000;
    Scope scope(watchdog());
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kReconnecting; }));
    const int before = rig.server.connects;
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kConnection);
    EXPECT_TRUE(result.error().retryable());
    // One more may be under way by the time the caller has its answer.
    EXPECT_GE(rig.server.connects - before, 3);
    EXPECT_LE(rig.server.connects - before, 4);
    CO_ASSERT(result.error().cause() != nullptr);
    EXPECT_NE(result.error().to_string().find("refused for the test"), std::string::npos);

    const int then = rig.server.connects;
    CO_ASSERT(co_await rig.server.until([&rig, then] { return rig.server.connects > then; }));
    rig.server.refuse = 0;
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kConnected; }));
    EXPECT_TRUE(co_await rig.client->ping(watchdog())) << "the supervisor never gave up";
}
TEST(Supervision, AWaitingCallSeesThreeAttemptsWhileTheSupervisorGoesOn) {
    run(Revision::k2025_11_25, three_attempts);
}

Task<void> first_connect_fails(Rig& rig) {
    rig.server.refuse = 1;
    const auto connected = co_await rig.connect();
    CO_ASSERT(!connected);
    EXPECT_EQ(connected.error().code(), ErrorCode::kConnection);
    EXPECT_EQ(rig.server.connects, 1);
    EXPECT_EQ(rig.client->state(), State::kDisconnected);
    EXPECT_TRUE(co_await rig.client->connect(watchdog())) << "and may be tried again";
}
TEST(Supervision, AFailedFirstConnectIsTheCallersAndLeavesNothingRunning) {
    run(Revision::k2025_11_25, first_connect_fails, false);
}

Task<void> after_close(Rig& rig) {
    rig.server.capabilities.set("tools", JsonObject{{"listChanged", true}});
    rig.server.reply("tools/list", parse(kTools));
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    co_await rig.client->close();
    const auto call = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!call);
    EXPECT_EQ(call.error().code(), ErrorCode::kInvalidArgument);
    const auto ping = co_await rig.client->ping(watchdog());
    const auto subscribe = co_await rig.client->subscribe(watchdog(), "a://b");
    const auto list = co_await rig.client->list_tools(watchdog());
    const auto again = co_await rig.client->connect(watchdog());
    CO_ASSERT(!ping && !subscribe && !list && !again);
    EXPECT_EQ(ping.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(subscribe.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(list.error().code(), ErrorCode::kInvalidArgument) << "also what is remembered";
    EXPECT_EQ(again.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(rig.server.connects, 1);
}
TEST(Supervision, UseAfterCloseIsTheCallersMistake) {
    run(Revision::k2025_11_25, after_close, false);
}

Task<void> close_ends_calls(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "t", call));
    co_await rig.server.nth("tools/call");
    co_await rig.client->close();
    co_await scope.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kOutcomeUnknown);
}
TEST(Supervision, ClosingEndsTheCallsInFlight) {
    run(Revision::k2025_11_25, close_ends_calls);
    run(Revision::k2026_07_28, close_ends_calls);
}

Task<void> closes_while_reconnecting(Rig& rig) {
    rig.server.refuse = 1'000'000;
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kReconnecting; }));
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "t", call));
    co_await rig.client->close();
    co_await scope.join();
    EXPECT_FALSE(*call->result);
    EXPECT_EQ(rig.client->state(), State::kDisconnected);
}
TEST(Supervision, ClosingEndsTheReconnecting) {
    run(Revision::k2025_11_25, closes_while_reconnecting);
}

Task<void> version_changed(Rig& rig) {
    rig.server.on("tools/call", [&rig](const Heard&) -> std::optional<TestServer::Answer> {
        if (rig.server.connects > 1) return said("legacy now");
        rig.server.revision = Revision::k2025_11_25;
        return std::unexpected(RpcError{
            .code = -32022, .message = "no", .data = R"({"supported":["2025-11-25"],"requested":"2026-07-28"})"});
    });
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "legacy now");
    EXPECT_EQ(rig.client->server().revision, Revision::k2025_11_25);
}
TEST(Supervision, AServerThatChangedItsVersionIsOpenedAnew) {
    run(Revision::k2026_07_28, version_changed);
}

}  // namespace
}  // namespace gantry::mcp
