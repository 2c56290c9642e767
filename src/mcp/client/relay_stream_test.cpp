// Answers too large to hold, over HTTP.

#include "mcp/client/relay_stream.hpp"

#include "base/json/agreement.hpp"
#include "mcp/client/test_relay.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

constexpr Revision kModern = Revision::k2026_07_28;
constexpr std::size_t kHold = 64u << 10;

Result<std::string> cut(std::string_view text, std::uint64_t seed, std::size_t most = 1u << 20) {
    ResultCutter cutter(7, most);
    std::string out;
    while (!text.empty()) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const std::size_t size = std::min<std::size_t>(text.size(), 1 + (seed >> 33) % 9);
        auto part = cutter.feed(text.substr(0, size));
        if (!part) return std::unexpected(part.error());
        out += *part;
        text.remove_prefix(size);
    }
    if (auto finished = cutter.finish(); !finished) return std::unexpected(finished.error());
    return out;
}

TEST(ResultCutter, GivesTheResultWhereverItStandsAndHoweverItIsCut) {
    const std::string result = R"({ "a":[1.50,{"result":"no"}],"id":8 ,"é":"\u0041"})";
    const std::string texts[] = {
        R"({"jsonrpc":"2.0","id":7,"result":)" + result + "}",
        R"( { "result" : )" + result + R"( , "id" : 7 , "jsonrpc":"2.0" } )",
        R"({"x":{"result":1},"error":null,"id":7,"result":)" + result + R"(,"jsonrpc":"2.0"})",
    };
    for (const std::string& text : texts) {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            const auto got = cut(text, seed);
            ASSERT_TRUE(got) << got.error().to_string();
            EXPECT_EQ(*got, result);
        }
    }
}

TEST(ResultCutter, ReplacesLoneSurrogatesHoweverItIsCut) {
    const std::string text =
        R"({"jsonrpc":"2.0","id":7,"result":{"a":"\ud83d","b":"\ud83d\ude00 \ude00\ud83d\n"},"x":"\udc00"})";
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto got = cut(text, seed);
        ASSERT_TRUE(got) << got.error().to_string();
        EXPECT_EQ(*got, R"({"a":"\ufffd","b":"\ud83d\ude00 \ufffd\ufffd\n"})");
    }
    ResultCutter strict(7, 1u << 20, true);
    EXPECT_FALSE(strict.feed(text));
}

TEST(ResultCutter, RefusesWhatIsNoAnswerToTheRequest) {
    const struct {
        const char* text;
        ErrorCode code;
    } cases[] = {
        {R"({"jsonrpc":"2.0","result":{},"id":8})", ErrorCode::kProtocol},
        {R"({"jsonrpc":"2.0","result":{},"id":"7"})", ErrorCode::kProtocol},
        {R"({"jsonrpc":"2.0","result":{}})", ErrorCode::kProtocol},
        {R"({"result":{},"id":7})", ErrorCode::kProtocol},
        {R"({"jsonrpc":"2.0","result":{},"id":7,"method":"x"})", ErrorCode::kProtocol},
        {R"({"jsonrpc":"2.0","result":{},"id":7,"error":{"code":1}})", ErrorCode::kProtocol},
        {R"([{"jsonrpc":"2.0","result":{},"id":7}])", ErrorCode::kProtocol},
        {R"({"jsonrpc":"2.0","id":7,"result":{"a":1,}})", ErrorCode::kParse},
        {R"({"jsonrpc":"2.0","id":7,"result":{"a":1})", ErrorCode::kParse},
        {R"({"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}})", ErrorCode::kParse},
        {R"({"jsonrpc":"2.0","id":7,"result":"0123456789012345678901234567890123456789"})", ErrorCode::kLimit},
    };
    for (const auto& one : cases) {
        const auto got = cut(one.text, 3, 30);
        ASSERT_FALSE(got) << one.text;
        EXPECT_EQ(got.error().code(), one.code) << one.text << got.error().to_string();
    }
}

/// {"content":[{"type":"text","text":"…"}]} with a text of that size.
std::string large_result(std::size_t bytes) {
    return R"({"content":[{"type":"text","text":")" + std::string(bytes, 'x') + R"("}]})";
}

/// The step selects the fault: 0 none, 1 invalid JSON far inside, 2 another id after it, 3 truncated.
Task<void> large(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    const std::string id = rig.step == 2 ? "4711" : seen.json.find("id")->dump();
    std::string result = large_result(3u << 20);
    if (rig.step == 1) result[2u << 20] = '\x01';
    const std::string body = R"({"result":)" + result + R"(,"jsonrpc":"2.0","id":)" + id + "}";
    if (rig.note == "length") co_return co_await say_json(ctx, exchange, 200, body);
    (void)co_await exchange.start(ctx, 200, {{"Content-Type", "application/json"}});
    (void)co_await exchange.write(ctx, rig.step == 3 ? body.substr(0, body.size() / 2) : body);
    if (rig.step != 3) (void)co_await exchange.finish(ctx);
}

Task<Result<std::string>> relayed(RelayRig& rig, std::size_t most) {
    ClientRequest client_request("tools/call", R"({"name":"a"})");
    client_request.request.hold_bytes = kHold;
    client_request.request.max_result_bytes = most;
    auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
    if (!answer) co_return std::unexpected(std::move(answer).error());
    if (!answer->stream) co_return "held";
    co_return co_await drain(*answer->stream);
}

TEST(RelayStream, ALargeResultStreamsWithTheEnvelopeAroundItChecked) {
    run_relay(kModern, large, [](RelayRig& rig) -> Task<void> {
        for (const char* framing : {"chunked", "length"}) {
            rig.http.note = framing;
            const auto whole = co_await relayed(rig, 64u << 20);
            CO_ASSERT(whole);
            EXPECT_EQ(*whole, large_result(3u << 20));
        }
    });
}

TEST(RelayStream, WhatIsWrongWithALargeAnswerComesOutWhileItPasses) {
    run_relay(kModern, large, [](RelayRig& rig) -> Task<void> {
        using enum ErrorCode;
        rig.http.step = 1;
        for (const ErrorCode code : {kParse, kProtocol, kOutcomeUnknown}) {
            const auto broken = co_await relayed(rig, 64u << 20);
            CO_ASSERT(!broken);
            EXPECT_EQ(broken.error().code(), code) << broken.error().to_string();
            ++rig.http.step;
        }
        rig.http.step = 0;
        for (const char* framing : {"chunked", "length"}) {
            rig.http.note = framing;
            const auto limited = co_await relayed(rig, 1u << 20);
            CO_ASSERT(!limited);
            EXPECT_EQ(limited.error().code(), kLimit);
        }
    });
}

/// 32 MB, written as fast as the client reads it; the step counts the megabytes sent.
Task<void> endless(HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (co_await served(rig, ctx, exchange, seen)) co_return;
    (void)co_await exchange.start(ctx, 200, {{"Content-Type", "application/json"}});
    (void)co_await exchange.write(ctx,
                                  R"({"jsonrpc":"2.0","id":)" + seen.json.find("id")->dump() + R"(,"result":{"t":")");
    const std::string piece(1u << 20, 'y');
    for (; rig.step < 32; ++rig.step) {
        if (!co_await exchange.write(ctx, piece)) break;
    }
    if (rig.step == 32) {
        (void)co_await exchange.write(ctx, R"("}})");
        (void)co_await exchange.finish(ctx);
    } else {
        ++rig.disconnects;
    }
    rig.changed.pulse();
}

TEST(RelayStream, NoMoreIsReadThanIsTakenAndPiecesStaySmall) {
    run_relay(kModern, endless, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.hold_bytes = kHold;
        auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
        CO_ASSERT(answer && answer->stream);
        std::size_t total = 0;
        std::size_t longest = 0;
        for (int pieces = 0;; ++pieces) {
            auto piece = co_await answer->stream->next(watchdog());
            CO_ASSERT(piece);
            if (!*piece) break;
            if (pieces == 0) EXPECT_LT(rig.http.step, 24);
            total += (*piece)->size();
            longest = std::max(longest, (*piece)->size());
        }
        EXPECT_EQ(total, (32u << 20) + 8);
        EXPECT_LE(longest, 2 * kHold);
        // A further call reports the end again.
        const auto again = co_await answer->stream->next(watchdog());
        EXPECT_TRUE(again && !*again);
    });
}

TEST(RelayStream, DroppingItClosesTheConnection) {
    run_relay(kModern, endless, [](RelayRig& rig) -> Task<void> {
        ClientRequest client_request("tools/call", R"({"name":"a"})");
        client_request.request.hold_bytes = kHold;
        {
            auto answer = co_await rig.client->relay(watchdog(), client_request.request, false);
            CO_ASSERT(answer && answer->stream);
        }
        EXPECT_TRUE(co_await rig.http.until([](HttpRig& http) { return http.disconnects == 1; }));
    });
}

TEST(RelayStream, AnErrorIsHeldHoweverLongItIs) {
    run_relay(
        kModern,
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (co_await served(rig, ctx, exchange, seen)) co_return;
            co_await say_json(ctx, exchange, 200,
                              R"({"jsonrpc":"2.0","id":)" + seen.json.find("id")->dump() +
                                  R"(,"error":{"code":-5,"message":")" + std::string(200'000, 'e') + "\"}}");
        },
        [](RelayRig& rig) -> Task<void> {
            const auto refused = co_await relayed(rig, 1u << 20);
            CO_ASSERT(!refused && refused.error().rpc());
            EXPECT_EQ(refused.error().rpc()->code, -5);
        });
}

}  // namespace
}  // namespace gantry::mcp
