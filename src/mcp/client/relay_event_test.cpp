// Answers too large to hold that arrive as an event of the request's stream.

#include <algorithm>

#include "mcp/client/relay_http.hpp"
#include "mcp/client/test_relay.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

constexpr Revision kModern = Revision::k2026_07_28;
constexpr Revision kLegacy = Revision::k2025_11_25;
constexpr std::size_t kHold = 64u << 10;
constexpr std::size_t kText = 3u << 20;

std::string id_of(const Seen& seen) {
    return seen.json.find("id")->dump();
}

std::string progress(const Seen& seen, int value) {
    return R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + id_of(seen) +
           R"(,"progress":)" + std::to_string(value) + "}}";
}

/// The block of an answer whose result is {"t":"xxx…"}, as specified in the rig's note.
std::string block(const std::string& how, const Seen& seen) {
    const std::string text(kText, 'x');
    const std::string head = R"({"jsonrpc":"2.0","id":)" + id_of(seen) + R"(,"result":{"t":")";
    if (how == "id last") {
        return R"(data: {"result":{"t":")" + text + R"("},"jsonrpc":"2.0","id":)" + id_of(seen) + "}\n\n";
    }
    if (how == "fields first") return "event: message\nid: e7\nretry: 5\ndata: " + head + text + "\"}}\n\n";
    if (how == "fields last") return "data: " + head + text + "\"}}\nretry: 5\n: why not\nid: e7\nevent: message\n\n";
    if (how == "crlf") return "event: message\r\ndata: " + head + text + "\"}}\r\n\r\n";
    if (how == "newline in a string") return "data: " + head + text + "\ndata: \"}}\n\n";
    if (how == "bad utf-8") return "data: " + head + text + "\xC3\"}}\n\n";
    if (how == "duplicate key") return "data: " + head + text + "\",\"t\":1}}\n\n";
    if (how == "another id behind")
        return R"(data: {"result":{"t":")" + text +
               R"("},"jsonrpc":"2.0","id":4711})"
               "\n\n";
    if (how == "another name behind") return "data: " + head + text + "\"}}\nevent: other\n\n";
    if (how == "end of the stream") return "data: " + head + text;
    if (how == "a notification") {
        return R"(data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":")" + text + "\"}}\n\n";
    }
    if (how == "an error") {
        return R"(data: {"jsonrpc":"2.0","id":)" + id_of(seen) + R"(,"error":{"code":-5,"message":")" +
               std::string(200'000, 'e') + "\"}}\n\n";
    }
    return "data: " + head + text + "\"}}\n\n";
}

Task<void> serve_blocks(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    co_await start_events(ctx, exchange);
    co_await say_event(ctx, exchange, progress(seen, 1));
    (void)co_await exchange.write(ctx, "event: other\ndata: " + std::string(2 * kHold, 'o') + "\n\n");
    (void)co_await exchange.write(ctx, block(rig.note, seen));
    co_await say_event(ctx, exchange, progress(seen, 2));
    (void)co_await exchange.finish(ctx);
}

Task<Result<std::string>> relayed(RelayRig& rig, std::size_t most = 64u << 20) {
    ClientRequest client_request("tools/call", R"({"name":"a"})");
    client_request.request.hold_bytes = kHold;
    client_request.request.max_result_bytes = most;
    client_request.request.wants_progress = true;
    client_request.request.hooks.on_progress = [&rig](std::string_view, const json::ParamsView&) {
        rig.heard.emplace_back("progress");
    };
    auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
    if (!answer) co_return std::unexpected(std::move(answer).error());
    if (!answer->stream) co_return "held";
    co_return co_await drain(*answer->stream);
}

TEST(RelayEvent, ALargeEventStreamsWhateverStandsAroundItsData) {
    for (const Revision revision : {kModern, kLegacy}) {
        run_relay(revision, serve_blocks, [](RelayRig& rig) -> Task<void> {
            for (const char* how : {"plain", "id last", "fields first", "fields last", "crlf"}) {
                rig.http.note = how;
                rig.heard.clear();
                const auto whole = co_await relayed(rig);
                CO_ASSERT(whole);
                EXPECT_EQ(*whole, R"({"t":")" + std::string(kText, 'x') + "\"}") << how;
                EXPECT_EQ(rig.heard.size(), 1u) << how;
            }
        });
    }
}

TEST(RelayEvent, DataLinesMayEndBetweenTokens) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            co_await start_events(ctx, exchange);
            (void)co_await exchange.write(ctx, R"(data: {"jsonrpc":"2.0","id":)" + id_of(seen) + ",\n: a comment\n");
            (void)co_await exchange.write(ctx, "data: \"result\":[0\n");
            for (int i = 0; i < 100'000; ++i) (void)co_await exchange.write(ctx, "data: ,12345\n");
            (void)co_await exchange.write(ctx, "data: ]\ndata\ndata: }\n\n");
            (void)co_await exchange.finish(ctx);
        },
        [](RelayRig& rig) -> Task<void> {
            const auto whole = co_await relayed(rig);
            CO_ASSERT(whole);
            std::string expected = "[0\n";
            for (int i = 0; i < 100'000; ++i) expected += ",12345\n";
            EXPECT_EQ(*whole, expected + "]");
        });
}

TEST(RelayEvent, WhatIsWrongWithALargeEventComesOutWhileItPasses) {
    const struct {
        const char* how;
        ErrorCode code;
    } rows[] = {
        {"newline in a string", ErrorCode::kParse},    {"bad utf-8", ErrorCode::kParse},
        {"duplicate key", ErrorCode::kParse},          {"another id behind", ErrorCode::kProtocol},
        {"another name behind", ErrorCode::kProtocol}, {"end of the stream", ErrorCode::kOutcomeUnknown},
        {"a notification", ErrorCode::kProtocol},
    };
    static const char* how = nullptr;
    static ErrorCode code{};
    for (const auto& row : rows) {
        how = row.how;
        code = row.code;
        run_relay(
            kModern,
            [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
                if (co_await served(rig, ctx, exchange, seen)) co_return;
                co_await start_events(ctx, exchange);
                (void)co_await exchange.write(ctx, block(how, seen));
                (void)co_await exchange.finish(ctx);
            },
            [](RelayRig& rig) -> Task<void> {
                const auto broken = co_await relayed(rig);
                CO_ASSERT(!broken);
                EXPECT_EQ(broken.error().code(), code) << how << ": " << broken.error().to_string();
            });
    }
}

TEST(RelayEvent, MoreThanMayPassIsRefusedAndTheNextRequestWorks) {
    run_relay(kModern, serve_blocks, [](RelayRig& rig) -> Task<void> {
        const auto refused = co_await relayed(rig, 1u << 20);
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
        EXPECT_TRUE(refused.error().message().contains("1048576 bytes")) << refused.error().message();
        EXPECT_TRUE(co_await relayed(rig));
    });
}

TEST(RelayEvent, AnErrorIsHeldHoweverLongItIs) {
    run_relay(kModern, serve_blocks, [](RelayRig& rig) -> Task<void> {
        rig.http.note = "an error";
        const auto refused = co_await relayed(rig);
        CO_ASSERT(!refused && refused.error().rpc());
        EXPECT_EQ(refused.error().rpc()->code, -5);
    });
}

/// A legacy stream that breaks: at step 0 early in the answer, at step 1 in the middle of it.
Task<void> breaks(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.method == "GET" && seen.header("last-event-id") == "e1") {
        co_await start_events(ctx, exchange);
        (void)co_await exchange.write(ctx, rig.note);
        (void)co_await exchange.finish(ctx);
        co_return;
    }
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    rig.note = block("fields first", seen);
    co_await start_events(ctx, exchange);
    co_await say_event(ctx, exchange, progress(seen, 1), "e1", milliseconds(1));
    (void)co_await exchange.write(ctx, rig.note.substr(0, rig.step == 0 ? kHold / 2 : kText / 2));
    (void)co_await exchange.finish(ctx);
}

TEST(RelayEvent, ABrokenStreamIsResumedOnlyWhileNothingOfTheAnswerHasPassed) {
    run_relay(kLegacy, breaks, [](RelayRig& rig) -> Task<void> {
        const auto asked_for_the_rest = [&rig] {
            return std::ranges::count_if(rig.http.seen,
                                         [](const Seen& one) { return one.header("last-event-id") == "e1"; });
        };
        const auto whole = co_await relayed(rig);
        CO_ASSERT(whole);
        EXPECT_EQ(whole->size(), kText + 8);
        EXPECT_EQ(asked_for_the_rest(), 1);
        rig.http.step = 1;
        const auto broken = co_await relayed(rig);
        CO_ASSERT(!broken);
        EXPECT_EQ(broken.error().code(), ErrorCode::kOutcomeUnknown) << broken.error().to_string();
        EXPECT_EQ(asked_for_the_rest(), 1) << "what was passed on cannot be taken back";
    });
}

/// 32 MB in one event, written as fast as the client reads it; the step counts the megabytes sent.
Task<void> endless(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    co_await start_events(ctx, exchange);
    (void)co_await exchange.write(ctx, R"(data: {"jsonrpc":"2.0","id":)" + id_of(seen) + R"(,"result":{"t":")");
    const std::string piece(1u << 20, 'y');
    for (; rig.step < 32; ++rig.step) {
        if (!co_await exchange.write(ctx, piece)) break;
    }
    if (rig.step < 32) {
        ++rig.disconnects;
        co_return rig.changed.pulse();
    }
    (void)co_await exchange.write(ctx, "\"}}\n\n");
    (void)co_await exchange.finish(ctx);
}

TEST(RelayEvent, NoMoreIsReadThanIsTakenAndPiecesStaySmall) {
    run_relay(kModern, endless, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(answer && answer->stream);
        EXPECT_LT(rig.http.step, 24);
        std::size_t total = 0;
        std::size_t longest = 0;
        for (;;) {
            auto piece = co_await answer->stream->next(watchdog());
            CO_ASSERT(piece);
            if (!*piece) break;
            total += (*piece)->size();
            longest = std::max(longest, (*piece)->size());
        }
        EXPECT_EQ(total, (32u << 20) + 8);
        EXPECT_LE(longest, 2 * kHold) << "also of what was held at first";
    });
}

TEST(RelayEvent, DroppingItClosesTheConnection) {
    run_relay(kModern, endless, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        {
            auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(answer && answer->stream);
        }
        EXPECT_TRUE(co_await rig.http.until([](HttpRig& http) { return http.disconnects == 1; }));
    });
}

}  // namespace
}  // namespace gantry::mcp
