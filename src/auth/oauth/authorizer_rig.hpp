#pragma once
// For tests: one MCP server, one authorization server, one client, no network.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "auth/oauth/authorizer.hpp"
#include "auth/oauth/fake_world.hpp"
#include "io/loop.hpp"

namespace gantry::auth {

class AuthorizerRig : public ::testing::Test {
protected:
    static constexpr const char* kServer = "https://mcp.example/mcp";
    static constexpr const char* kIssuer = "https://as.example";
    static constexpr const char* kMetadataUrl = "https://mcp.example/.well-known/oauth-protected-resource/mcp";

    AuthorizerRig();

    /// A new authorizer on the same store: simulates a restart.
    Authorizer& restart();
    Authorizer& authorizer() { return authorizer_ ? *authorizer_ : restart(); }

    /// Performs one request like a transport: returns its final status, or the authorizer's error.
    Result<int> call();
    Result<Authorizer::Fields> fields(const std::string& url = kServer);
    /// The parameter of the last request to that path of the authorization server.
    std::string sent(const std::string& path, const std::string& name);

    struct Answer {
        int status = 200;
        http::Headers headers;
    };
    static Answer refuse(int status, std::string_view challenge);

    Loop loop_;
    FakeWorld world_;
    FakeAuthorizationServer as_{kIssuer};
    std::unique_ptr<TokenStore> store_ = std::make_unique<TokenStore>(make_memory_backend());
    AuthOptions options_;
    std::string redirect_uri_ = "http://localhost:3000/callback";
    std::unique_ptr<UserAgent> agent_;

    /// Served at kMetadataUrl; null: 404.
    Json resource_metadata_;
    std::string first_challenge_;
    /// The server itself, given the Authorization field; by default every token is accepted.
    std::function<Answer(const std::string& authorization, const Authorizer::Fields& fields)> server_;
    /// What the user's browser does with the authorization URL.
    std::function<std::string(const std::string& url)> browse_;
    std::chrono::system_clock::time_point now_{std::chrono::seconds(1'700'000'000)};
    int requests_ = 0;

private:
    Task<Result<int>> call_task();
    Task<Result<std::string>> browse_task(std::string url);
    std::unique_ptr<Authorizer> authorizer_;
};

}  // namespace gantry::auth
