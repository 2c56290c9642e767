#include "io/http/forward_proxy.hpp"

#include <gtest/gtest.h>

#include "io/loop.hpp"
#include "io/net/tcp_test_support.hpp"
#include "io/scope.hpp"

namespace gantry::http {
namespace {

using net::testing::kBackground;
using net::testing::read_to_end;

/// An origin that echoes what it received, a proxy in front of it, and a client.
class ForwardProxyTest : public ::testing::Test {
protected:
    void SetUp() override {
        origin_ = net::TcpListener::listen(loop_, {}).value();
        auto front = net::TcpListener::listen(loop_, {}).value();
        port_ = front->port();
        ForwardProxyOptions options;
        options.max_connections = 2;
        options.approve = [this](const Context& ctx, Url url) { return approve(ctx, std::move(url)); };
        options.on_refused = [this](const std::string& host, std::uint16_t port) {
            refused_.push_back(host + ":" + std::to_string(port));
        };
        proxy_ = std::make_unique<ForwardProxy>(loop_, std::move(front), std::move(options));
    }
    void TearDown() override {
        proxy_.reset();
        loop_.run();
    }

    Task<Result<std::vector<net::Endpoint>>> approve(const Context&, Url url) {
        if (url.host() == "gone.example") co_return fail(ErrorCode::kConnection, "no such name");
        if (url.host() != "good.example") co_return fail(ErrorCode::kDenied, "not listed");
        co_return std::vector<net::Endpoint>{{.address = "127.0.0.1", .port = origin_->port()}};
    }

    /// Accepts one connection and answers with the received text in brackets.
    static Task<void> serve_once(Context ctx, net::TcpListener* origin, std::string* heard) {
        auto stream = co_await origin->accept(ctx);
        if (!stream) co_return;
        *heard = co_await read_to_end(ctx, stream->get());
        (void)co_await (*stream)->write(ctx, "[" + std::to_string(heard->size()) + " bytes]");
        (void)co_await (*stream)->shutdown_write(ctx);
    }

    Task<std::string> ask(std::string request) {
        Scope scope(kBackground);
        scope.spawn(serve_once(scope.context(), origin_.get(), &heard_));
        auto stream = co_await net::connect(kBackground, {"127.0.0.1", port_});
        EXPECT_TRUE(co_await (*stream)->write(kBackground, request));
        (void)co_await (*stream)->shutdown_write(kBackground);
        std::string answer = co_await read_to_end(kBackground, stream->get());
        scope.cancel();
        co_await scope.join();
        co_return answer;
    }
    std::string answer_to(std::string request) { return loop_.run_until_done(ask(std::move(request))); }

    Loop loop_;
    std::unique_ptr<net::TcpListener> origin_;
    std::uint16_t port_ = 0;
    std::string heard_;
    std::vector<std::string> refused_;
    std::unique_ptr<ForwardProxy> proxy_;
};

TEST_F(ForwardProxyTest, ATunnelCarriesBytesBothWays) {
    EXPECT_EQ(answer_to("CONNECT good.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\nhello"),
              "HTTP/1.1 200 Connection established\r\n\r\n[5 bytes]");
    EXPECT_EQ(heard_, "hello");
}

TEST_F(ForwardProxyTest, PlainHttpGoesOnWithTheHostOfItsUrlAndNoFieldsOfTheProxy) {
    answer_to(
        "POST http://good.example/x?y=1 HTTP/1.1\r\nHost: other.example\r\nProxy-Authorization: s\r\n"
        "Proxy-Connection: keep-alive\r\nContent-Length: 3\r\nX-Own: 1\r\n\r\nabc");
    EXPECT_EQ(
        heard_,
        "POST /x?y=1 HTTP/1.1\r\nHost: good.example\r\nContent-Length: 3\r\nX-Own: 1\r\nConnection: close\r\n\r\nabc");
}

TEST_F(ForwardProxyTest, WhatIsNotApprovedIsRefusedAndTold) {
    EXPECT_TRUE(answer_to("CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 403 "));
    EXPECT_TRUE(answer_to("GET http://evil.example:8080/secret HTTP/1.1\r\nHost: good.example\r\n\r\n")
                    .starts_with("HTTP/1.1 403 "));
    EXPECT_EQ(refused_, (std::vector<std::string>{"evil.example:443", "evil.example:8080"}));
    EXPECT_EQ(heard_, "");
}

TEST_F(ForwardProxyTest, WhatCannotBeReachedIsABadGateway) {
    EXPECT_TRUE(answer_to("CONNECT gone.example:443 HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 502 "));
}

TEST_F(ForwardProxyTest, NonsenseIsABadRequest) {
    for (const char* request :
         {"GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "GET https://good.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
          "CONNECT good.example:443/path HTTP/1.1\r\nHost: x\r\n\r\n",
          "CONNECT a@good.example:443 HTTP/1.1\r\nHost: x\r\n\r\n", "nonsense\r\n\r\n"})
        EXPECT_TRUE(answer_to(request).starts_with("HTTP/1.1 400 ")) << request;
    EXPECT_TRUE(answer_to("GET /" + std::string(40'000, 'a')).starts_with("HTTP/1.1 400 "));
    EXPECT_EQ(heard_, "");
}

TEST_F(ForwardProxyTest, MoreThanItsMostConnectionsAreTurnedAway) {
    auto idle = [&] { return loop_.run_until_done(net::connect(kBackground, {"127.0.0.1", port_})).value(); };
    const auto first = idle(), second = idle();
    EXPECT_EQ(loop_.run_until_done(ask("")), "");
}

}  // namespace
}  // namespace gantry::http
