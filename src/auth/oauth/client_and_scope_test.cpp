#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/oauth/authorizer_rig.hpp"
#include "base/crypto/base64url.hpp"

namespace gantry::auth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ClientChoice : public AuthorizerRig {};
class ScopeChoice : public AuthorizerRig {};

TEST_F(ClientChoice, PrefersTheConfiguredClient) {
    options_.client_id = "mine";
    options_.client_secret = "s:e c";
    options_.client_metadata_url = "https://me.example/client.json";
    as_.metadata.set("client_id_metadata_document_supported", true);
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 0);
    EXPECT_EQ(sent("/authorize", "client_id"), "mine");
    EXPECT_EQ(as_.last("/token")->authorization, "Basic " + crypto::base64_encode("mine:s%3Ae%20c"));
    EXPECT_EQ(sent("/token", "client_secret"), "<absent>");
}

TEST_F(ClientChoice, ThenAClientIdDocument) {
    options_.client_metadata_url = "https://me.example/client.json";
    as_.metadata.set("client_id_metadata_document_supported", true);
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 0);
    EXPECT_EQ(sent("/token", "client_id"), "https://me.example/client.json");
    as_.metadata.erase("client_id_metadata_document_supported");
    store_ = std::make_unique<TokenStore>(make_memory_backend());
    restart();
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 1);
}

TEST_F(ClientChoice, TellsThePersonWhatToDoWhenThereIsNoWay) {
    as_.metadata.erase("registration_endpoint");
    const auto answer = call();
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnauthorized);
    EXPECT_THAT(answer.error().message(), HasSubstr("client_id"));
}

TEST_F(ClientChoice, RegistersOnceAndAgainOnlyForAnotherRedirect) {
    ASSERT_EQ(call().value(), 200);
    EXPECT_TRUE(loop_.run_until_done(authorizer().log_out(Context())));
    restart();
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 1);
    redirect_uri_ = "http://localhost:3001/callback";
    agent_.reset();
    EXPECT_TRUE(loop_.run_until_done(authorizer().log_out(Context())));
    restart();
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 2);
}

struct AuthCase {
    const char* method;
    const char* secret;
};
class TokenEndpointAuth : public AuthorizerRig, public ::testing::WithParamInterface<AuthCase> {};

TEST_P(TokenEndpointAuth, FollowsWhatTheServerTakes) {
    as_.metadata.set("token_endpoint_auth_methods_supported", JsonArray{GetParam().method});
    as_.client_secret = GetParam().secret;
    ASSERT_EQ(call().value(), 200);
    const std::string_view method = GetParam().method;
    EXPECT_EQ(as_.last("/register")->body.string_at("token_endpoint_auth_method"), method);
    EXPECT_EQ(!as_.last("/token")->authorization.empty(), method == "client_secret_basic");
    EXPECT_EQ(sent("/token", "client_secret") != "<absent>", method == "client_secret_post");
}

INSTANTIATE_TEST_SUITE_P(Methods, TokenEndpointAuth,
                         ::testing::Values(AuthCase{"client_secret_basic", "s"}, AuthCase{"client_secret_post", "s"},
                                           AuthCase{"none", ""}),
                         [](const auto& info) { return std::string(info.param.method); });

TEST_F(ClientChoice, RegistersAnewWhenTheServerMovesToAnotherAuthorizationServer) {
    as_.client_id = "first-client";
    ASSERT_EQ(call().value(), 200);
    FakeAuthorizationServer second("https://as2.example");
    second.client_id = "second-client";
    world_.serve("https://as2.example", second);
    resource_metadata_.if_object()->set("authorization_servers", JsonArray{"https://as2.example"});
    browse_ = [&](const std::string& url) { return second.authorize(url); };
    server_ = [this, &second](const std::string& authorization, const Authorizer::Fields&) {
        return second.count("/token") > 0 && !authorization.empty() ? Answer{} : refuse(401, first_challenge_);
    };
    const int tokens_before = as_.count("/token");
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(second.count("/register"), 1);
    EXPECT_EQ(second.last("/authorize")->params.at("client_id"), "second-client");
    EXPECT_EQ(second.last("/token")->params.at("client_id"), "second-client");
    EXPECT_FALSE(second.last("/token")->params.contains("refresh_token"));
    EXPECT_EQ(as_.count("/token"), tokens_before);
}

TEST_F(ClientChoice, NeverShowsAConfiguredClientToAnotherAuthorizationServer) {
    options_.client_id = "mine";
    ASSERT_EQ(call().value(), 200);
    FakeAuthorizationServer second("https://as2.example");
    world_.serve("https://as2.example", second);
    resource_metadata_.if_object()->set("authorization_servers", JsonArray{"https://as2.example"});
    server_ = [this](const std::string&, const Authorizer::Fields&) { return refuse(401, first_challenge_); };
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
    EXPECT_EQ(second.count("/token") + second.count("/authorize"), 0);
}

TEST_F(ScopeChoice, TakesTheChallengesScopeFirst) {
    first_challenge_ += ", scope=\"mcp:basic\"";
    resource_metadata_.if_object()->set("scopes_supported", JsonArray{"x"});
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/authorize", "scope"), "mcp:basic");
}

TEST_F(ScopeChoice, ThenWhatTheResourceSupports) {
    resource_metadata_.if_object()->set("scopes_supported", JsonArray{"x", "y"});
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/authorize", "scope"), "x y");
}

TEST_F(ScopeChoice, ElseLeavesItOut) {
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/authorize", "scope"), "<absent>");
}

TEST_F(ScopeChoice, AsksForOfflineAccessOnlyWhereListed) {
    first_challenge_ += ", scope=\"mcp:basic\"";
    as_.metadata.set("scopes_supported", JsonArray{"mcp:basic", "offline_access"});
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/authorize", "scope"), "mcp:basic offline_access");
    as_.metadata.set("scopes_supported", JsonArray{"mcp:basic"});
    store_ = std::make_unique<TokenStore>(make_memory_backend());
    restart();
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/authorize", "scope"), "mcp:basic");
}

TEST_F(ScopeChoice, StepsUpToTheUnionOfOldAndNew) {
    first_challenge_ += ", scope=\"mcp:basic\"";
    resource_metadata_.if_object()->set("scopes_supported", JsonArray{"mcp:profile"});
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        if (authorization.empty()) return refuse(401, first_challenge_);
        if (authorization == "Bearer access-1")
            return refuse(403, "Bearer error=\"insufficient_scope\", scope=\"mcp:write\"");
        return Answer{};
    };
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/authorize"), 2);
    EXPECT_EQ(sent("/authorize", "scope"), "mcp:basic mcp:write");
    EXPECT_EQ(as_.last("/register")->body.string_at("scope"), "mcp:basic mcp:profile")
        << "the client may not be allowed to step up";
}

TEST_F(ScopeChoice, AClientThatMayNotAskForTheScopeIsRegisteredAnew) {
    as_.authorize_error = "invalid_scope";
    EXPECT_EQ(call().error().code(), ErrorCode::kUnauthorized);
    as_.authorize_error.clear();
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/register"), 2);
}

TEST_F(ScopeChoice, StopsSteppingUpAfterAFewAttempts) {
    first_challenge_ += ", scope=\"mcp:admin\"";
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        if (authorization.empty()) return refuse(401, first_challenge_);
        return refuse(403, "Bearer error=\"insufficient_scope\", scope=\"mcp:admin\"");
    };
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
    EXPECT_EQ(as_.count("/authorize"), 1 + options_.max_step_ups);
    EXPECT_LE(requests_ - 1, 3);
}

TEST_F(ScopeChoice, LeavesAnOrdinary403ToTheCaller) {
    ASSERT_EQ(call().value(), 200);
    server_ = [](const std::string&, const Authorizer::Fields&) { return refuse(403, "Bearer error=\"other\""); };
    EXPECT_EQ(call().value(), 403);
    EXPECT_EQ(as_.count("/authorize"), 1);
}

}  // namespace
}  // namespace gantry::auth
