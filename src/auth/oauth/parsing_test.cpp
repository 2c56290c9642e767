#include <gtest/gtest.h>

#include "auth/oauth/challenge.hpp"
#include "auth/oauth/code_flow.hpp"
#include "auth/oauth/discovery.hpp"
#include "auth/oauth/form.hpp"
#include "auth/oauth/registration.hpp"
#include "auth/oauth/scopes.hpp"

namespace gantry::auth {
namespace {

TEST(Challenge, ReadsSeveralSchemesAndSpellings) {
    const auto all = parse_challenges(
        R"(Negotiate YWJj==, Basic realm="a, \"b\"", , BEARER Resource_Metadata = "https://x/y", scope="a b",error=invalid_token, DPoP)");
    ASSERT_TRUE(all) << all.error().to_string();
    ASSERT_EQ(all->size(), 4u);
    EXPECT_EQ((*all)[0].token68, "YWJj==");
    EXPECT_EQ((*all)[1].get("realm"), "a, \"b\"");
    EXPECT_EQ((*all)[2].scheme, "bearer");
    EXPECT_EQ((*all)[2].get("resource_metadata"), "https://x/y");
    EXPECT_EQ((*all)[2].get("scope"), "a b");
    EXPECT_EQ((*all)[2].get("error"), "invalid_token");
    EXPECT_EQ((*all)[3].scheme, "dpop");
}

TEST(Challenge, RefusesMalformedFields) {
    for (const char* bad : {"Bearer \"x\"", "Bearer a=\"open", "Bearer a=b c=d", "=", "Bearer a=1, a=2",
                            "Bearer a=\"\\", "Bearer a=\"x\"y", "\"", "Bearer@x"})
        EXPECT_FALSE(parse_challenges(bad)) << bad;
    EXPECT_EQ(parse_challenges(std::string(20'000, 'a')).error().code(), ErrorCode::kLimit);
    EXPECT_TRUE(parse_challenges("")->empty());
}

TEST(Challenge, LooksThroughAllFields) {
    http::Headers headers{{"WWW-Authenticate", "Bearer a=\"broken"},
                          {"www-authenticate", "Basic realm=x"},
                          {"WWW-Authenticate", "DPoP error=\"use_dpop_nonce\", resource_metadata=\"https://x\""}};
    const AuthChallenge challenge = read_challenge(headers);
    EXPECT_TRUE(challenge.present);
    EXPECT_TRUE(challenge.dpop);
    EXPECT_EQ(challenge.error, "use_dpop_nonce");
    EXPECT_EQ(challenge.resource_metadata, "https://x");
    EXPECT_FALSE(read_challenge(http::Headers{{"WWW-Authenticate", "Basic realm=x"}}).present);
}

TEST(Form, EncodesAndParsesStrictly) {
    Form form;
    form.add("resource", "https://x/y?z=1&a b");
    form.add_if("scope", "");
    EXPECT_EQ(form.text(), "resource=https%3A%2F%2Fx%2Fy%3Fz%3D1%26a%20b");
    const auto parsed = parse_query("code=a%2Bb+c&&state=&iss");
    ASSERT_TRUE(parsed);
    EXPECT_EQ((*parsed)[0].second, "a+b c");
    EXPECT_EQ((*parsed)[2].first, "iss");
    for (const char* bad : {"a=%4", "a=%zz", "a=%", "a=1&a=2", "a=%00"}) EXPECT_FALSE(parse_query(bad)) << bad;
}

TEST(Scopes, KeepOrderAndForgetRepeatsAndIllegalNames) {
    Scopes scopes("b a  b");
    scopes.add("c\"");
    scopes.add_all(Scopes("d a"));
    EXPECT_EQ(scopes.text(), "b a d");
    EXPECT_TRUE(scopes.contains_all(Scopes("a b")));
    EXPECT_FALSE(scopes.contains_all(Scopes("a e")));
}

TEST(Discovery, ListsThePlacesInOrder) {
    using V = std::vector<std::string>;
    EXPECT_EQ(
        resource_metadata_urls(*Url::parse("https://h/mcp?x=1")),
        (V{"https://h/.well-known/oauth-protected-resource/mcp", "https://h/.well-known/oauth-protected-resource"}));
    EXPECT_EQ(resource_metadata_urls(*Url::parse("https://h:8443")),
              (V{"https://h:8443/.well-known/oauth-protected-resource"}));
    EXPECT_EQ(server_metadata_urls(*Url::parse("https://h/t/1")),
              (V{"https://h/.well-known/oauth-authorization-server/t/1",
                 "https://h/.well-known/openid-configuration/t/1", "https://h/t/1/.well-known/openid-configuration"}));
    EXPECT_EQ(server_metadata_urls(*Url::parse("https://h/")),
              (V{"https://h/.well-known/oauth-authorization-server", "https://h/.well-known/openid-configuration"}));
}

TEST(Metadata, ResourceMustCoverTheServer) {
    const auto check = [](const char* resource, const char* server) {
        ResourceMetadata metadata;
        metadata.resource = resource;
        return check_resource(metadata, *Url::parse(server)).has_value();
    };
    EXPECT_TRUE(check("https://h/mcp", "https://h/mcp"));
    EXPECT_TRUE(check("https://h", "https://h/mcp"));
    EXPECT_TRUE(check("https://h/", "https://h/mcp?x=1"));
    EXPECT_TRUE(check("https://h/mcp", "https://H:443/mcp/"));
    EXPECT_FALSE(check("https://h/mcp", "https://h/mcpx"));
    EXPECT_FALSE(check("https://h/mcp", "https://h/"));
    EXPECT_FALSE(check("https://h/other", "https://h/mcp"));
    EXPECT_FALSE(check("https://evil/mcp", "https://h/mcp"));
    EXPECT_FALSE(check("http://h/mcp", "https://h/mcp"));
    EXPECT_FALSE(check("https://h:444/mcp", "https://h/mcp"));
    EXPECT_FALSE(check("https://h/mcp#x", "https://h/mcp"));
    EXPECT_FALSE(check("urn:x", "https://h/mcp"));
}

TEST(Metadata, RefusesDocumentsWithoutTheEssentials) {
    EXPECT_EQ(parse_resource_metadata("<html>").error().code(), ErrorCode::kParse);
    EXPECT_EQ(parse_resource_metadata(R"({"resource":"x"})").error().code(), ErrorCode::kProtocol);
    EXPECT_FALSE(parse_resource_metadata(R"({"resource":"x","authorization_servers":[]})"));
    EXPECT_FALSE(parse_resource_metadata(R"({"resource":"x","authorization_servers":[1]})"));
    EXPECT_FALSE(parse_resource_metadata(R"({"authorization_servers":["https://a"]})"));
    EXPECT_EQ(parse_server_metadata("{}").error().code(), ErrorCode::kProtocol);
    EXPECT_EQ(parse_server_metadata("[]").error().code(), ErrorCode::kParse);
    EXPECT_FALSE(parse_server_metadata(R"({"issuer":"a"})")->code_challenge_methods);
}

TEST(CodeFlow, ChallengeMatchesRfc7636) {
    EXPECT_EQ(s256_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
              "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

TEST(CodeFlow, NeedsPkceUnlessTheServerIsOld) {
    ServerMetadata server;
    server.authorization_endpoint = "https://as/authorize?tenant=1";
    const auto begin = [&] { return begin_code_flow(server, "c", "http://localhost/cb", Scopes(), "https://h"); };
    EXPECT_EQ(begin().error().code(), ErrorCode::kUnsupported);
    server.legacy = true;
    EXPECT_TRUE(begin()->url.starts_with("https://as/authorize?tenant=1&response_type=code&client_id=c&"));
    server.code_challenge_methods = {"plain"};
    EXPECT_EQ(begin().error().code(), ErrorCode::kUnsupported);
    server.code_challenge_methods = {"plain", "S256"};
    server.legacy = false;
    EXPECT_TRUE(begin());
    EXPECT_NE(begin()->state, begin()->state);
    EXPECT_NE(begin()->verifier, begin()->verifier);
    server.authorization_endpoint = "http://as/authorize";
    EXPECT_EQ(begin().error().code(), ErrorCode::kDenied);
}

TEST(Registration, TellsNativeFromWeb) {
    EXPECT_EQ(application_type("http://127.0.0.1:1/cb"), "native");
    EXPECT_EQ(application_type("http://localhost:3000/callback"), "native");
    EXPECT_EQ(application_type("com.example.app:/cb"), "native");
    EXPECT_EQ(application_type("https://example.com/cb"), "web");
}

}  // namespace
}  // namespace gantry::auth
