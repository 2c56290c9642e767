#include <gtest/gtest.h>

#include "auth/oauth/authorizer.hpp"
#include "auth/oauth/fake_world.hpp"
#include "auth/oauth/loopback_agent.hpp"
#include "base/try.hpp"
#include "io/http/client.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"

namespace gantry::auth {
namespace {

/// Real sockets: an authorization server, an MCP server that requires tokens, and a browser.
class EndToEnd : public ::testing::Test {
protected:
    EndToEnd() {
        http_ = std::make_unique<http::Client>(loop_, guard_);
        as_server_ = std::make_unique<http::Server>(
            loop_, http::ServerOptions{},
            [this](const Context& ctx, http::Exchange& exchange) { return serve_as(ctx, exchange); });
        mcp_server_ = std::make_unique<http::Server>(
            loop_, http::ServerOptions{},
            [this](const Context& ctx, http::Exchange& exchange) { return serve_mcp(ctx, exchange); });
        EXPECT_TRUE(as_server_->start());
        EXPECT_TRUE(mcp_server_->start());
        as_ = std::make_unique<FakeAuthorizationServer>("http://127.0.0.1:" + std::to_string(as_server_->port()));
        mcp_origin_ = "http://127.0.0.1:" + std::to_string(mcp_server_->port());
    }
    ~EndToEnd() override { loop_.run_until_done(stop()); }

    Task<void> stop() {
        http_->close();
        co_await as_server_->stop(seconds(1));
        co_await mcp_server_->stop(seconds(1));
    }

    Task<void> serve_as(const Context& ctx, http::Exchange& exchange) {
        http::Request request;
        request.method = exchange.method();
        request.url =
            *Url::parse("http://127.0.0.1:" + std::to_string(as_server_->port()) + std::string(exchange.target()));
        for (std::size_t i = 0; i < exchange.headers().size(); ++i)
            request.headers.add(exchange.headers()[i].name, exchange.headers()[i].value);
        auto body = co_await exchange.read_all(ctx, 1u << 16);
        if (!body) co_return;
        request.body = *std::move(body);
        const FetchedResponse response = as_->handle(request);
        static_cast<void>(co_await exchange.respond(ctx, response.status, response.headers, response.body));
    }

    Task<void> serve_mcp(const Context& ctx, http::Exchange& exchange) {
        http::Headers headers;
        int status = 200;
        std::string body = "hello";
        if (exchange.target() == "/.well-known/oauth-protected-resource/mcp") {
            body = Json(JsonObject{{"resource", mcp_origin_ + "/mcp"},
                                   {"authorization_servers",
                                    JsonArray{"http://127.0.0.1:" + std::to_string(as_server_->port())}}})
                       .dump();
        } else if (exchange.headers().get("Authorization") != "Bearer access-1") {
            status = 401;
            headers.set("WWW-Authenticate", "Bearer");
        }
        static_cast<void>(co_await exchange.respond(ctx, status, headers, body));
    }

    Task<Result<int>> get(std::string url) {
        http::Request request;
        GANTRY_CO_TRY(request.url, Url::parse(url));
        GANTRY_CO_TRY(http::Response response, co_await http_->send(Context().within(seconds(30)), std::move(request)));
        const int status = response.status();
        location_ = response.headers().get("Location").value_or("");
        GANTRY_CO_TRY(page_, co_await response.read_all(Context(), 1u << 16));
        co_return status;
    }

    /// A browser: visits the URL, makes stray requests, then follows the redirect.
    Task<void> browse(std::string url) {
        EXPECT_EQ((co_await get(url)).value_or(0), 302);
        const std::string location = location_;
        const std::string base = location.substr(0, location.find('?'));
        EXPECT_EQ((co_await get(base)).value_or(0), 400);
        EXPECT_EQ((co_await get(base + "?code=x&state=wrong")).value_or(0), 400);
        EXPECT_EQ((co_await get(location)).value_or(0), 200);
    }

    Task<Result<std::string>> use_server(UserAgent& agent, Scope& scope) {
        TokenStore store(make_memory_backend());
        const Url url = *Url::parse(mcp_origin_ + "/mcp");
        Authorizer authorizer(url, AuthOptions(), make_http_fetch(*http_), store, &agent);
        const Context ctx = scope.context().within(seconds(30));
        for (;;) {
            GANTRY_CO_TRY(const auto fields, co_await authorizer.headers_for(ctx, {.method = "GET", .url = url}));
            http::Request request;
            request.url = url;
            for (const auto& [name, value] : fields) request.headers.set(name, value);
            GANTRY_CO_TRY(http::Response response, co_await http_->send(ctx, std::move(request)));
            GANTRY_CO_TRY(const http::Retry retry, co_await authorizer.on_response(ctx, {.method = "GET", .url = url},
                                                                                   {.status = response.status(),
                                                                                    .headers = response.headers(),
                                                                                    .sent = fields,
                                                                                    .peer = response.peer_address()}));
            GANTRY_CO_TRY(std::string body, co_await response.read_all(ctx, 1u << 16));
            if (retry == http::Retry::kNo) co_return Result<std::string>(std::move(body));
        }
    }

    Task<Result<std::string>> log_in() {
        Scope scope(Context{});
        LoopbackOptions options;
        options.show = [&](const std::string& url) { scope.spawn(browse(url)); };
        const auto agent = make_loopback_agent(loop_, options);
        auto answer = co_await use_server(*agent, scope);
        co_await scope.join();
        co_return answer;
    }

    Loop loop_;
    net::EgressGuard guard_;
    std::unique_ptr<http::Client> http_;
    std::unique_ptr<http::Server> as_server_, mcp_server_;
    std::unique_ptr<FakeAuthorizationServer> as_;
    std::string mcp_origin_, location_, page_;
};

TEST_F(EndToEnd, APersonLogsInThroughTheLoopbackRedirect) {
    const auto answer = loop_.run_until_done(log_in());
    ASSERT_TRUE(answer) << answer.error().to_string();
    EXPECT_EQ(*answer, "hello");
    EXPECT_NE(page_.find("close this window"), std::string::npos);
    EXPECT_EQ(as_->count("/authorize"), 1);
}

Task<Result<AuthorizationResponse>> wait_for_nobody(UserAgent& agent, std::string& first, std::string& again) {
    const Context ctx;
    GANTRY_CO_TRY(first, co_await agent.redirect_uri(ctx, ""));
    auto answer = co_await agent.authorize(ctx.within(milliseconds(1)), "https://as.example/", "state");
    GANTRY_CO_TRY(again, co_await agent.redirect_uri(ctx, first));
    static_cast<void>(co_await agent.authorize(ctx.within(milliseconds(1)), "https://as.example/", "state"));
    co_return answer;
}

TEST_F(EndToEnd, TheListenerTimesOutAndTakesItsOldPortAgain) {
    const auto agent = make_loopback_agent(loop_, {});
    std::string first, again;
    const auto answer = loop_.run_until_done(wait_for_nobody(*agent, first, again));
    EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout);
    EXPECT_TRUE(first.starts_with("http://127.0.0.1:"));
    EXPECT_EQ(first, again);
}

}  // namespace
}  // namespace gantry::auth
