#include "mcp/client/rpc.hpp"

#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

std::shared_ptr<Running> running() {
    return std::make_shared<Running>();
}

Task<void> out_of_order(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    std::vector<std::shared_ptr<Running>> calls;
    for (int i = 0; i < 5; ++i) {
        calls.push_back(running());
        scope.spawn(run_call(rig, "tool" + std::to_string(i), calls.back()));
    }
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.server.count("tools/call") == 5; }));
    for (std::size_t i = 5; i-- > 0;) {
        const Heard call = co_await rig.server.nth("tools/call", i);
        co_await rig.server.answer(*call.id, said(call.text("/name")));
    }
    co_await scope.join();
    for (std::size_t i = 0; i < 5; ++i) {
        CO_ASSERT(*calls[i]->result);
        EXPECT_EQ((*calls[i]->result)->text(), "tool" + std::to_string(i));
    }
    EXPECT_TRUE(rig.oddities.empty());
}
TEST(Rpc, AnswersFindTheirCallsInAnyOrder) {
    run(Revision::k2025_11_25, out_of_order);
}

Task<void> unexpected(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = running();
    scope.spawn(run_call(rig, "t", call));
    const Heard heard = co_await rig.server.nth("tools/call");
    co_await rig.server.answer(RequestId(4711), said("unknown number"));
    co_await rig.server.answer(RequestId(std::to_string(std::get<std::int64_t>(*heard.id))), said("text, not number"));
    co_await rig.server.answer(*heard.id, said("first"));
    co_await rig.server.answer(*heard.id, said("second"));
    co_await rig.server.notify("notifications/progress", JsonObject{{"progressToken", 99}, {"progress", 1}});
    co_await scope.join();
    CO_ASSERT(*call->result);
    EXPECT_EQ((*call->result)->text(), "first");
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.oddities.size(), 4u);
}
TEST(Rpc, UnknownDoubledAndStrayMessagesAreDroppedAndTold) {
    run(Revision::k2025_11_25, unexpected);
}

Task<void> error_without_id(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = running();
    scope.spawn(run_call(rig, "t", call));
    co_await rig.server.nth("tools/call");
    co_await rig.server.answer_without_id({.code = -32700, .message = "cannot read that", .data = {}});
    co_await scope.join();
    CO_ASSERT(!*call->result);
    CO_ASSERT(call->result->error().rpc() != nullptr);
    EXPECT_EQ(call->result->error().rpc()->code, -32700);
}
TEST(Rpc, AnErrorWithoutAnIdBelongsToTheOnlyCallInFlight) {
    run(Revision::k2024_11_05, error_without_id);
}

Task<void> rpc_error(Rig& rig) {
    rig.server.reply_error("tools/call", -32602, "Unknown tool", R"({"a":1})");
    const auto result = co_await rig.client->call_tool(watchdog(), "nope", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kRpc);
    EXPECT_EQ(result.error().tool(), "nope");
    CO_ASSERT(result.error().rpc() != nullptr);
    EXPECT_EQ(result.error().rpc()->code, -32602);
    EXPECT_EQ(result.error().rpc()->data, R"({"a":1})");
}
TEST(Rpc, AJsonRpcErrorKeepsItsCodeAndData) {
    run(Revision::k2025_11_25, rpc_error);
}

Task<void> timeout_cancels(Rig& rig) {
    rig.server.ignore("tools/call");
    CallSettings call;
    call.times = CallTimes{.idle = milliseconds(30), .total = seconds(60)};
    const auto result = co_await rig.client->call_tool(watchdog(), "slow", {}, call);
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
    const Heard sent = co_await rig.server.nth("tools/call");
    const Heard cancelled = co_await rig.server.nth("notifications/cancelled");
    EXPECT_EQ(*cancelled.params.find("requestId"), to_json(*sent.id));
    co_await rig.server.answer(*sent.id, said("late"));
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.oddities.size(), 1u) << "the late answer is dropped";
}
TEST(Rpc, ATimeoutIsToldToALegacyServer) {
    run(Revision::k2025_11_25, timeout_cancels);
}
TEST(Rpc, ATimeoutIsToldToAModernServerOnAPipe) {
    run(Revision::k2026_07_28, [](Rig& rig) -> Task<void> {
        rig.server.ignore("tools/call");
        CallSettings call;
        call.times = CallTimes{.idle = milliseconds(30), .total = seconds(60)};
        const auto result = co_await rig.client->call_tool(watchdog(), "slow", {}, call);
        CO_ASSERT(!result);
        EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
        EXPECT_EQ(*(co_await rig.server.nth("notifications/cancelled")).params.find("requestId"),
                  to_json(*(co_await rig.server.nth("tools/call")).id));
    });
}

Task<void> http_closes(Rig& rig) {
    rig.wire = Wire::kHttp;
    rig.server.reply("tools/list", parse(R"({"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"})"));
    rig.server.ignore("tools/call");
    CO_ASSERT(co_await rig.connect());
    CallSettings call;
    call.times = CallTimes{.idle = milliseconds(30), .total = seconds(60)};
    CO_ASSERT(!co_await rig.client->call_tool(watchdog(), "slow", {}, call));
    CO_ASSERT(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.server.count("notifications/cancelled"), 0u);
}
TEST(Rpc, OverModernHttpTheClosedStreamIsTheCancellation) {
    run(Revision::k2026_07_28, http_closes, false);
}

Task<void> caller_cancels(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = running();
    scope.spawn(run_call(rig, "t", call));
    const Heard sent = co_await rig.server.nth("tools/call");
    call->stop.cancel();
    co_await scope.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(*(co_await rig.server.nth("notifications/cancelled")).params.find("requestId"), to_json(*sent.id));
}
TEST(Rpc, ACallerThatStopsCancelsTheRequest) {
    run(Revision::k2025_03_26, caller_cancels);
}

Task<void> pulse(Rig& rig, RequestId token, Context ctx, bool growing) {
    for (int step = 1; ctx.check(); ++step) {
        co_await rig.server.notify("notifications/progress", JsonObject{{"progressToken", to_json(token)},
                                                                        {"progress", growing ? step : 1},
                                                                        {"total", 1000},
                                                                        {"message", "going on"}});
        if (!co_await sleep_for(ctx, milliseconds(25))) break;
    }
}

Task<void> progress_extends(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    auto call = running();
    std::vector<Progress> seen;
    call->settings.times = CallTimes{.idle = seconds(1), .total = seconds(60)};
    call->settings.on_progress = [&seen](const Progress& progress) { seen.push_back(progress); };
    scope.spawn(run_call(rig, "long", call));
    const Heard sent = co_await rig.server.nth("tools/call");
    EXPECT_EQ(*sent.params.at_pointer("/_meta/progressToken"), to_json(*sent.id));
    co_await pulse(rig, *sent.id, watchdog().within(milliseconds(1500)), true);
    co_await rig.server.answer(*sent.id, said("done"));
    co_await scope.join();
    CO_ASSERT(*call->result);
    EXPECT_EQ((*call->result)->text(), "done");
    CO_ASSERT(seen.size() > 1);
    EXPECT_EQ(seen[0].progress, 1);
    EXPECT_EQ(seen[0].total, 1000);
    EXPECT_EQ(seen[0].message, "going on");
}
TEST(Rpc, ProgressStartsTheIdleTimeAnew) {
    run(Revision::k2025_11_25, progress_extends);
}

Task<void> cap_holds(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    Scope pulses(watchdog());
    auto call = running();
    call->settings.times = CallTimes{.idle = seconds(60), .total = milliseconds(200)};
    call->settings.on_progress = [](const Progress&) {};
    scope.spawn(run_call(rig, "endless", call));
    const Heard sent = co_await rig.server.nth("tools/call");
    pulses.spawn(pulse(rig, *sent.id, pulses.context(), true));
    co_await scope.join();
    pulses.cancel();
    co_await pulses.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kTimeout);
}
TEST(Rpc, NoProgressStretchesTheCap) {
    run(Revision::k2025_11_25, cap_holds);
}

Task<void> stuck_progress(Rig& rig) {
    rig.server.ignore("tools/call");
    Scope scope(watchdog());
    Scope pulses(watchdog());
    auto call = running();
    call->settings.times = CallTimes{.idle = milliseconds(200), .total = seconds(60)};
    call->settings.on_progress = [](const Progress&) {};
    scope.spawn(run_call(rig, "stuck", call));
    const Heard sent = co_await rig.server.nth("tools/call");
    pulses.spawn(pulse(rig, *sent.id, pulses.context(), false));
    co_await scope.join();
    pulses.cancel();
    co_await pulses.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kTimeout);
}
TEST(Rpc, ProgressThatDoesNotGrowIsNoSignOfLife) {
    run(Revision::k2025_11_25, stuck_progress);
}

Task<void> server_pings(Rig& rig) {
    const auto pong = co_await rig.server.ask("ping");
    CO_ASSERT(pong);
    EXPECT_EQ(*pong, Json(JsonObject{}));
    const auto unknown = co_await rig.server.ask("no/such", JsonObject{});
    CO_ASSERT(!unknown);
    EXPECT_EQ(unknown.error().code, -32601);
}
TEST(Rpc, AnswersPingAndRefusesUnknownRequests) {
    run(Revision::k2025_11_25, server_pings);
}

Task<void> not_an_object(Rig& rig) {
    rig.server.reply("tools/call", JsonArray{1, 2});
    const auto result = co_await rig.client->call_tool(watchdog(), "t", {});
    CO_ASSERT(!result);
    EXPECT_EQ(result.error().code(), ErrorCode::kProtocol);
}
TEST(Rpc, AResultMustBeAnObject) {
    run(Revision::k2025_11_25, not_an_object);
    run(Revision::k2026_07_28, not_an_object);
}

}  // namespace
}  // namespace gantry::mcp
