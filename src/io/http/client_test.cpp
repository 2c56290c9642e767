#include "io/http/client.hpp"

#include <gmock/gmock.h>

#include "io/http/http_test_support.hpp"
#include "io/http/pool.hpp"
#include "io/net/test_certificates.hpp"
#include "io/net/tls.hpp"
#include "io/sync.hpp"

namespace gantry::http::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClientTest : public HttpTest {};

Request get(Url url) {
    Request request;
    request.url = std::move(url);
    return request;
}

Request post(Url url, std::string body) {
    Request request;
    request.method = "POST";
    request.url = std::move(url);
    request.body = std::move(body);
    return request;
}

Task<void> answer(net::TcpStream& stream, std::string_view text) {
    (void)co_await read_request(stream);
    (void)co_await stream.write(patiently(), text);
}

/// A script that answers one request with `text` and closes.
ScriptedServer::Script once(std::string text) {
    return [text = std::move(text)](net::TcpStream& stream) { return answer(stream, text); };
}

/// The result of a GET, as "status body" or the error's name.
Task<std::string> outcome(Client& client, Request request) {
    auto response = co_await client.send(patiently(), std::move(request));
    if (!response) co_return std::string(to_string(response.error().code()));
    const int status = response->status();
    auto body = co_await response->read_all(patiently(), 1u << 20);
    if (!body) co_return std::to_string(status) + " " + std::string(to_string(body.error().code()));
    co_return std::to_string(status) + " " + *body;
}

Task<void> check_answers(Loop& loop, const net::EgressGuard& guard) {
    struct Case {
        const char* answer;
        const char* expected;
        const char* method = "GET";
    };
    const std::vector<Case> cases{
        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "200 abc"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\nT: u\r\n\r\n", "200 abc"},
        {"HTTP/1.1 200 OK\r\n\r\nuntil close", "200 until close"},
        {"HTTP/1.0 200 OK\r\n\r\nold", "200 old"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: "
         "1\r\n\r\nx",
         "200 x"},
        {"HTTP/1.1 204 No Content\r\n\r\n", "204 "},
        {"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", "304 "},
        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "200 ", "HEAD"},
        {"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "302 "},
        {"", "outcome unknown"},
        {"HTTP/1.1 200 OK\r\nConte", "outcome unknown"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "200 outcome unknown"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "200 outcome unknown"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "200 outcome unknown"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "200 protocol violation"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "protocol violation"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", "protocol violation"},
        {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "protocol violation"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "protocol violation"},
        {"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "protocol violation"},
        {"HTTP/1.1 200 OK\nContent-Length: 0\n\n", "protocol violation"},
        {"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "protocol violation"},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "protocol violation"},
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "protocol violation"},
        {"<html></html>\r\n\r\n", "protocol violation"},
    };
    std::vector<ScriptedServer::Script> scripts;
    for (const Case& c : cases) scripts.push_back(once(c.answer));
    std::string huge = "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n";
    scripts.push_back(once(huge));
    ScriptedServer server(loop, std::move(scripts));
    Client client(loop, guard);
    Scope scope(patiently());
    scope.spawn(server.run(scope.context()));
    for (const Case& c : cases) {
        Request request = get(url_of(server.port()));
        request.method = c.method;
        EXPECT_EQ(co_await outcome(client, std::move(request)), c.expected) << c.answer;
        client.pool()->close_idle();
    }
    EXPECT_EQ(co_await outcome(client, get(url_of(server.port()))), "limit exceeded");
    server.close();
    co_await scope.join();
}

TEST_F(ClientTest, EveryFormOfAnswerHasItsOutcome) {
    run(check_answers(loop_, guard_));
}

Task<void> check_round_trips(Loop& loop, const net::EgressGuard& guard, std::uint16_t port) {
    Client client(loop, guard);
    EXPECT_EQ(co_await outcome(client, get(url_of(port, "/a?b=c"))), "200 GET /a?b=c ");
    EXPECT_EQ(co_await outcome(client, post(url_of(port, "/p"), "body")), "200 POST /p body");
    const std::string large(3u << 20, 'x');
    auto response = co_await client.send(patiently(), post(url_of(port, "/l"), large));
    CO_ASSERT_OK(response);
    const auto body = co_await response->read_all(patiently(), 4u << 20);
    CO_ASSERT_OK(body);
    EXPECT_EQ(body->size(), large.size() + 8);
    auto again = co_await client.send(patiently(), post(url_of(port, "/l"), large));
    CO_ASSERT_OK(again);
    const auto limited = co_await again->read_all(patiently(), 1000);
    EXPECT_EQ(limited.error().code(), ErrorCode::kLimit);
}

TEST_F(ClientTest, SmallAndLargeBodiesGoBothWays) {
    run(check_round_trips(loop_, guard_, serve(echo).port()));
}

Task<void> two_answers(net::TcpStream& stream) {
    for (int i = 0; i < 2; ++i) {
        (void)co_await read_request(stream);
        (void)co_await stream.write(patiently(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }
}

Task<void> check_reuse(Loop& loop, const net::EgressGuard& guard) {
    ScriptedServer server(loop,
                          {two_answers, two_answers, once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokextra")});
    Client client(loop, guard);
    Scope scope(patiently());
    scope.spawn(server.run(scope.context()));
    EXPECT_EQ(co_await outcome(client, get(url_of(server.port()))), "200 ok");
    EXPECT_EQ(co_await outcome(client, get(url_of(server.port()))), "200 ok");
    EXPECT_EQ(server.connections(), 1u);
    // The first connection is dead now: a GET is retried on a new one without the caller noticing.
    EXPECT_EQ(co_await outcome(client, get(url_of(server.port()))), "200 ok");
    EXPECT_EQ(server.connections(), 2u);
    {
        // Destroyed unread: the connection must not be reused.
        auto response = co_await client.send(patiently(), get(url_of(server.port())));
        CO_ASSERT_OK(response);
        response->abort();
        const auto read = co_await response->read(patiently());
        EXPECT_EQ(read.error().code(), ErrorCode::kCancelled);
    }
    EXPECT_EQ(co_await outcome(client, get(url_of(server.port()))), "200 ok");
    EXPECT_EQ(server.connections(), 3u);
    server.close();
    co_await scope.join();
}

TEST_F(ClientTest, ReusesConnectionsAndReplacesADeadOne) {
    run(check_reuse(loop_, guard_));
}

Task<void> answer_then_vanish(net::TcpStream& stream) {
    (void)co_await read_request(stream);
    (void)co_await stream.write(patiently(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    (void)co_await read_request(stream);  // reads the second request and sends nothing
}

Task<void> check_unknown(Loop& loop, const net::EgressGuard& guard) {
    ScriptedServer server(loop, {answer_then_vanish});
    Client client(loop, guard);
    Scope scope(patiently());
    scope.spawn(server.run(scope.context()));
    EXPECT_EQ(co_await outcome(client, post(url_of(server.port()), "1")), "200 ok");
    EXPECT_EQ(co_await outcome(client, post(url_of(server.port()), "2")), "outcome unknown");
    EXPECT_EQ(server.connections(), 1u);
    co_await scope.join();
}

TEST_F(ClientTest, PostOnAVanishedConnectionIsNotRepeated) {
    run(check_unknown(loop_, guard_));
}

Task<void> check_liveness(Loop& loop, const net::EgressGuard& guard) {
    auto listener = net::TcpListener::listen(loop, {});
    CO_ASSERT_OK(listener);
    auto connection = co_await dial(patiently(), guard, nullptr, Destination(url_of((*listener)->port())));
    CO_ASSERT_OK(connection);
    auto accepted = co_await (*listener)->accept(patiently());
    CO_ASSERT_OK(accepted);
    EXPECT_TRUE((*connection)->still_usable());
    (*accepted)->close();
    (void)co_await (*connection)->stream->wait_for_disconnect(patiently());
    EXPECT_FALSE((*connection)->still_usable());
}

TEST_F(ClientTest, IdleConnectionClosedByThePeerIsNoticed) {
    run(check_liveness(loop_, guard_));
}

Task<void> hang(net::TcpStream& stream) {
    (void)co_await read_request(stream);
    (void)co_await stream.wait_for_disconnect(patiently());
}

Task<void> half_then_hang(net::TcpStream& stream) {
    co_await answer(stream, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    (void)co_await stream.wait_for_disconnect(patiently());
}

Task<void> cancel_soon(CancelSource source) {
    for (int i = 0; i < 5; ++i) co_await yield_now();
    source.cancel();
}

Task<void> abort_soon(Response* response) {
    for (int i = 0; i < 5; ++i) co_await yield_now();
    response->abort();
}

Task<void> check_ends(Loop& loop, const net::EgressGuard& guard) {
    ScriptedServer server(loop, {hang, hang, hang, half_then_hang, half_then_hang});
    Client client(loop, guard, {.head_timeout = milliseconds(200)});
    Scope scope(patiently());
    scope.spawn(server.run(scope.context()));
    const Url url = url_of(server.port());

    auto late = co_await client.send(Context::background().within(milliseconds(50)), get(url));
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout);
    CancelSource source;
    scope.spawn(cancel_soon(source));
    auto cancelled = co_await client.send(patiently().stopped_by(source), get(url));
    EXPECT_EQ(cancelled.error().code(), ErrorCode::kCancelled);
    auto silent = co_await client.send(patiently(), get(url));
    EXPECT_EQ(silent.error().code(), ErrorCode::kTimeout);
    {
        auto response = co_await client.send(patiently(), get(url));
        CO_ASSERT_OK(response);
        scope.spawn(abort_soon(&*response));
        const auto body = co_await response->read_all(patiently(), 100);
        EXPECT_EQ(body.error().code(), ErrorCode::kCancelled);
    }
    Client impatient(loop, guard, {.idle_timeout = milliseconds(50)});
    EXPECT_EQ(co_await outcome(impatient, get(url)), "200 timeout");
    server.close();
    const Url closed = url;
    co_await scope.join();
    EXPECT_EQ(co_await outcome(client, get(closed)), "connection failed");
}

TEST_F(ClientTest, TimeoutsCancellationAbortAndRefusalHaveTheirCodes) {
    run(check_ends(loop_, guard_));
}

Task<void> check_own_mistakes(Loop& loop, const net::EgressGuard& guard, std::uint16_t port) {
    Client client(loop, guard);
    Request split = get(url_of(port));
    split.headers.add("X", "a\r\nHost: evil");
    EXPECT_EQ(co_await outcome(client, std::move(split)), "invalid argument");
    Request method = get(url_of(port));
    method.method = "GET /evil HTTP/1.1\r\nX:";
    EXPECT_EQ(co_await outcome(client, std::move(method)), "invalid argument");
    client.close();
    EXPECT_EQ(co_await outcome(client, get(url_of(port))), "invalid argument");
    const net::EgressGuard strict({.allow_loopback = false});
    Client inside(loop, strict);
    EXPECT_EQ(co_await outcome(inside, get(url_of(port))), "denied");
}

TEST_F(ClientTest, RefusesSplittingHeadersAndForbiddenTargets) {
    run(check_own_mistakes(loop_, guard_, serve(echo).port()));
}

struct Redirects {
    std::uint16_t other = 0;
    std::vector<std::string> seen;

    Task<void> handle(const Context& ctx, Exchange& exchange) {
        std::string line(exchange.target());
        if (exchange.headers().get("authorization")) line += " auth";
        if (exchange.headers().get("x-api-key")) line += " key";
        if (exchange.headers().get("accept")) line += " accept";
        seen.push_back(line);
        Headers headers;
        const std::string_view target = exchange.target();
        if (target == "/relative") headers.add("Location", "landed");
        if (target == "/across") headers.add("Location", "http://localhost:" + std::to_string(other) + "/landed");
        if (target == "/loop") headers.add("Location", "/loop");
        if (target == "/bad") headers.add("Location", "gopher://x/");
        (void)co_await exchange.respond(ctx, headers.empty() ? 200 : 302, headers, "end");
    }
};

Task<void> check_redirects(Loop& loop, const net::EgressGuard& guard, std::uint16_t port, Redirects& state) {
    Client client(loop, guard);
    const auto go = [&](std::string_view target, bool follow = true, std::string method = "GET") {
        Request request = get(url_of(port, target));
        request.method = std::move(method);
        request.follow_redirects = follow;
        request.headers = Headers{{"Authorization", "Bearer x"}, {"X-Api-Key", "y"}, {"Accept", "z"}};
        return outcome(client, std::move(request));
    };
    EXPECT_EQ(co_await go("/relative"), "200 end");
    EXPECT_EQ(state.seen.back(), "/landed auth key accept");
    EXPECT_EQ(co_await go("/across"), "200 end");
    EXPECT_EQ(state.seen.back(), "/landed accept");
    EXPECT_EQ(co_await go("/loop"), "limit exceeded");
    EXPECT_EQ(co_await go("/bad"), "protocol violation");
    EXPECT_EQ(co_await go("/relative", false), "302 end");
    EXPECT_EQ(co_await go("/relative", true, "POST"), "302 end");
}

TEST_F(ClientTest, FollowsRedirectsWithoutCarryingCredentialsAcrossOrigins) {
    Redirects state;
    Server& server = serve([&](const Context& ctx, Exchange& e) { return state.handle(ctx, e); });
    state.other = server.port();
    run(check_redirects(loop_, guard_, server.port(), state));
}

Task<void> downgrade(const Context& ctx, Exchange& exchange) {
    const Headers headers{{"Location", "http://127.0.0.1/"}};
    (void)co_await exchange.respond(ctx, 302, headers, "");
}

Task<void> check_tls(Loop& loop, const net::EgressGuard& guard, std::uint16_t port, std::uint16_t downgrading,
                     std::shared_ptr<const net::TlsClientContext> trusting) {
    Client client(loop, guard, {}, trusting);
    EXPECT_EQ(co_await outcome(client, get(url_of(port, "/t", "https"))), "200 GET /t ");
    EXPECT_EQ(co_await outcome(client, post(url_of(port, "/t", "https"), std::string(300'000, 'x'))),
              "200 POST /t " + std::string(300'000, 'x'));
    Request redirected = get(url_of(downgrading, "/", "https"));
    redirected.follow_redirects = true;
    EXPECT_EQ(co_await outcome(client, std::move(redirected)), "denied");
    Client suspicious(loop, guard);
    EXPECT_EQ(co_await outcome(suspicious, get(url_of(port, "/t", "https"))), "connection failed");
}

TEST_F(ClientTest, SpeaksTlsAndRefusesUnknownCertificatesAndDowngrades) {
    const net::testing::TestAuthority authority;
    const auto certificate = authority.issue({"127.0.0.1", "localhost"});
    auto tls = net::TlsServerContext::make(
        {.certificate = {.text = certificate.certificate}, .key = {.text = certificate.key}});
    ASSERT_TRUE(tls) << tls.error().to_string();
    auto trusting = net::TlsClientContext::make({.roots = {.text = authority.certificate()}});
    ASSERT_TRUE(trusting) << trusting.error().to_string();
    const std::uint16_t port = serve(echo, {}, *tls).port();
    const std::uint16_t downgrading = serve(downgrade, {}, *tls).port();
    run(check_tls(loop_, guard_, port, downgrading, *trusting));
}

Task<void> one_call(Client* client, Url url, int* done) {
    if (co_await outcome(*client, get(std::move(url))) == "200 GET / ") ++*done;
}

Task<void> check_pool_limits(Loop& loop, const net::EgressGuard& guard, std::uint16_t port) {
    Client client(loop, guard, {.max_idle_per_origin = 1, .max_connections_per_origin = 2});
    Scope scope(patiently());
    int done = 0;
    for (int i = 0; i < 20; ++i) scope.spawn(one_call(&client, url_of(port), &done));
    co_await scope.join();
    EXPECT_EQ(done, 20);
}

TEST_F(ClientTest, RequestsBeyondTheConnectionLimitWaitTheirTurn) {
    run(check_pool_limits(loop_, guard_, serve(echo, {.max_connections = 2}).port()));
}

}  // namespace
}  // namespace gantry::http::testing
