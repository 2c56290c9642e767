#include "mcp/transport/http_sse.hpp"

#include "io/scope.hpp"
#include "mcp/transport/http_rig.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

Task<Result<void>> open(HttpRig& rig) {
    HttpSseConfig config;
    config.http.url = rig.url("/v1/sse");
    config.http.client = &rig.client;
    config.endpoint_timeout = seconds(30);
    HttpSseTransport transport(std::move(config));
    EXPECT_TRUE(transport.describe().starts_with("http+sse http://127.0.0.1:"));
    auto made = co_await transport.connect(watchdog());
    if (!made) co_return std::unexpected(std::move(made).error());
    rig.connection = *std::move(made);
    co_return Result<void>();
}

Task<void> say_endpoint(const Context& ctx, http::Exchange& exchange, std::string endpoint) {
    co_await start_events(ctx, exchange);
    (void)co_await exchange.write(ctx, "event: endpoint\ndata: " + endpoint + "\n\n");
}

/// Answers POSTs on the GET stream; the note holds what has not been sent there yet, "end" ends it.
Task<void> classic(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.method == "POST") {
        const int status = seen.rpc_method() == "refuse" ? 400 : rig.step++ % 2 == 0 ? 202 : 200;
        rig.note = seen.rpc_method() == "end" ? "end" : result_for(seen);
        (void)co_await exchange.respond(ctx, status, {}, status == 200 ? "Accepted" : "");
        co_return;
    }
    co_await say_endpoint(ctx, exchange, "messages?sessionId=7");
    for (;;) {
        while (rig.note.empty()) {
            if (!co_await rig.changed.wait(ctx)) co_return;
        }
        if (rig.note == "end") break;
        co_await say_event(ctx, exchange, std::exchange(rig.note, ""));
    }
    (void)co_await exchange.finish(ctx);
}

TEST(HttpSse, PostsToTheEndpointResolvedAgainstTheStreamAndReadsTheStream) {
    run_rig(
        classic,
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await open(rig));
            for (int id = 0; id < 3; ++id) {
                EXPECT_TRUE(co_await rig.connection->write(watchdog(), request(id, "ping")));
                EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result " + std::to_string(id) + " {}");
            }
            EXPECT_EQ(rig.seen.back().target, "/v1/messages?sessionId=7");
            EXPECT_EQ(rig.seen.front().header("accept"), "text/event-stream");
        },
        false);
}

TEST(HttpSse, TheEndOfTheStreamIsTheEndOfTheConnection) {
    run_rig(
        classic,
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await open(rig));
            EXPECT_TRUE(co_await rig.connection->write(watchdog(), notification("end")));
            EXPECT_TRUE(text_of(co_await rig.connection->read(watchdog())).starts_with("fatal connection"));
            auto written = co_await rig.connection->write(watchdog(), notification("late"));
            CO_ASSERT(!written);
            EXPECT_TRUE(written.error().fatal());
        },
        false);
}

TEST(HttpSse, TellsTheStatusOfARefusedPost) {
    run_rig(
        classic,
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await open(rig));
            HttpFailure failure;
            auto out = notification("refuse");
            out.failure = &failure;
            EXPECT_FALSE((co_await rig.connection->write(watchdog(), std::move(out))).has_value());
            EXPECT_EQ(failure.status, 400);
        },
        false);
}

TEST(HttpSse, RefusesAnEndpointOnAnotherOrigin) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            co_await say_endpoint(ctx, exchange, "http://evil.example/messages");
            co_await hold(rig, ctx, exchange);
        },
        [](HttpRig& rig) -> Task<void> {
            auto opened = co_await open(rig);
            CO_ASSERT(!opened);
            EXPECT_EQ(opened.error().code(), ErrorCode::kDenied);
            EXPECT_TRUE(opened.error().message().contains("http://evil.example")) << opened.error().message();
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
        },
        false);
}

TEST(HttpSse, SaysWhyThereIsNoSuchStream) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            switch (rig.step++) {
                case 0: (void)co_await exchange.respond(ctx, 404, {}, ""); co_return;
                case 1: co_await say_json(ctx, exchange, 200, "{}"); co_return;
                default:
                    co_await start_events(ctx, exchange);
                    (void)co_await exchange.finish(ctx);
                    co_return;
            }
        },
        [](HttpRig& rig) -> Task<void> {
            for (const ErrorCode code : {ErrorCode::kNotFound, ErrorCode::kUnsupported, ErrorCode::kUnsupported}) {
                auto opened = co_await open(rig);
                CO_ASSERT(!opened);
                EXPECT_EQ(opened.error().code(), code);
            }
        },
        false);
}

TEST(HttpSse, CloseEndsTheStreamAndWakesTheReader) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            co_await say_endpoint(ctx, exchange, "/m");
            co_await hold(rig, ctx, exchange);
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await open(rig));
            const auto read = [](HttpRig* r) -> Task<void> {
                EXPECT_EQ(text_of(co_await r->connection->read(watchdog())), "end");
            };
            Scope scope(watchdog());
            scope.spawn(read(&rig));
            co_await yield_now();
            co_await rig.connection->close();
            co_await scope.join();
            EXPECT_TRUE(co_await rig.until([](HttpRig& r) { return r.disconnects == 1; }));
        },
        false);
}

}  // namespace
}  // namespace gantry::mcp
