#include <algorithm>

#include "io/scope.hpp"
#include "mcp/transport/http_rig.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

/// A session server without a GET stream that answers every request with {}.
Task<void> plain(HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await handshake(ctx, exchange, seen)) co_return;
    if (seen.method != "POST") {
        (void)co_await exchange.respond(ctx, 405, {{"Allow", "POST"}}, "");
        co_return;
    }
    co_await say_json(ctx, exchange, 200, result_for(seen), {{"Mcp-Session-Id", "other"}});
}

TEST(StreamableLegacy, CapturesTheSessionFromInitializeOnlyAndEndsItWithDelete) {
    run_rig(plain, [](HttpRig& rig) -> Task<void> {
        CO_ASSERT(co_await initialize(rig));
        for (int id = 1; id < 3; ++id) {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(id, "ping")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result " + std::to_string(id) + " {}");
        }
        co_await rig.connection->close();
        for (const Seen& seen : rig.seen) {
            const bool first = seen.rpc_method() == "initialize";
            EXPECT_EQ(seen.header("mcp-session-id"), first ? "-" : "s1") << seen.method;
            EXPECT_EQ(seen.header("mcp-protocol-version"), first ? "-" : "2025-11-25") << seen.method;
            EXPECT_EQ(seen.header("mcp-method"), "-");
        }
        EXPECT_EQ(rig.count("DELETE"), 1u);
        EXPECT_EQ(rig.count("GET"), 1u);
    });
}

TEST(StreamableLegacy, SendsNoVersionHeaderBefore20250618) {
    run_rig(plain, [](HttpRig& rig) -> Task<void> {
        CO_ASSERT(co_await initialize(rig, Revision::k2025_03_26));
        CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "ping")));
        EXPECT_EQ(rig.seen.back().header("mcp-protocol-version"), "-");
    });
}

TEST(StreamableLegacy, AFailedInitializeGivesNoSession) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (rig.step++ == 0) {
                co_await say_json(ctx, exchange, 200,
                                  R"({"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}})",
                                  {{"Mcp-Session-Id", "poison"}});
            } else {
                co_await say_json(ctx, exchange, 200, result_for(seen));
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(0, "initialize")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "error 0 -32602");
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "ping")));
            EXPECT_EQ(rig.seen.back().header("mcp-session-id"), "-");
        });
}

TEST(StreamableLegacy, CapturesTheSessionFromAnInitializeAnsweredBySse) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            co_await start_events(ctx, exchange, {{"MCP-SESSION-ID", "s2"}});
            co_await say_event(ctx, exchange, result_for(seen));
            (void)co_await exchange.finish(ctx);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(0, "initialize")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 0 {}");
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "ping")));
            EXPECT_EQ(rig.seen.back().header("mcp-session-id"), "s2");
        });
}

TEST(StreamableLegacy, SessionGoneIsToldAndTheNextInitializeStartsAfresh) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "tools/list" && rig.step++ == 0) {
                co_await say_json(
                    ctx, exchange, 404,
                    R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}})");
                co_return;
            }
            co_await plain(rig, ctx, exchange, seen);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            HttpFailure failure;
            auto out = request(1, "tools/list");
            out.failure = &failure;
            auto written = co_await rig.connection->write(watchdog(), std::move(out));
            CO_ASSERT(!written);
            EXPECT_EQ(written.error().code(), ErrorCode::kNotFound);
            EXPECT_TRUE(written.error().retryable());
            EXPECT_FALSE(written.error().fatal());
            EXPECT_TRUE(failure.session_gone);
            EXPECT_EQ(failure.status, 404);
            CO_ASSERT(co_await initialize(rig));
            const auto again = std::ranges::find_if(rig.seen.rbegin(), rig.seen.rend(),
                                                    [](const Seen& seen) { return seen.rpc_method() == "initialize"; });
            EXPECT_EQ(again->header("mcp-session-id"), "-");
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(2, "tools/list")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 2 {}");
        });
}

TEST(StreamableLegacy, AnUnknownMethodAnsweredWith404IsNoLostSession) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() != "nope") {
                co_await plain(rig, ctx, exchange, seen);
                co_return;
            }
            co_await say_json(ctx, exchange, 404, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})");
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "nope")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "error 1 -32601");
        });
}

TEST(StreamableLegacy, ListensByGetAndComesBackWithTheLastEventIdAfterTheServersRetry) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.method != "GET") {
                co_await plain(rig, ctx, exchange, seen);
                co_return;
            }
            co_await start_events(ctx, exchange);
            const int turn = ++rig.step;
            if (turn == 1) co_await say_event(ctx, exchange, "", "e0", milliseconds(80));
            co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","method":"n)" + std::to_string(turn) + "\"}",
                               "e" + std::to_string(turn));
            if (turn == 1) {
                (void)co_await exchange.finish(ctx);
            } else {
                co_await hold(rig, ctx, exchange);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "notification n1");
            const TimePoint first = SteadyClock::now();
            auto second = co_await rig.connection->read(watchdog());
            EXPECT_EQ(text_of(second), "notification n2");
            EXPECT_GE(SteadyClock::now() - first, milliseconds(70)) << "retry: is a minimum";
            CO_ASSERT(second && *second);
            EXPECT_FALSE((*second)->on_stream_of);
            EXPECT_EQ(rig.seen.back().method, "GET");
            EXPECT_EQ(rig.seen.back().header("last-event-id"), "e1");
            EXPECT_EQ(rig.seen.back().header("accept"), "text/event-stream");
            EXPECT_EQ(rig.seen.back().header("mcp-session-id"), "s1");
            co_await rig.connection->close();
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
        });
}

TEST(StreamableLegacy, AGetStreamThatAnswers404MeansTheSessionIsGone) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.method == "GET") {
                (void)co_await exchange.respond(ctx, 404, {}, "");
            } else {
                co_await plain(rig, ctx, exchange, seen);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            EXPECT_TRUE(text_of(co_await rig.connection->read(watchdog())).starts_with("fatal not found"));
        });
}

TEST(StreamableLegacy, ABrokenPostStreamIsResumedByGetAfterRetry) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.header("last-event-id") == "p1") {
                co_await start_events(ctx, exchange);
                co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","method":"late"})", "p2");
                co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","id":1,"result":{"ok":true}})", "p3");
                (void)co_await exchange.finish(ctx);
            } else if (seen.rpc_method() == "tools/call") {
                co_await start_events(ctx, exchange);
                co_await say_event(ctx, exchange, "", "p1", milliseconds(120));
                (void)co_await exchange.finish(ctx);
            } else {
                co_await plain(rig, ctx, exchange, seen);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            const TimePoint sent = SteadyClock::now();
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call")));
            auto late = co_await rig.connection->read(watchdog());
            EXPECT_EQ(text_of(late), "notification late");
            CO_ASSERT(late && *late);
            EXPECT_EQ((*late)->on_stream_of, RequestId(1));
            EXPECT_GE(SteadyClock::now() - sent, milliseconds(120));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), R"(result 1 {"ok":true})");
        });
}

TEST(StreamableLegacy, ResumptionIsBoundedAndThenTheOutcomeIsUnknown) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.header("last-event-id") == "p1") {
                ++rig.step;
                (void)co_await exchange.respond(ctx, 503, {}, "");
            } else if (seen.rpc_method() == "tools/call") {
                co_await start_events(ctx, exchange);
                co_await say_event(ctx, exchange, "", "p1");
                (void)co_await exchange.finish(ctx);
            } else {
                co_await plain(rig, ctx, exchange, seen);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "lost 1 outcome unknown");
            EXPECT_EQ(rig.step, rig.config().max_resume_attempts);
        });
}

TEST(StreamableLegacy, AStreamWithoutEventIdsCannotBeResumed) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "tools/call") {
                co_await start_events(ctx, exchange);
                (void)co_await exchange.finish(ctx);
            } else {
                co_await plain(rig, ctx, exchange, seen);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "lost 1 outcome unknown");
        });
}

TEST(StreamableLegacy, SplitsBatchesInBodiesAndEvents) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            const std::string batch = R"([{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}])";
            if (rig.step++ == 0) {
                co_await say_json(ctx, exchange, 200, batch);
                co_return;
            }
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange, batch);
            (void)co_await exchange.finish(ctx);
        },
        [](HttpRig& rig) -> Task<void> {
            for (int i = 0; i < 2; ++i) {
                CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/list")));
                EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "notification a");
                EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 1 {}");
            }
        });
}

TEST(StreamableLegacy, ServerRequestsOnAResponseStreamAreAnsweredByPost) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "tools/call") {
                co_await start_events(ctx, exchange);
                co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","id":"s","method":"roots/list"})");
                while (rig.note.empty()) {
                    if (!co_await rig.changed.wait(ctx)) co_return;
                }
                co_await say_event(ctx, exchange, result_for(seen));
                (void)co_await exchange.finish(ctx);
                co_return;
            }
            rig.note = seen.body;
            (void)co_await exchange.respond(ctx, 202, {}, "");
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call")));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "request \"s\" roots/list");
            CO_ASSERT(co_await rig.connection->write(
                watchdog(), Outgoing{.message = ResponseMessage{.id = RequestId("s"), .outcome = Json(JsonObject{})}}));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 1 {}");
            EXPECT_EQ(rig.note, R"({"jsonrpc":"2.0","id":"s","result":{}})");
        });
}

TEST(StreamableLegacy, CloseDoesNotWaitForAServerThatIgnoresDelete) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.method == "DELETE") {
                co_await hold(rig, ctx, exchange);
            } else {
                co_await plain(rig, ctx, exchange, seen);
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await initialize(rig));
            co_await rig.connection->close();
            EXPECT_EQ(rig.count("DELETE"), 1u);
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
        });
}

}  // namespace
}  // namespace gantry::mcp
