#include "io/http/server.hpp"

#include <gmock/gmock.h>

#include <array>

#include "io/http/http_test_support.hpp"
#include "io/http/smuggling_cases.hpp"
#include "io/sync.hpp"

namespace gantry::http::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServerTest : public HttpTest {};

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

Task<void> check_smuggling(std::uint16_t port) {
    for (const SmugglingCase& c : kSmugglingCases) {
        // The second request must never be handled, neither answered nor read as part of the first.
        const std::string answer =
            co_await talk(port, std::string(c.request) + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(c.status) + " ")) << c.name;
        EXPECT_EQ(count(answer, "HTTP/1.1 "), 1u) << c.name;
        EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n")) << c.name;
    }
}

TEST_F(ServerTest, AnswersEverySmugglingFormWithItsStatusAndCloses) {
    run(check_smuggling(serve(echo).port()));
}

Task<void> check_bad_chunks(std::uint16_t port) {
    for (const std::string_view bad : kBadChunks) {
        const std::string answer =
            co_await talk(port, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(bad) +
                                    "GET /second HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 4")) << bad;
        EXPECT_EQ(count(answer, "HTTP/1.1 "), 1u) << bad;
    }
}

TEST_F(ServerTest, RefusesBadChunkedBodies) {
    run(check_bad_chunks(serve(echo).port()));
}

Task<void> check_splits(std::uint16_t port) {
    const std::string requests =
        "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n"
        "\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
        "GET /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    for (std::size_t cut = 1; cut < requests.size(); ++cut) {
        const std::string answer = co_await talk(port, requests, cut);
        const std::size_t a = answer.find("POST /a abcde");
        const std::size_t b = answer.find("POST /b body");
        const std::size_t c = answer.find("GET /c ");
        EXPECT_TRUE(a < b && b < c && c != std::string::npos) << "cut at " << cut << ": " << answer;
    }
}

TEST_F(ServerTest, PipelinedRequestsAreAnsweredInOrderWhereverTheBytesAreCut) {
    run(check_splits(serve(echo).port()));
}

Task<void> check_versions(std::uint16_t port) {
    std::string answer = co_await talk(port, "HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Content-Length: 8\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
    answer = co_await talk(port, "GET /old HTTP/1.0\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_THAT(answer, EndsWith("GET /old "));
    answer = co_await talk(
        port, "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Connection: keep-alive\r\n"));
    EXPECT_THAT(answer, EndsWith("GET /2 "));
}

TEST_F(ServerTest, SpeaksHeadAndHttp10) {
    run(check_versions(serve(echo).port()));
}

Task<void> stream_three(const Context& ctx, Exchange& exchange) {
    const Headers headers{{"Content-Type", "text/event-stream"}};
    const bool fixed = exchange.target() == "/fixed";
    if (!co_await exchange.start(ctx, 200, headers, fixed ? std::optional<std::uint64_t>(6) : std::nullopt)) co_return;
    for (const std::string_view piece : {"ab", "", "cd", "ef"}) {
        if (!co_await exchange.write(ctx, piece)) co_return;
    }
    (void)co_await exchange.finish(ctx);
}

Task<void> check_streaming(std::uint16_t port) {
    std::string answer = co_await talk(port, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: chunked\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\n2\r\nab\r\n2\r\ncd\r\n2\r\nef\r\n0\r\n\r\n"));
    answer = co_await talk(port, "GET / HTTP/1.0\r\n\r\n");
    EXPECT_THAT(answer, Not(HasSubstr("chunked")));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nabcdef"));
    answer = co_await talk(port, "GET /fixed HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, HasSubstr("Content-Length: 6\r\n"));
    EXPECT_THAT(answer, EndsWith("\r\n\r\nabcdef"));
    answer = co_await talk(port, "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, StreamsChunkedOrUntilCloseOrWithLength) {
    run(check_streaming(serve(stream_three).port()));
}

Task<void> answer_in_pieces(const Context& ctx, Exchange& exchange) {
    const std::string large(exchange.target() == "/large" ? 600'000 : 3, 'b');
    const std::array<std::string_view, 4> pieces{"a", large, "", "c"};
    const Headers headers{{"Content-Type", "text/plain"}};
    (void)co_await exchange.respond_pieces(ctx, 200, headers, pieces);
}

Task<void> check_pieces(std::uint16_t port) {
    const std::string small = co_await talk(port, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(small, HasSubstr("Content-Length: 5\r\n"));
    EXPECT_THAT(small, EndsWith("\r\n\r\nabbbc"));
    const std::string large = co_await talk(port, "GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(large, HasSubstr("Content-Length: 600002\r\n"));
    EXPECT_EQ(large.size() - large.find("\r\n\r\n"), 600'006u);
    const std::string head = co_await talk(port, "HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(head, EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, ABodyInPiecesIsOneBody) {
    run(check_pieces(serve(answer_in_pieces).port()));
}

struct Parting {
    Event proceed;
    bool done = false;
};

Task<void> answer_and_go_on(const Context& ctx, Exchange& exchange, Parting& state) {
    const Headers headers;
    (void)co_await exchange.start_with(ctx, 200, headers, std::nullopt, "early");
    EXPECT_TRUE((co_await exchange.finish_and_part(ctx)).has_value());
    EXPECT_TRUE((co_await state.proceed.wait(ctx)).has_value());
    state.done = true;
}

Task<void> check_parting(std::uint16_t port, Parting& state) {
    const std::string answer = co_await talk(port, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_THAT(answer, EndsWith("early\r\n0\r\n\r\n")) << "whole, and the connection ended";
    EXPECT_FALSE(state.done);
    state.proceed.set();
    for (int i = 0; i < 100 && !state.done; ++i) co_await yield_now();
    EXPECT_TRUE(state.done);
}

TEST_F(ServerTest, AHandlerMayGoOnWorkingAfterItHasParted) {
    Parting state;
    const auto handler = [&](const Context& ctx, Exchange& exchange) { return answer_and_go_on(ctx, exchange, state); };
    run(check_parting(serve(handler).port(), state));
}

Task<void> check_continue(std::uint16_t port) {
    auto client = co_await RawClient::connect(port);
    CO_ASSERT(client);
    CO_ASSERT(co_await client->send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"));
    EXPECT_EQ(co_await client->read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    CO_ASSERT(co_await client->send("body"));
    EXPECT_THAT(co_await client->read_until("body"), StartsWith("HTTP/1.1 200 OK\r\n"));
    // Rejected before the body is sent: the final response arrives at once.
    CO_ASSERT(
        co_await client->send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4000\r\n\r\n"));
    EXPECT_THAT(co_await client->read_to_end(), StartsWith("HTTP/1.1 413 "));
}

TEST_F(ServerTest, SendsContinueWhenTheBodyIsWanted) {
    run(check_continue(serve(echo, {.max_body_bytes = 1000}).port()));
}

Task<void> check_limits(std::uint16_t port) {
    const std::string host = "GET / HTTP/1.1\r\nHost: h\r\n";
    EXPECT_THAT(co_await talk(port, host + "X: " + std::string(2000, 'x') + "\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(co_await talk(port, host + "A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\n\r\n"), StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(
        co_await talk(port, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x')),
        StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(co_await talk(port, "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n" +
                                        std::string(101, 'x') + "\r\n0\r\n\r\n"),
                StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(co_await talk(port, "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 100\r\n\r\n" +
                                        std::string(100, 'x')),
                StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerTest, HeadFieldAndBodyLimitsAnswerAndClose) {
    run(check_limits(serve(echo, {.max_head_bytes = 1000, .max_head_fields = 4, .max_body_bytes = 100}).port()));
}

Task<void> check_slow(std::uint16_t port) {
    auto head = co_await RawClient::connect(port);
    auto body = co_await RawClient::connect(port);
    auto idle = co_await RawClient::connect(port);
    CO_ASSERT(head && body && idle);
    CO_ASSERT(co_await head->send("GET / HTTP/1.1\r\nHo"));
    CO_ASSERT(co_await body->send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12"));
    EXPECT_THAT(co_await head->read_to_end(), StartsWith("HTTP/1.1 408 "));
    EXPECT_THAT(co_await body->read_to_end(), StartsWith("HTTP/1.1 408 "));
    EXPECT_EQ(co_await idle->read_to_end(), "");
}

TEST_F(ServerTest, SlowHeadsAndBodiesEndIn408AndIdleConnectionsEndSilently) {
    run(check_slow(
        serve(echo,
              {.head_timeout = milliseconds(60), .idle_timeout = milliseconds(60), .body_timeout = milliseconds(60)})
            .port()));
}

struct SlowReader {
    Event failed;
    std::optional<ErrorCode> code;
    std::uint64_t written = 0;

    Task<void> pour(const Context& ctx, Exchange& exchange) {
        const Headers headers;
        const std::string piece(64u << 10, 'x');
        auto sent = co_await exchange.start(ctx, 200, headers, std::nullopt);
        while (sent) {
            sent = co_await exchange.write(ctx, piece);
            if (sent) written += piece.size();
        }
        code = sent.error().code();
        failed.set();
    }
};

Task<void> check_slow_reader(std::uint16_t port, SlowReader& state) {
    auto client = co_await RawClient::connect(port);
    CO_ASSERT(client);
    CO_ASSERT(co_await client->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    CO_ASSERT_OK(co_await state.failed.wait(patiently()));  // the client reads nothing meanwhile
    EXPECT_EQ(state.code, ErrorCode::kTimeout);
    EXPECT_LT(state.written, 64u << 20);
}

TEST_F(ServerTest, ClientThatDoesNotReadIsCutOff) {
    SlowReader state;
    run(check_slow_reader(
        serve([&](const Context& ctx, Exchange& e) { return state.pour(ctx, e); }, {.write_timeout = milliseconds(100)})
            .port(),
        state));
}

struct Disconnect {
    Event started;
    Event noticed;
    bool glanced = false;

    Task<void> wait(const Context& ctx, Exchange& exchange) {
        EXPECT_FALSE(exchange.disconnected());
        started.set();
        const auto gone = co_await exchange.wait_for_disconnect(ctx);
        EXPECT_EQ(gone.error().code(), ErrorCode::kConnection);
        glanced = exchange.disconnected();
        noticed.set();
    }
};

Task<void> check_disconnect(std::uint16_t port, Disconnect& state) {
    auto client = co_await RawClient::connect(port);
    CO_ASSERT(client);
    CO_ASSERT(co_await client->send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok"));
    CO_ASSERT_OK(co_await state.started.wait(patiently()));
    client->stream().close();
    CO_ASSERT_OK(co_await state.noticed.wait(patiently()));
    EXPECT_TRUE(state.glanced);
}

TEST_F(ServerTest, HandlerLearnsThatItsClientWentAway) {
    Disconnect state;
    run(check_disconnect(serve([&](const Context& ctx, Exchange& e) { return state.wait(ctx, e); }).port(), state));
}

Task<void> misbehave(const Context& ctx, Exchange& exchange) {
    const Headers none;
    if (exchange.target() == "/silent") co_return;
    if (exchange.target() == "/throw") throw std::runtime_error("bug");
    if (exchange.target() == "/split") {
        const Headers bad{{"X", "a\r\nSet-Cookie: b"}};
        const auto refused = co_await exchange.respond(ctx, 200, bad, "");
        EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
        co_return;
    }
    if (exchange.target() == "/short") {
        if (!co_await exchange.start(ctx, 200, none, 10)) co_return;
        if (!co_await exchange.write(ctx, "12345")) co_return;
        EXPECT_FALSE(co_await exchange.finish(ctx));
        co_return;
    }
    if (exchange.target() == "/abandon") {
        if (!co_await exchange.start(ctx, 200, none, std::nullopt)) co_return;
        (void)co_await exchange.write(ctx, "half");
        co_return;
    }
    EXPECT_TRUE(co_await exchange.respond(ctx, 200, none, "fine"));
    EXPECT_FALSE(co_await exchange.respond(ctx, 200, none, "twice"));
}

Task<void> check_misbehaviour(std::uint16_t port) {
    const auto get = [](std::string_view target) {
        return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
    };
    const std::string last = "GET /ok HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    EXPECT_THAT(co_await talk(port, get("/silent") + last), StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(co_await talk(port, get("/throw")), StartsWith("HTTP/1.1 500 "));
    std::string answer = co_await talk(port, get("/split") + last);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(answer, Not(HasSubstr("Set-Cookie")));
    EXPECT_THAT(co_await talk(port, get("/short") + last), EndsWith("12345"));
    answer = co_await talk(port, get("/abandon") + last);
    EXPECT_THAT(answer, EndsWith("4\r\nhalf\r\n"));
    EXPECT_THAT(co_await talk(port, last), EndsWith("fine"));
}

TEST_F(ServerTest, UnansweredIs500AndBrokenAnswersAreNeverCompleted) {
    run(check_misbehaviour(serve(misbehave).port()));
}

Task<void> answer_unread(const Context& ctx, Exchange& exchange) {
    const Headers none;
    (void)co_await exchange.respond(ctx, 200, none, exchange.target());
}

Task<void> check_unread(std::uint16_t port) {
    const std::string answer =
        co_await talk(port, "POST /1 HTTP/1.1\r\nHost: h\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x') +
                                "GET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(answer, EndsWith("/2"));
    EXPECT_EQ(count(answer, "HTTP/1.1 200"), 2u);
}

TEST_F(ServerTest, UnreadBodyDoesNotBecomeTheNextRequest) {
    run(check_unread(serve(answer_unread).port()));
}

struct Gate {
    Event entered;
    Event open;
    std::optional<ErrorCode> ended;

    Task<void> hold(const Context& ctx, Exchange& exchange) {
        entered.set();
        if (const auto waited = co_await open.wait(ctx); !waited) {
            ended = waited.error().code();
            co_return;
        }
        const Headers none;
        (void)co_await exchange.respond(ctx, 200, none, "done");
    }
};

Task<void> release(Event& event) {
    co_await yield_now();
    event.set();
}

Task<void> check_graceful(Server& server, Gate& gate) {
    auto busy = co_await RawClient::connect(server.port());
    auto idle = co_await RawClient::connect(server.port());
    CO_ASSERT(busy && idle);
    CO_ASSERT(co_await busy->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    CO_ASSERT_OK(co_await gate.entered.wait(patiently()));
    Scope scope(patiently());
    scope.spawn(release(gate.open));
    co_await server.stop(seconds(20));
    const std::string answer = co_await busy->read_to_end();
    EXPECT_THAT(answer, EndsWith("done"));
    EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
    EXPECT_EQ(co_await idle->read_to_end(), "");
    EXPECT_FALSE(co_await net::connect(patiently(), {.address = "127.0.0.1", .port = server.port()}));
    co_await scope.join();
}

TEST_F(ServerTest, GracefulStopLetsARunningExchangeFinish) {
    Gate gate;
    run(check_graceful(serve([&](const Context& ctx, Exchange& e) { return gate.hold(ctx, e); }), gate));
}

Task<void> check_hard(Server& server, Gate& gate) {
    auto busy = co_await RawClient::connect(server.port());
    CO_ASSERT(busy);
    CO_ASSERT(co_await busy->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    CO_ASSERT_OK(co_await gate.entered.wait(patiently()));
    co_await server.stop(milliseconds(20));
    EXPECT_EQ(gate.ended, ErrorCode::kCancelled);
    EXPECT_EQ(co_await busy->read_to_end(), "");
}

TEST_F(ServerTest, StopCutsOffWhatOutlivesTheGrace) {
    Gate gate;
    run(check_hard(serve([&](const Context& ctx, Exchange& e) { return gate.hold(ctx, e); }), gate));
}

Task<void> check_connections(std::uint16_t port) {
    auto first = co_await RawClient::connect(port);
    CO_ASSERT(first);
    CO_ASSERT(co_await first->send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await first->read_until("/1 "), HasSubstr("200"));
    auto second = co_await RawClient::connect(port);
    CO_ASSERT(second);
    CO_ASSERT(co_await second->send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await second->read_until("/2 "), HasSubstr("200"));
    EXPECT_EQ(co_await first->read_to_end(), "");  // evicted
}

TEST_F(ServerTest, AtTheConnectionLimitTheLongestIdleMakesRoom) {
    run(check_connections(serve(echo, {.max_connections = 1}).port()));
}

Task<void> check_no_place(Server& server, Gate& gate) {
    auto busy = co_await RawClient::connect(server.port());
    CO_ASSERT(busy);
    CO_ASSERT(co_await busy->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    CO_ASSERT_OK(co_await gate.entered.wait(patiently()));
    for (int i = 0; i < 3; ++i) {
        auto late = co_await RawClient::connect(server.port());
        CO_ASSERT(late);
        CO_ASSERT(co_await late->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
        const std::string answer = co_await late->read_to_end();
        EXPECT_THAT(answer, HasSubstr("503"));
        EXPECT_THAT(answer, EndsWith("too many connections\n"));
    }
    gate.open.set();
    EXPECT_THAT(co_await busy->read_until("done"), HasSubstr("200"));
    auto next = co_await RawClient::connect(server.port());
    CO_ASSERT(next);
    CO_ASSERT(co_await next->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await next->read_until("done"), HasSubstr("200"));
}

TEST_F(ServerTest, WhenAllConnectionsAreBusyNewcomersAreToldAndLaterOnesServed) {
    Gate gate;
    run(check_no_place(
        serve([&](const Context& ctx, Exchange& e) { return gate.hold(ctx, e); }, {.max_connections = 1}), gate));
}

Task<void> check_other_limit(Server& server) {
    auto first = co_await RawClient::connect(server.port());
    CO_ASSERT(first);
    CO_ASSERT(co_await first->send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await first->read_until("/1 "), HasSubstr("200"));
    server.set_max_connections(2);
    auto second = co_await RawClient::connect(server.port());
    CO_ASSERT(second);
    CO_ASSERT(co_await second->send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await second->read_until("/2 "), HasSubstr("200"));
    CO_ASSERT(co_await first->send("GET /3 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await first->read_until("/3 "), HasSubstr("200"));  // there is room for both now
    server.set_max_connections(1);
    auto third = co_await RawClient::connect(server.port());
    CO_ASSERT(third);
    CO_ASSERT(co_await third->send("GET /4 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_THAT(co_await third->read_until("/4 "), HasSubstr("200"));
    EXPECT_EQ(co_await first->read_to_end(), "");
    EXPECT_EQ(co_await second->read_to_end(), "");
}

TEST_F(ServerTest, AnotherConnectionLimitCountsAtOnce) {
    run(check_other_limit(serve(echo, {.max_connections = 1})));
}

}  // namespace
}  // namespace gantry::http::testing
