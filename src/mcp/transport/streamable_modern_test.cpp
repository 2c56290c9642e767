#include <algorithm>
#include <set>

#include "io/scope.hpp"
#include "mcp/transport/http_rig.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

TEST(StreamableModern, SendsTheHeadersOfTheMessageAndNoSession) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            co_await say_json(ctx, exchange, 200, result_for(seen), {{"Mcp-Session-Id", "poison"}});
        },
        [](HttpRig& rig) -> Task<void> {
            for (int id = 0; id < 2; ++id) {
                auto out = request(id, "tools/call", modern_params({{"name", "grüße"}}));
                out.headers = {{"Mcp-Param-Region", "eu"}};
                CO_ASSERT(co_await rig.connection->write(watchdog(), std::move(out)));
                EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result " + std::to_string(id) + " {}");
                const Seen& seen = rig.seen.back();
                EXPECT_EQ(seen.header("mcp-protocol-version"), "2026-07-28");
                EXPECT_EQ(seen.header("mcp-method"), "tools/call");
                EXPECT_EQ(seen.header("mcp-name"), "=?base64?Z3LDvMOfZQ==?=");
                EXPECT_EQ(seen.header("mcp-param-region"), "eu");
                EXPECT_EQ(seen.header("mcp-session-id"), "-");
                EXPECT_EQ(seen.header("content-type"), "application/json");
                EXPECT_EQ(seen.header("accept"), "application/json, text/event-stream");
            }
            co_await rig.connection->close();
            EXPECT_EQ(rig.count("DELETE"), 0u);
            EXPECT_EQ(rig.count("GET"), 0u);
        });
}

TEST(StreamableModern, DeliversWhatComesOnTheResponseStreamWithTheRequestItBelongsTo) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            co_await start_events(ctx, exchange);
            (void)co_await exchange.write(ctx, ": keep-alive\n\nevent: other\ndata: ignored\n\ndata:\n\n");
            co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","method":"notifications/progress"})");
            co_await say_event(ctx, exchange, "not json");
            co_await say_event(ctx, exchange, result_for(seen));
            (void)co_await exchange.finish(ctx);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request("q", "tools/list", modern_params())));
            auto progress = co_await rig.connection->read(watchdog());
            EXPECT_EQ(text_of(progress), "notification notifications/progress");
            CO_ASSERT(progress && *progress);
            EXPECT_EQ((*progress)->on_stream_of, RequestId("q"));
            auto garbage = co_await rig.connection->read(watchdog());
            CO_ASSERT(!garbage);
            EXPECT_EQ(garbage.error().code(), ErrorCode::kParse);
            EXPECT_FALSE(garbage.error().fatal());
            EXPECT_TRUE(text_of(co_await rig.connection->read(watchdog())).starts_with("result \"q\""));
        });
}

TEST(StreamableModern, ErrorBodiesOfAnyStatusAreAnswers) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            const char* ids[] = {R"("id":5,)", R"("id":null,)", "", R"("id":"server-error",)"};
            const int statuses[] = {404, 400, 500, 400};
            const auto i = static_cast<std::size_t>(rig.step++);
            co_await say_json(
                ctx, exchange, statuses[i],
                R"({"jsonrpc":"2.0",)" + std::string(ids[i]) + R"("error":{"code":-32601,"message":"no"}})");
        },
        [](HttpRig& rig) -> Task<void> {
            for (const int status : {404, 400, 500, 400}) {
                CO_ASSERT(co_await rig.connection->write(watchdog(), request(5, "server/discover", modern_params())));
                auto got = co_await rig.connection->read(watchdog());
                EXPECT_EQ(text_of(got), "error 5 -32601");
                CO_ASSERT(got && *got);
                EXPECT_EQ((*got)->http_status, status);
            }
        });
}

TEST(StreamableModern, TellsTheDetectorStatusTypeAndBodyOfARefusal) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            switch (rig.step++) {
                case 0:
                    (void)co_await exchange.respond(ctx, 405, {{"Content-Type", "Text/HTML; charset=x"}}, "<p>no</p>");
                    co_return;
                case 1:
                    co_await say_json(ctx, exchange, 401,
                                      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"auth"}})",
                                      {{"WWW-Authenticate", "Bearer realm=\"x\""}});
                    co_return;
                case 2: (void)co_await exchange.respond(ctx, 202, {}, ""); co_return;
                case 3: co_await say_json(ctx, exchange, 200, "{\"half\":"); co_return;
                default:
                    (void)co_await exchange.respond(ctx, 200, {{"Content-Type", "text/html"}}, "<html>");
                    co_return;
            }
        },
        [](HttpRig& rig) -> Task<void> {
            const auto attempt = [](HttpRig* r, HttpFailure* failure) -> Task<Error> {
                auto out = request(1, "server/discover", modern_params());
                out.failure = failure;
                auto written = co_await r->connection->write(watchdog(), std::move(out));
                co_return written ? Error(ErrorCode::kInternal, "unexpected success") : written.error();
            };
            HttpFailure html, auth, accepted, half, page;
            EXPECT_EQ((co_await attempt(&rig, &html)).code(), ErrorCode::kUnsupported);
            EXPECT_EQ(html.status, 405);
            EXPECT_EQ(html.content_type, "text/html");
            EXPECT_EQ(html.body_excerpt, "<p>no</p>");
            const Error refused = co_await attempt(&rig, &auth);
            EXPECT_EQ(refused.code(), ErrorCode::kUnauthorized);
            EXPECT_TRUE(refused.rpc());
            EXPECT_EQ(auth.status, 401);
            EXPECT_EQ(auth.www_authenticate, "Bearer realm=\"x\"");
            EXPECT_EQ((co_await attempt(&rig, &accepted)).code(), ErrorCode::kProtocol);
            EXPECT_EQ(accepted.status, 202);
            EXPECT_EQ((co_await attempt(&rig, &half)).code(), ErrorCode::kParse);
            EXPECT_EQ(half.status, 200);
            EXPECT_EQ((co_await attempt(&rig, &page)).code(), ErrorCode::kProtocol);
            EXPECT_EQ(page.content_type, "text/html");
        });
}

TEST(StreamableModern, ManyRequestsRunAtOnceAndAnyOrderOfAnswersIsFine) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            // No request is answered until all have arrived.
            while (rig.seen.size() < 40) {
                if (!co_await rig.changed.wait(ctx)) co_return;
            }
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange, result_for(seen));
            (void)co_await exchange.finish(ctx);
        },
        [](HttpRig& rig) -> Task<void> {
            const auto one = [](HttpRig* r, int id) -> Task<void> {
                EXPECT_TRUE(co_await r->connection->write(watchdog(), request(id, "tools/list", modern_params())));
            };
            Scope scope(watchdog());
            for (int id = 0; id < 40; ++id) scope.spawn(one(&rig, id));
            std::set<std::string> answers;
            for (int i = 0; i < 40; ++i) answers.insert(text_of(co_await rig.connection->read(watchdog())));
            EXPECT_EQ(answers.size(), 40u);
            co_await scope.join();
        });
}

TEST(StreamableModern, RefusesASecondRequestWithAnIdStillWaiting) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            co_await start_events(ctx, exchange);
            (void)co_await exchange.write(ctx, ":\n\n");
            co_await hold(rig, ctx, exchange);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "subscriptions/listen", modern_params())));
            auto again = co_await rig.connection->write(watchdog(), request(1, "tools/list", modern_params()));
            CO_ASSERT(!again);
            EXPECT_EQ(again.error().code(), ErrorCode::kInvalidArgument);
        });
}

TEST(StreamableModern, AbandonClosesTheStreamAndTheServerSeesIt) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "ping") {
                co_await say_json(ctx, exchange, 200, result_for(seen));
                co_return;
            }
            co_await start_events(ctx, exchange);
            (void)co_await exchange.write(ctx, "data: {\"jso");  // stalls in the middle of an event
            co_await hold(rig, ctx, exchange);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call", modern_params())));
            auto nothing = co_await rig.connection->read(watchdog().within(milliseconds(50)));
            CO_ASSERT(!nothing);
            EXPECT_EQ(nothing.error().code(), ErrorCode::kTimeout);
            co_await rig.connection->abandon(RequestId(1));
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
            // Nothing is reported about it, and the id can be used again.
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "ping", modern_params())));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 1 {}");
        });
}

TEST(StreamableModern, AbandonEndsAWriteThatStillWaitsForTheHead) {
    run_rig([](HttpRig& rig, const Context& ctx, http::Exchange& exchange,
               const Seen&) -> Task<void> { co_await hold(rig, ctx, exchange); },
            [](HttpRig& rig) -> Task<void> {
                const auto abandon = [](HttpRig* r) -> Task<void> {
                    EXPECT_TRUE(co_await r->until([](HttpRig& x) { return x.seen.size() == 1; }));
                    co_await r->connection->abandon(RequestId(1));
                };
                Scope scope(watchdog());
                scope.spawn(abandon(&rig));
                auto written = co_await rig.connection->write(watchdog(), request(1, "tools/call", modern_params()));
                co_await scope.join();
                CO_ASSERT(!written);
                EXPECT_EQ(written.error().code(), ErrorCode::kCancelled);
                EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
            });
}

TEST(StreamableModern, ABrokenStreamIsLostAndNotResumed) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            co_await start_events(ctx, exchange);
            co_await say_event(ctx, exchange, R"({"jsonrpc":"2.0","method":"notifications/progress"})", "7");
            (void)co_await exchange.finish(ctx);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call", modern_params())));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "notification notifications/progress");
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "lost 1 outcome unknown");
            EXPECT_EQ(rig.count("GET"), 0u);
        });
}

TEST(StreamableModern, AnEventOverTheLimitLosesItsRequestOnly) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "ping") {
                co_await say_json(ctx, exchange, 200, result_for(seen));
                co_return;
            }
            co_await start_events(ctx, exchange);
            std::string flood = "data: ";
            while (co_await exchange.write(ctx, flood)) flood.assign(64u << 10, 'x');
            ++rig.disconnects;
        },
        [](HttpRig& rig) -> Task<void> {
            auto config = rig.config();
            config.http.max_event_bytes = 1u << 20;
            co_await rig.connect(std::move(config));
            CO_ASSERT(rig.connection);
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/call", modern_params())));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "lost 1 limit exceeded");
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(2, "ping", modern_params())));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 2 {}");
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
        },
        false);
}

TEST(StreamableModern, ABodyOverTheLimitIsALimitError) {
    run_rig([](HttpRig&, const Context& ctx, http::Exchange& exchange,
               const Seen&) -> Task<void> { co_await say_json(ctx, exchange, 200, std::string(5000, ' ')); },
            [](HttpRig& rig) -> Task<void> {
                auto config = rig.config();
                config.http.max_body_bytes = 4096;
                co_await rig.connect(std::move(config));
                CO_ASSERT(rig.connection);
                auto written = co_await rig.connection->write(watchdog(), request(1, "tools/call", modern_params()));
                CO_ASSERT(!written);
                EXPECT_EQ(written.error().code(), ErrorCode::kLimit);
            },
            false);
}

TEST(StreamableModern, CloseEndsWritesReadsAndStreams) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.rpc_method() == "stream") {
                co_await start_events(ctx, exchange);
                (void)co_await exchange.write(ctx, ":\n\n");
            }
            co_await hold(rig, ctx, exchange);
        },
        [](HttpRig& rig) -> Task<void> {
            const auto close = [](HttpRig* r) -> Task<void> {
                EXPECT_TRUE(co_await r->until([](HttpRig& x) { return x.seen.size() == 2; }));
                co_await r->connection->close();
            };
            const auto read = [](HttpRig* r) -> Task<void> {
                EXPECT_EQ(text_of(co_await r->connection->read(watchdog())), "end");
            };
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "stream", modern_params())));
            Scope scope(watchdog());
            scope.spawn(close(&rig));
            scope.spawn(close(&rig));
            scope.spawn(read(&rig));
            auto written = co_await rig.connection->write(watchdog(), request(2, "tools/call", modern_params()));
            CO_ASSERT(!written);
            EXPECT_EQ(written.error().code(), ErrorCode::kConnection);
            EXPECT_TRUE(written.error().fatal());
            co_await scope.join();
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 2; }));
        });
}

}  // namespace
}  // namespace gantry::mcp
