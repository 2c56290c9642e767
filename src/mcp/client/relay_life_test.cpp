// Failures of relayed requests over HTTP.

#include "base/try.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "mcp/client/test_relay.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

constexpr Revision kModern = Revision::k2026_07_28;
constexpr Revision kLegacy = Revision::k2025_11_25;

/// Never answers; with step 1 it opens a stream first.
Task<void> silent(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    if (rig.step == 1) co_await start_events(ctx, exchange);
    co_await hold(rig, ctx, exchange);
}

Task<void> cancel_one(RelayRig& rig, bool stream, bool legacy) {
    rig.http.step = stream ? 1 : 0;
    const ClientRequest client_request("tools/call", R"({"name":"a"})");
    auto running = std::make_shared<RunningRelay>();
    Scope scope(watchdog());
    scope.spawn(run_beside(rig, client_request.request, running));
    CO_ASSERT(co_await rig.http.until([](HttpRig& http) { return !seen_of(http, "tools/call").empty(); }));
    running->stop.cancel();
    co_await scope.join();
    CO_ASSERT(running->result && !*running->result);
    EXPECT_EQ(running->result->error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(co_await rig.http.until([](HttpRig& http) { return http.disconnects == 1; }));
    if (!legacy) {
        EXPECT_TRUE(seen_of(rig.http, "notifications/cancelled").empty());
        co_return;
    }
    CO_ASSERT(co_await rig.http.until([](HttpRig& http) { return !seen_of(http, "notifications/cancelled").empty(); }));
    const Json id = *seen_of(rig.http, "tools/call").front().json.find("id");
    EXPECT_EQ(*seen_of(rig.http, "notifications/cancelled").front().json.at_pointer("/params/requestId"), id);
}

TEST(RelayLife, GivingUpClosesTheStreamAndTellsALegacyServer) {
    run_relay(kModern, silent, [](RelayRig& rig) { return cancel_one(rig, false, false); });
    run_relay(kModern, silent, [](RelayRig& rig) { return cancel_one(rig, true, false); });
    run_relay(kLegacy, silent, [](RelayRig& rig) { return cancel_one(rig, false, true); });
    run_relay(kLegacy, silent, [](RelayRig& rig) { return cancel_one(rig, true, true); });
}

TEST(RelayLife, SilenceEndsWithTheIdleLimitAndTheServerIsTold) {
    run_relay(kLegacy, silent, [](RelayRig& rig) -> Task<void> {
        rig.http.step = 1;
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.times = {.idle = milliseconds(60), .total = seconds(60)};
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, true);
        CO_ASSERT(!answer);
        EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout);
        EXPECT_TRUE(
            co_await rig.http.until([](HttpRig& http) { return !seen_of(http, "notifications/cancelled").empty(); }));
    });
}

/// Sends increasing progress without end.
Task<void> busy(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    co_await start_events(ctx, exchange);
    const std::string token = seen.json.find("id")->dump();
    for (int i = 1; rig.disconnects == 0; ++i) {
        std::string out;
        sse::append_event(out, "message",
                          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + token +
                              R"(,"progress":)" + std::to_string(i) + "}}");
        if (!co_await exchange.write(ctx, out)) break;
        ++rig.step;
        if (!co_await sleep_for(ctx, milliseconds(20))) break;
    }
    rig.changed.pulse();
}

TEST(RelayLife, ProgressKeepsARequestAliveUntilTheCap) {
    run_relay(kModern, busy, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.wants_progress = true;
        int grew = 0;
        client_request.request.hooks.on_progress = [&grew](std::string_view, const json::ParamsView&) { ++grew; };
        // Far more progress than fits one idle timeout: without it the request would end much earlier.
        client_request.request.times = {.idle = milliseconds(1000), .total = milliseconds(2500)};
        const TimePoint began = SteadyClock::now();
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(!answer);
        EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout);
        EXPECT_GE(SteadyClock::now() - began, milliseconds(2500));
        EXPECT_GT(grew, 1);
    });
}

/// Asks one question, and answers the request once it is answered.
Task<void> asking(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    co_await start_events(ctx, exchange);
    co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");
    const auto answered = [&rig] {
        for (const Seen& one : rig.seen) {
            if (one.body.starts_with(R"({"jsonrpc":"2.0","id":5,)")) return true;
        }
        return false;
    };
    while (!answered()) {
        if (!co_await rig.changed.wait(ctx)) co_return;
    }
    co_await say_event(ctx, exchange, result_for(seen));
    (void)co_await exchange.finish(ctx);
}

Task<Result<std::string>> think(Context ctx) {
    GANTRY_CO_CHECK(co_await sleep_for(ctx, milliseconds(1500)));
    co_return R"({"roots":[]})";
}

TEST(RelayLife, IdleDoesNotCountWhileWeAreAsked) {
    run_relay(kLegacy, asking, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.times = {.idle = milliseconds(1000), .total = seconds(60)};
        client_request.request.hooks.on_request = [](const Context& ctx, std::string, std::string params) {
            EXPECT_EQ(params, "");
            return think(ctx);
        };
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        EXPECT_TRUE(answer) << answer.error().to_string();
    });
}

TEST(RelayLife, ALostSessionIsMadeAnewAndTheRequestRunsOnce) {
    run_relay(
        kLegacy,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            if (seen.header("mcp-session-id") == "s1") {
                (void)co_await exchange.respond(ctx, 404, {}, "gone");
                co_return;
            }
            co_await say_json(ctx, exchange, 200,
                              result_for(seen, R"({"in":")" + seen.header("mcp-session-id") + "\"}"));
        },
        [](RelayRig& rig) -> Task<void> {
            const ClientRequest client_request("tools/call", R"({"name":"a"})");
            for (int i = 0; i < 2; ++i) {
                const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
                CO_ASSERT(answer);
                EXPECT_EQ(answer->message.view().result.raw(), R"({"in":"s2"})");
            }
            EXPECT_EQ(seen_of(rig.http, "initialize").size(), 2u);
        });
}

TEST(RelayLife, ABrokenLegacyStreamIsResumedWhereItBroke) {
    run_relay(
        kLegacy,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.method == "GET" && seen.header("last-event-id") == "e2") {
                co_await start_events(ctx, exchange);
                co_await say_event(ctx, exchange, rig.note, "e3");
                (void)co_await exchange.finish(ctx);
                co_return;
            }
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            rig.note = result_for(seen, "{\"late\":1}");
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange, "", "e1");
            co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","method":"notifications/x"})", "e2",
                               milliseconds(10));
            (void)co_await exchange.finish(ctx);
        },
        [](RelayRig& rig) -> Task<void> {
            ClientRequest client_request("tools/call", R"({"name":"a"})");
            std::vector<Duration> rests;
            client_request.request.hooks.on_hang_up = [&rests](Duration retry) { rests.push_back(retry); };
            const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(answer);
            EXPECT_EQ(answer->message.view().result.raw(), "{\"late\":1}");
            EXPECT_EQ(rests, std::vector<Duration>{milliseconds(10)}) << "who waits may want to rest as long";
        });
}

/// The stream ends twice without an answer, then there is one.
Task<void> flaky(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    if (++rig.step > 2) co_return co_await say_json(ctx, exchange, 200, result_for(seen));
    co_await start_events(ctx, exchange);
    (void)co_await exchange.finish(ctx);
}

TEST(RelayLife, OnlyWhatMayBeRepeatedIsRepeatedWhenTheOutcomeIsUnknown) {
    run_relay(kModern, flaky, [](RelayRig& rig) -> Task<void> {
        const ClientRequest client_request("tools/call", R"({"name":"a"})");
        const auto once = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(!once);
        EXPECT_EQ(once.error().code(), ErrorCode::kOutcomeUnknown);
        EXPECT_EQ(rig.http.step, 1);
        EXPECT_TRUE(co_await rig.client->relay(watchdog(), client_request.request, true));
        EXPECT_EQ(rig.http.step, 3);
    });
}

TEST(RelayLife, ClosingTheClientEndsWhatIsUnderWay) {
    run_relay(kModern, silent, [](RelayRig& rig) -> Task<void> {
        const ClientRequest client_request("tools/call", R"({"name":"a"})");
        auto running = std::make_shared<RunningRelay>();
        Scope scope(watchdog());
        scope.spawn(run_beside(rig, client_request.request, running));
        CO_ASSERT(co_await rig.http.until([](HttpRig& http) { return !seen_of(http, "tools/call").empty(); }));
        co_await rig.client->close();
        co_await scope.join();
        CO_ASSERT(running->result && !*running->result);
        EXPECT_EQ(running->result->error().code(), ErrorCode::kOutcomeUnknown);
    });
}

/// A tool whose schema has gained a header since it was listed.
Task<void> strict(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    if (seen.rpc_method() == "tools/list") {
        co_return co_await say_json(
            ctx, exchange, 200,
            result_for(
                seen, R"({"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a","inputSchema":)"
                      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}]})"));
    }
    if (rig.step == 0 && seen.header("mcp-param-region") == "eu") {
        co_return co_await say_json(ctx, exchange, 200, result_for(seen));
    }
    co_await say_json(ctx, exchange, 400, R"({"jsonrpc":"2.0","error":{"code":-32020,"message":"header"}})");
}

TEST(RelayLife, HeadersTheServerMissesAreMadeFromTheToolsSchemaOnceMore) {
    run_relay(kModern, strict, [](RelayRig& rig) -> Task<void> {
        const ClientRequest client_request("tools/call", R"({"name":"a","arguments":{"region":"eu"}})");
        EXPECT_TRUE(co_await rig.client->relay(watchdog(), client_request.request, false));
        rig.http.step = 1;
        const auto refused = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(!refused && refused.error().rpc());
        EXPECT_EQ(refused.error().code(), ErrorCode::kProtocol);
        EXPECT_EQ(refused.error().rpc()->code, rpc_code::kHeaderMismatch);
    });
}

TEST(RelayLife, AServerThatNoLongerSpeaksTheVersionIsAskedAnew) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            if (rig.step++ != 1) {
                co_return co_await say_json(
                    ctx, exchange, 400,
                    R"({"jsonrpc":"2.0","error":{"code":-32022,"message":"no","data":{"supported":)"
                    R"(["2026-07-28"],"requested":"2026-07-28"}}})");
            }
            co_await say_json(ctx, exchange, 200, result_for(seen));
        },
        [](RelayRig& rig) -> Task<void> {
            const ClientRequest client_request("tools/call", R"({"name":"a"})");
            const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(answer);
            EXPECT_EQ(seen_of(rig.http, "server/discover").size(), 2u);
            const auto refused = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(!refused && refused.error().rpc());
            EXPECT_EQ(refused.error().code(), ErrorCode::kProtocol);
        });
}

/// Presents "t1" until a 401, then another token.
class Renewing final : public http::Authorization {
public:
    Task<Result<Fields>> headers_for(const Context&, Request request) override {
        co_await logging_in(std::move(request.on_login));
        co_return Fields{{"Authorization", renewed_ ? "Bearer t2" : "Bearer t1"}};
    }
    Task<Result<http::Retry>> on_response(const Context&, Request, Answer answer) override {
        co_return answer.status == 401 && !std::exchange(renewed_, true) ? http::Retry::kYes : http::Retry::kNo;
    }

private:
    /// Takes longer than the request's timeouts, which are paused meanwhile.
    Task<void> logging_in(std::function<void(bool)> on_login) const {
        if (!renewed_ || !on_login) co_return;
        on_login(true);
        (void)co_await sleep_for(Context::background(), milliseconds(1500));
        on_login(false);
    }
    bool renewed_ = false;
};

TEST(RelayLife, CredentialsAreShownRenewedAndWaitedFor) {
    static Renewing authorization;
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            if (seen.header("authorization") != "Bearer t2") {
                (void)co_await exchange.respond(ctx, 401, {}, "");
                co_return;
            }
            co_await say_json(ctx, exchange, 200, result_for(seen));
        },
        [](RelayRig& rig) -> Task<void> {
            ClientRequest client_request("tools/call", R"({"name":"a"})");
            client_request.request.times = {.idle = milliseconds(1000), .total = milliseconds(1000)};
            const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            EXPECT_TRUE(answer) << answer.error().to_string();
            EXPECT_EQ(rig.http.seen.back().header("mcp-method"), "tools/call");
            EXPECT_EQ(rig.http.seen.back().header("x-configured"), "yes");
        },
        [](StreamableHttpConfig& config) {
            config.http.authorization = &authorization;
            config.http.headers = {{"X-Configured", "yes"}};
        });
}

TEST(RelayLife, RedirectsInsideTheOriginAreFollowedAndOthersRefused) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            if (seen.target == "/there") co_return co_await say_json(ctx, exchange, 200, result_for(seen));
            const char* to = rig.step++ < 2 ? "/there" : "http://elsewhere.invalid/";
            (void)co_await exchange.respond(ctx, 307, {{"Location", to}}, "");
        },
        [](RelayRig& rig) -> Task<void> {
            const ClientRequest client_request("tools/call", R"({"name":"a"})");
            EXPECT_TRUE(co_await rig.client->relay(watchdog(), client_request.request, false));
            EXPECT_EQ(rig.http.seen.back().header("mcp-name"), "a");
            const auto refused = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(!refused);
            EXPECT_EQ(refused.error().code(), ErrorCode::kDenied);
        });
}

/// Asks on the stream of unsolicited messages while a call is in flight.
Task<void> asks_elsewhere(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.method == "GET") {
        co_await start_events(ctx, exchange);
        while (seen_of(rig, "tools/call").empty()) {
            if (!co_await rig.changed.wait(ctx)) co_return;
        }
        co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","id":5,"method":"roots/list"})");
        co_return co_await hold(rig, ctx, exchange);
    }
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    for (;;) {
        for (const Seen& one : rig.seen) {
            if (one.body == R"({"jsonrpc":"2.0","id":5,"result":{"roots":[]}})") {
                co_return co_await say_json(ctx, exchange, 200, result_for(seen));
            }
        }
        if (!co_await rig.changed.wait(ctx)) co_return;
    }
}

Task<Result<std::string>> no_roots() {
    co_return R"({"roots":[]})";
}

TEST(RelayLife, AQuestionOnTheOtherStreamIsForTheOnlyRequestUnderWay) {
    run_relay(kLegacy, asks_elsewhere, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.hooks.on_request = [](const Context&, std::string, std::string) { return no_roots(); };
        const auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        EXPECT_TRUE(answer) << answer.error().to_string();
    });
}

}  // namespace
}  // namespace gantry::mcp
