#include "mcp/client/supervisor.hpp"

#include "mcp/client/backoff.hpp"
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
    // One more may be in progress by the time the caller has its answer.
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

/// Dies on every use without an answer, but always accepts new connections.
Task<void> flapping(Rig& rig) {
    rig.server.reply("tools/list", parse(kTools));
    rig.server.die_on("tools/call");
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto result = co_await rig.client->call_tool(watchdog(), "look", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown) << "it may have run, so it is not called unsent";
    EXPECT_FALSE(result.error().retryable());
    EXPECT_EQ(rig.server.count("tools/call"), 4u) << "once, and once after each of three reconnects";
    EXPECT_TRUE(co_await rig.server.until([&rig] { return rig.server.connects == 5; })) << "the supervisor goes on";
}
TEST(Supervision, ACallSeesThreeReconnectsOfAServerThatComesBackOnlyToDieAgain) {
    run(Revision::k2025_11_25, flapping);
    run(Revision::k2026_07_28, flapping);
}

Task<void> flapping_and_refusing(Rig& rig) {
    rig.server.reply("tools/list", parse(kTools));
    rig.server.on("tools/call", [&rig](const Heard&) -> std::optional<TestServer::Answer> {
        rig.server.refuse = 1;
        rig.server.later(rig.server.hang_up());
        return std::nullopt;
    });
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto result = co_await rig.client->call_tool(watchdog(), "look", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(rig.server.count("tools/call"), 2u) << "refused, connected, refused: three attempts for the whole call";
}
TEST(Supervision, FailedAndSuccessfulReconnectsCountTogether) {
    run(Revision::k2025_11_25, flapping_and_refusing);
}

Task<void> flapping_list(Rig& rig) {
    rig.server.on("tools/list", [&rig](const Heard& heard) -> std::optional<TestServer::Answer> {
        // Every page is answered only on a new connection.
        if (rig.server.count("tools/list") % 2 == 1) {
            rig.server.later(rig.server.hang_up());
            return std::nullopt;
        }
        return parse(R"({"tools":[],"nextCursor":")" + heard.text("/cursor") + R"(x"})");
    });
    const auto tools = co_await rig.client->list_tools(watchdog());
    CO_ASSERT(!tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kOutcomeUnknown);
    EXPECT_EQ(rig.server.count("tools/list"), 7u);
}
TEST(Supervision, AllPagesOfAListAreOneCall) {
    run(Revision::k2025_11_25, flapping_list);
}

TEST(Backoff, GrowsToItsLimitAndStartsAnewOnlyAfterAConnectionThatStood) {
    Backoff backoff(milliseconds(200), milliseconds(700));
    EXPECT_EQ(backoff.next(), milliseconds(200));
    EXPECT_EQ(backoff.next(), milliseconds(400));
    backoff.stood_for(milliseconds(50));
    EXPECT_EQ(backoff.next(), milliseconds(700));
    EXPECT_EQ(backoff.next(), milliseconds(700));
    backoff.stood_for(Backoff::kRecovered);
    EXPECT_EQ(backoff.next(), milliseconds(200));
}

Task<void> waits_no_longer_than_a_call(Rig& rig) {
    rig.settings.reconnect_first = std::chrono::hours(1);
    CO_ASSERT(co_await rig.connect());
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kReconnecting; }));
    CallSettings call;
    call.times = CallTimes{.idle = milliseconds(30)};
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {}, call);
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kConnection) << "never sent, so it may be tried again";
}
TEST(Supervision, WaitingForAConnectionIsPartOfTheCallsTime) {
    run(Revision::k2025_11_25, waits_no_longer_than_a_call, false);
}

Task<void> capped(Rig& rig) {
    const auto task = parse(R"({"resultType":"task","taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z",
        "lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null,"pollIntervalMs":20})");
    rig.server.reply("tools/call", task);
    Json working = task;
    working.if_object()->set("resultType", "complete");
    rig.server.reply("tasks/get", working);
    rig.server.reply("tasks/cancel", parse(R"({"resultType":"complete"})"));
    CallSettings call;
    call.times = CallTimes{.idle = seconds(30), .total = milliseconds(100)};
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {}, call);
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ((co_await rig.server.nth("tasks/cancel")).text("/taskId"), "t1");
}
TEST(Supervision, TheCapCoversATaskTheServerMadeOfTheCall) {
    run(Revision::k2026_07_28, capped);
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

Task<void> first_connect_retries(Rig& rig) {
    rig.settings.connect_retries = 2;
    rig.server.refuse = 5;
    CO_ASSERT(!co_await rig.connect());
    EXPECT_EQ(rig.server.connects, 3);
    CO_ASSERT(co_await rig.client->connect(watchdog()));
    EXPECT_EQ(rig.server.connects, 6) << "refused twice more, then accepted";
    EXPECT_EQ(rig.states,
              (std::vector{State::kConnecting, State::kDisconnected, State::kConnecting, State::kConnected}))
        << "no other state between the attempts";
}
TEST(Supervision, TheFirstConnectIsRetriedAndDisconnectedWhenExhausted) {
    run(Revision::k2025_11_25, first_connect_retries, false);
}

Task<void> reconnect_retries(Rig& rig) {
    rig.settings.reconnect_retries = 2;
    CO_ASSERT(co_await rig.connect());
    rig.server.refuse = 1'000'000;
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kDisconnected; }));
    EXPECT_EQ(rig.server.connects, 3);
    const auto call = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!call);
    EXPECT_EQ(call.error().code(), ErrorCode::kConnection);
    EXPECT_NE(call.error().to_string().find("refused for the test"), std::string::npos) << call.error().to_string();

    rig.server.refuse = 0;
    CO_ASSERT(co_await rig.client->connect_on_demand(watchdog()));
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.states, (std::vector{State::kConnecting, State::kConnected, State::kReconnecting,
                                       State::kDisconnected, State::kConnecting, State::kConnected}));
    // The retries count for each loss.
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.states.size() == 8; }));
    EXPECT_EQ(rig.client->state(), State::kConnected);
}
TEST(Supervision, ReconnectingIsDisconnectedWhenItsRetriesAreExhausted) {
    run(Revision::k2025_11_25, reconnect_retries, false);
}

Task<void> no_reconnect(Rig& rig) {
    rig.settings.reconnect_retries = 0;
    CO_ASSERT(co_await rig.connect());
    co_await rig.server.hang_up();
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.client->state() == State::kDisconnected; }));
    EXPECT_EQ(rig.server.connects, 1);
}
TEST(Supervision, WithoutRetriesALossIsDisconnectedAtOnce) {
    run(Revision::k2025_11_25, no_reconnect, false);
}

Task<void> demand(Rig& rig, Context ctx, std::vector<Result<void>>& results) {
    results.push_back(co_await rig.client->connect_on_demand(ctx));
    rig.server.wake();
}

Task<void> shared_connect(Rig& rig) {
    rig.server.ignore("initialize");
    rig.make();
    std::vector<Result<void>> results;
    Scope scope(watchdog());
    const CancelSource impatient;
    scope.spawn(demand(rig, scope.context().stopped_by(impatient), results));
    scope.spawn(demand(rig, scope.context(), results));
    const Heard asked = co_await rig.server.nth("initialize");
    impatient.cancel();
    CO_ASSERT(co_await rig.server.until([&] { return results.size() == 1; }));
    EXPECT_EQ(results[0].error().code(), ErrorCode::kCancelled);
    co_await rig.server.answer(*asked.id, parse(R"({"protocolVersion":"2025-11-25","capabilities":{},
        "serverInfo":{"name":"s","version":"1"}})"));
    co_await scope.join();
    EXPECT_TRUE(results[1]) << "the attempt outlived the caller that began it";
    EXPECT_TRUE(co_await rig.client->connect_on_demand(watchdog())) << "connected already";
    EXPECT_EQ(rig.server.connects, 1);
}
TEST(Supervision, CallersThatDemandAConnectionShareOneConnect) {
    run(
        Revision::k2025_11_25,
        [](Rig& rig) {
            rig.settings.era = EraChoice::kLegacy;
            return shared_connect(rig);
        },
        false);
}

Task<void> closed_while_connecting(Rig& rig) {
    rig.server.ignore("initialize");
    rig.make();
    std::vector<Result<void>> results;
    Scope scope(watchdog());
    scope.spawn(demand(rig, scope.context(), results));
    co_await rig.server.nth("initialize");
    co_await rig.client->close();
    co_await scope.join();
    EXPECT_EQ(results[0].error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(rig.client->state(), State::kDisconnected);
    EXPECT_EQ((co_await rig.client->connect_on_demand(watchdog())).error().code(), ErrorCode::kInvalidArgument);
}
TEST(Supervision, ClosingEndsADemandedConnect) {
    run(
        Revision::k2025_11_25,
        [](Rig& rig) {
            rig.settings.era = EraChoice::kLegacy;
            return closed_while_connecting(rig);
        },
        false);
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
