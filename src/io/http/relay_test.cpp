#include "io/http/relay.hpp"

#include <gmock/gmock.h>

#include "io/http/http_test_support.hpp"
#include "io/sync.hpp"

namespace gantry::http::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RelayTest : public HttpTest {
protected:
    /// Starts a relay to `port`; returns its own port.
    std::uint16_t relay_to(std::uint16_t port) {
        client_ = std::make_unique<Client>(loop_, guard_);
        relay_ = std::make_unique<Relay>(*client_, url_of(port));
        return serve([this](const Context& ctx, Exchange& e) { return relay_->handle(ctx, e); }).port();
    }

    std::unique_ptr<Client> client_;
    std::unique_ptr<Relay> relay_;
};

Task<void> show(const Context& ctx, Exchange& exchange) {
    auto body = co_await exchange.read_all(ctx, 1u << 20);
    if (!body) co_return;
    std::string text = std::string(exchange.method()) + " " + std::string(exchange.target()) + "\n";
    for (std::size_t i = 0; i < exchange.headers().size(); ++i) {
        text += std::string(exchange.headers()[i].name) + "=" + std::string(exchange.headers()[i].value) + "\n";
    }
    const Headers headers{{"X-Answer", "1"}};
    (void)co_await exchange.respond(ctx, 201, headers, text + *body);
}

Task<void> check_fields(std::uint16_t port) {
    const std::string answer =
        co_await talk(port,
                      "POST /x?y HTTP/1.1\r\nHost: front\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nX-End: 2\r\n"
                      "Keep-Alive: 5\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbody");
    EXPECT_THAT(answer, HasSubstr("HTTP/1.1 201 Created\r\n"));
    EXPECT_THAT(answer, HasSubstr("X-Answer: 1\r\n"));
    EXPECT_THAT(answer, HasSubstr("POST /x?y\n"));
    EXPECT_THAT(answer, HasSubstr("X-End=2\n"));
    for (const char* gone : {"X-Hop=", "Keep-Alive=", "Expect=", "Connection=", "Host=front"}) {
        EXPECT_THAT(answer, Not(HasSubstr(gone)));
    }
    EXPECT_THAT(answer, EndsWith("body"));
    const std::string head = co_await talk(port, "HEAD /h HTTP/1.1\r\nHost: front\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(head, Not(HasSubstr("Content-Length: 0\r\n")));
    EXPECT_THAT(head, EndsWith("\r\n\r\n"));
}

TEST_F(RelayTest, PassesOnWhatIsEndToEndAndNothingElse) {
    run(check_fields(relay_to(serve(show).port())));
}

/// Echoes every piece as it arrives: only a relay that moves both directions concurrently passes.
Task<void> mirror(const Context& ctx, Exchange& exchange) {
    const Headers none;
    if (!co_await exchange.start(ctx, 200, none, std::nullopt)) co_return;
    for (;;) {
        const auto piece = co_await exchange.read(ctx);
        if (!piece || !*piece) break;
        if (!co_await exchange.write(ctx, **piece)) co_return;
    }
    (void)co_await exchange.finish(ctx);
}

Task<void> send_all(RawClient* client, std::string bytes) {
    EXPECT_TRUE(co_await client->send(bytes));
}

Task<void> check_mirror(std::uint16_t port) {
    const std::size_t size = 20u << 20;
    auto client = co_await RawClient::connect(port);
    CO_ASSERT(client);
    Scope scope(patiently());
    scope.spawn(send_all(client.get(), "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: " +
                                           std::to_string(size) + "\r\n\r\n" + std::string(size, 'x')));
    const std::string answer = co_await client->read_to_end();
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(answer, 'x')), size);
    EXPECT_THAT(answer.substr(answer.size() - 5), "0\r\n\r\n");
    co_await scope.join();
}

TEST_F(RelayTest, LargeBodiesMoveInBothDirectionsAtOnce) {
    run(check_mirror(relay_to(serve(mirror).port())));
}

struct Events {
    Event go_on;
    Event gone;

    Task<void> handle(const Context& ctx, Exchange& exchange) {
        const Headers headers{{"Content-Type", "text/event-stream"}};
        if (!co_await exchange.start(ctx, 200, headers, std::nullopt)) co_return;
        if (!co_await go_on.wait(ctx)) co_return;
        if (!co_await exchange.write(ctx, "data: 1\n\n")) co_return;
        (void)co_await exchange.wait_for_disconnect(ctx);
        gone.set();
    }
};

Task<void> check_events(std::uint16_t port, Events& events) {
    auto client = co_await RawClient::connect(port);
    CO_ASSERT(client);
    CO_ASSERT(co_await client->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    // The head arrives before any event, the event before the end.
    EXPECT_THAT(co_await client->read_until("\r\n\r\n"), HasSubstr("text/event-stream"));
    events.go_on.set();
    EXPECT_THAT(co_await client->read_until("data: 1\n\n"), HasSubstr("data: 1"));
    client->stream().close();
    CO_ASSERT_OK(co_await events.gone.wait(patiently()));
}

TEST_F(RelayTest, EventStreamsFlowAtOnceAndEndWhenTheClientLeaves) {
    Events events;
    run(check_events(relay_to(serve([&](const Context& ctx, Exchange& e) { return events.handle(ctx, e); }).port()),
                     events));
}

Task<void> give_up_midway(const Context& ctx, Exchange& exchange) {
    const Headers none;
    if (!co_await exchange.start(ctx, 200, none, 100)) co_return;
    (void)co_await exchange.write(ctx, "half");
}

Task<void> check_failures(std::uint16_t nobody, std::uint16_t broken) {
    const std::string request = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    EXPECT_THAT(co_await talk(nobody, request), StartsWith("HTTP/1.1 502 "));
    const std::string answer = co_await talk(broken, request);
    EXPECT_THAT(answer, HasSubstr("Content-Length: 100\r\n"));
    EXPECT_THAT(answer, EndsWith("half"));
}

TEST_F(RelayTest, AnUnreachableOriginIs502AndABrokenAnswerStaysBroken) {
    const std::uint16_t free_port = [&] {
        auto listener = net::TcpListener::listen(loop_, {});
        return (*listener)->port();
    }();
    Client client(loop_, guard_);
    Relay nowhere(client, url_of(free_port));
    const std::uint16_t nobody = serve([&](const Context& ctx, Exchange& e) { return nowhere.handle(ctx, e); }).port();
    run(check_failures(nobody, relay_to(serve(give_up_midway).port())));
}

}  // namespace
}  // namespace gantry::http::testing
