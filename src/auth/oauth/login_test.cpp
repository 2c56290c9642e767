#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/oauth/authorizer_rig.hpp"

namespace gantry::auth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Login : public AuthorizerRig {};

TEST_F(Login, DiscoversRegistersAuthorizesAndThenReusesTheToken) {
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(requests_, 2);
    EXPECT_EQ(as_.last("/register")->body.string_at("application_type"), "native");
    EXPECT_EQ(as_.last("/register")->body.find("grant_types")->dump(), R"(["authorization_code","refresh_token"])");
    EXPECT_EQ(sent("/authorize", "client_id"), "registered-client");
    EXPECT_EQ(sent("/authorize", "code_challenge_method"), "S256");
    EXPECT_EQ(sent("/authorize", "resource"), kServer);
    EXPECT_EQ(sent("/token", "resource"), kServer);
    EXPECT_EQ(sent("/token", "client_id"), "registered-client");
    EXPECT_EQ(fields().value()[0].second, "Bearer access-1");
    const auto before = world_.visited.size();
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(world_.visited.size(), before);
}

TEST_F(Login, SurvivesARestartWithoutAskingAnybody) {
    ASSERT_EQ(call().value(), 200);
    const auto before = world_.visited.size();
    restart();
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(world_.visited.size(), before);
    EXPECT_TRUE(loop_.run_until_done(authorizer().log_out(Context())));
    restart();
    EXPECT_TRUE(fields().value().empty());
}

TEST_F(Login, ShowsItsTokenToTheServersOriginOnly) {
    ASSERT_EQ(call().value(), 200);
    EXPECT_FALSE(fields("https://mcp.example/other").value().empty());
    for (const char* other : {"https://evil.example/mcp", "http://mcp.example/mcp", "https://mcp.example:8443/mcp"})
        EXPECT_TRUE(fields(other).value().empty()) << other;
}

TEST_F(Login, FindsMetadataWithoutAHint) {
    first_challenge_ = "";
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(world_.visited[0], kMetadataUrl);
}

TEST_F(Login, FallsBackToTheRootDocumentAndIgnoresCatchAllPages) {
    first_challenge_ = "Bearer";
    world_.serve("https://mcp.example", [this](const http::Request& request) {
        if (request.url.path() == "/.well-known/oauth-protected-resource") return json_answer(resource_metadata_);
        return FetchedResponse{200, {}, "<html>welcome</html>"};
    });
    EXPECT_EQ(call().value(), 200);
}

TEST_F(Login, TriesAllMetadataFormsOfAnIssuerWithAPath) {
    resource_metadata_.if_object()->set("authorization_servers", JsonArray{"https://as.example/tenant"});
    as_.metadata.set("issuer", "https://as.example/tenant");
    world_.serve(kIssuer, [this](const http::Request& request) {
        if (request.url.path() == "/tenant/.well-known/openid-configuration") return json_answer(Json(as_.metadata));
        return request.url.path().find("well-known") != std::string::npos ? not_found() : as_.handle(request);
    });
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(world_.visited[1], "https://as.example/.well-known/oauth-authorization-server/tenant");
    EXPECT_EQ(world_.visited[2], "https://as.example/.well-known/openid-configuration/tenant");
    EXPECT_EQ(world_.visited[3], "https://as.example/tenant/.well-known/openid-configuration");
}

TEST_F(Login, RefusesMetadataOfAnotherIssuerByteForByte) {
    for (const char* issuer : {"https://as.example/", "https://evil.example", "https://AS.example"}) {
        as_.metadata.set("issuer", issuer);
        EXPECT_EQ(call().error().code(), ErrorCode::kDenied) << issuer;
    }
    EXPECT_EQ(as_.count("/register"), 0);
    EXPECT_EQ(as_.count("/authorize"), 0);
}

TEST_F(Login, RefusesMetadataOfAnotherResource) {
    resource_metadata_.if_object()->set("resource", "https://evil.example/mcp");
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
    EXPECT_TRUE(as_.seen.empty());
}

TEST_F(Login, SendsTheResourceExactlyAsPublished) {
    for (const char* resource : {"https://mcp.example", "https://mcp.example/", "https://mcp.example/mcp"}) {
        resource_metadata_.if_object()->set("resource", resource);
        store_ = std::make_unique<TokenStore>(make_memory_backend());
        restart();
        ASSERT_EQ(call().value(), 200);
        EXPECT_EQ(sent("/authorize", "resource"), resource);
        EXPECT_EQ(sent("/token", "resource"), resource);
    }
}

TEST_F(Login, RefusesServersThatDoNotSayTheyDoPkce) {
    as_.metadata.erase("code_challenge_methods_supported");
    EXPECT_EQ(call().error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(as_.count("/authorize"), 0);
}

TEST_F(Login, RefusesPlainHttpEndpointsExceptOnThisMachine) {
    as_.metadata.set("token_endpoint", "http://as.example/token");
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
    EXPECT_EQ(as_.count("/token"), 0);
    resource_metadata_.if_object()->set("authorization_servers", JsonArray{"http://as.example"});
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
}

TEST_F(Login, IsNotSentInsideByAServerOutThere) {
    for (const char* inside : {"http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080",
                               "https://169.254.169.254", "https://10.0.0.1", "https://[fd00::1]"}) {
        world_.serve(inside, [](const http::Request&) { return json_answer(Json(JsonObject())); });
        first_challenge_ = std::string("Bearer resource_metadata=\"") + inside + "/x\"";
        EXPECT_EQ(call().error().code(), ErrorCode::kDenied) << inside;
        first_challenge_ = "Bearer";
        resource_metadata_.if_object()->set("authorization_servers", JsonArray{inside});
        EXPECT_EQ(call().error().code(), ErrorCode::kDenied) << inside;
        resource_metadata_.if_object()->set("authorization_servers", JsonArray{"https://as.example/r"});
        world_.serve(kIssuer, [inside](const http::Request&) {
            FetchedResponse redirect{302, {}, {}};
            redirect.headers.set("Location", std::string(inside) + "/x");
            return redirect;
        });
        EXPECT_EQ(call().error().code(), ErrorCode::kDenied) << inside;
    }
    for (const std::string& url : world_.visited)
        EXPECT_TRUE(url.starts_with("https://mcp.example/") || url.starts_with("https://as.example/")) << url;
}

TEST_F(Login, FollowsARedirectOfTheMetadata) {
    world_.serve("https://mcp.example", [this](const http::Request& request) {
        if (request.url.path() == "/moved") return json_answer(resource_metadata_);
        FetchedResponse redirect{302, {}, {}};
        redirect.headers.set("Location", "/moved");
        return redirect;
    });
    EXPECT_EQ(call().value(), 200);
}

TEST_F(Login, RefusesAPlainHttpRedirectToAnotherMachine) {
    redirect_uri_ = "http://app.example/callback";
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
}

// RFC 9207, one row per conformance scenario.
struct IssCase {
    const char* name;
    bool advertised;
    const char* iss;
    bool accepted;
};
class IssuerParameter : public AuthorizerRig, public ::testing::WithParamInterface<IssCase> {};

TEST_P(IssuerParameter, IsCheckedByteForByte) {
    if (GetParam().advertised) as_.metadata.set("authorization_response_iss_parameter_supported", true);
    as_.answer_iss = GetParam().iss;
    const auto answer = call();
    EXPECT_EQ(answer.has_value(), GetParam().accepted);
    if (!GetParam().accepted) {
        EXPECT_EQ(answer.error().code(), ErrorCode::kDenied);
        EXPECT_EQ(as_.count("/token"), 0) << "a code from an unknown server was redeemed";
    }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, IssuerParameter,
                         ::testing::Values(IssCase{"supported", true, "https://as.example", true},
                                           IssCase{"not_advertised", false, "", true},
                                           IssCase{"supported_missing", true, "", false},
                                           IssCase{"wrong_issuer", true, "https://evil.example", false},
                                           IssCase{"unexpected", false, "https://evil.example", false},
                                           IssCase{"normalized", true, "https://as.example/", false}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Login, DoesNotShowTheErrorOfAnUnknownServer) {
    as_.answer_iss = "https://evil.example";
    as_.authorize_error = "please_visit_evil_example";
    EXPECT_THAT(call().error().to_string(), Not(HasSubstr("please_visit")));
}

TEST_F(Login, RefusesAResponseWithAnotherState) {
    browse_ = [this](const std::string& url) {
        std::string location = as_.authorize(url);
        return location.replace(location.find("state=") + 6, 4, "AAAA");
    };
    EXPECT_EQ(call().error().code(), ErrorCode::kDenied);
    EXPECT_EQ(as_.count("/token"), 0);
}

TEST_F(Login, RefusesARepeatedParameter) {
    browse_ = [this](const std::string& url) { return as_.authorize(url) + "&code=other"; };
    EXPECT_EQ(call().error().code(), ErrorCode::kParse);
}

TEST_F(Login, SaysThatThePersonRefused) {
    as_.authorize_error = "access_denied";
    const auto answer = call();
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnauthorized);
    EXPECT_THAT(answer.error().message(), HasSubstr("access_denied"));
}

TEST_F(Login, SendsNoTokenOverAnUnencryptedNetwork) {
    const Url url = *Url::parse("http://mcp.example/mcp");
    Authorizer plain(url, options_, world_.fetch(), *store_, nullptr);
    const http::Headers headers{{"WWW-Authenticate", first_challenge_}};
    const Context ctx;
    for (const char* peer : {"", "10.0.0.1", "8.8.8.8"}) {
        const auto answer = loop_.run_until_done(plain.on_response(
            ctx, {.method = "POST", .url = url}, {.status = 401, .headers = headers, .sent = {}, .peer = peer}));
        EXPECT_EQ(answer.error().code(), ErrorCode::kDenied) << peer;
    }
    EXPECT_TRUE(world_.visited.empty());
}

TEST_F(Login, NeedsSomebodyToAsk) {
    Authorizer lonely(*Url::parse(kServer), options_, world_.fetch(), *store_, nullptr);
    const Url url = *Url::parse(kServer);
    const http::Headers headers{{"WWW-Authenticate", first_challenge_}};
    const Context ctx;
    const auto answer = loop_.run_until_done(
        lonely.on_response(ctx, {.method = "POST", .url = url}, {.status = 401, .headers = headers, .sent = {}}));
    EXPECT_EQ(answer.error().code(), ErrorCode::kUnauthorized);
}

TEST_F(Login, GivesUpOnAServerThatRefusesEveryToken) {
    server_ = [this](const std::string&, const Authorizer::Fields&) { return refuse(401, first_challenge_); };
    as_.give_refresh_token = false;
    EXPECT_EQ(call().error().code(), ErrorCode::kUnauthorized);
    EXPECT_EQ(as_.count("/authorize"), options_.max_logins);
}

TEST_F(Login, ReadsMarch2025MetadataAtTheServersRoot) {
    resource_metadata_ = Json();
    first_challenge_ = "";
    FakeAuthorizationServer old("https://mcp.example");
    old.metadata.erase("code_challenge_methods_supported");
    old.metadata.set("token_endpoint", "https://mcp.example/oauth/token");
    world_.serve("https://mcp.example", [&old](const http::Request& request) {
        http::Request inner = request;
        if (request.url.path() == "/oauth/token") inner.url = *Url::parse("https://mcp.example/token");
        return old.handle(inner);
    });
    browse_ = [&old](const std::string& url) { return old.authorize(url); };
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(world_.visited.back(), "https://mcp.example/oauth/token");
    EXPECT_FALSE(old.last("/authorize")->params.contains("resource"));
    EXPECT_TRUE(old.last("/authorize")->params.contains("code_challenge"));
}

TEST_F(Login, UsesMarch2025EndpointsWhenThereIsNoMetadataAtAll) {
    resource_metadata_ = Json();
    FakeAuthorizationServer old("https://mcp.example");
    old.serve_metadata = false;
    world_.serve("https://mcp.example", old);
    browse_ = [&old](const std::string& url) { return old.authorize(url); };
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(old.count("/register"), 1);
    EXPECT_EQ(old.count("/authorize"), 1);
    EXPECT_EQ(old.count("/token"), 1);
}

}  // namespace
}  // namespace gantry::auth
