#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/jose/jwt.hpp"
#include "auth/oauth/authorizer_rig.hpp"
#include "base/crypto/base64url.hpp"
#include "base/crypto/digest.hpp"

namespace gantry::auth {
namespace {

using ::testing::HasSubstr;
using Grant = AuthOptions::Grant;

class Grants : public AuthorizerRig {};

Task<Result<std::string>> give(std::string value) {
    co_return Result<std::string>(std::move(value));
}

TEST_F(Grants, ClientCredentialsWithASecret) {
    options_.grant = Grant::kClientCredentials;
    options_.client_id = "machine";
    options_.client_secret = "hidden";
    first_challenge_ += ", scope=\"a\"";
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/token", "grant_type"), "client_credentials");
    EXPECT_EQ(sent("/token", "scope"), "a");
    EXPECT_EQ(sent("/token", "resource"), kServer);
    EXPECT_EQ(as_.last("/token")->authorization, "Basic " + crypto::base64_encode("machine:hidden"));
    EXPECT_EQ(as_.count("/authorize"), 0);
}

TEST_F(Grants, ClientCredentialsWithAPrivateKey) {
    const jose::Key key = *jose::Key::generate(jose::Alg::kES256);
    options_.grant = Grant::kClientCredentials;
    options_.client_id = "machine";
    options_.private_key = *key.private_pem();
    options_.private_key_id = "k1";
    as_.metadata.set("token_endpoint_auth_methods_supported", JsonArray{"private_key_jwt"});
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(sent("/token", "client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    const auto claims = jose::verify_jwt(sent("/token", "client_assertion"), *jose::KeySet::of({key.with_kid("k1")}),
                                         {.issuer = "machine", .audiences = {kIssuer}}, {}, now_);
    ASSERT_TRUE(claims) << claims.error().to_string();
    EXPECT_EQ(claims->string_at("sub"), "machine");
    EXPECT_FALSE(claims->string_at("jti").empty());
    EXPECT_EQ(sent("/token", "client_secret"), "<absent>");
}

TEST_F(Grants, ClientCredentialsRenewTheirExpiredToken) {
    options_.grant = Grant::kClientCredentials;
    options_.client_id = "machine";
    options_.client_secret = "hidden";
    as_.give_refresh_token = false;
    ASSERT_EQ(call().value(), 200);
    now_ += std::chrono::seconds(as_.expires_in);
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/token"), 2);
}

TEST_F(Grants, WorkloadIdentityShowsThePlatformsToken) {
    std::string audience;
    options_.grant = Grant::kWorkloadIdentity;
    options_.client_id = "workload";
    options_.workload_assertion = [&](const Context&, std::string issuer) {
        audience = std::move(issuer);
        return give("platform-jwt");
    };
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(audience, kIssuer);
    EXPECT_EQ(sent("/token", "grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    EXPECT_EQ(sent("/token", "assertion"), "platform-jwt");
    EXPECT_EQ(sent("/token", "client_id"), "workload");
}

TEST_F(Grants, WorkloadIdentitySurfacesARefusalWithoutRetrying) {
    options_.grant = Grant::kWorkloadIdentity;
    options_.client_id = "workload";
    options_.workload_assertion = [](const Context&, std::string) { return give("platform-jwt"); };
    as_.token_error = "invalid_grant";
    const auto answer = call();
    EXPECT_THAT(answer.error().message(), HasSubstr("invalid_grant"));
    EXPECT_THAT(answer.error().to_string(), ::testing::Not(HasSubstr("platform-jwt")));
    EXPECT_EQ(as_.count("/token"), 1);
}

TEST_F(Grants, EnterpriseExchangesTheIdTokenAndThenTheGrant) {
    FakeAuthorizationServer idp("https://idp.example");
    idp.token_type = "N_A";
    idp.issued_token_type = "urn:ietf:params:oauth:token-type:id-jag";
    world_.serve("https://idp.example", idp);
    options_.grant = Grant::kEnterprise;
    options_.client_id = "at-the-server";
    options_.client_secret = "hidden";
    options_.enterprise = {"https://idp.example", "https://idp.example/token", "at-the-idp", "",
                           [](const Context&, std::string) { return give("id-token"); }};
    ASSERT_EQ(call().value(), 200);
    const Params& exchange = idp.last("/token")->params;
    EXPECT_EQ(exchange.at("grant_type"), "urn:ietf:params:oauth:grant-type:token-exchange");
    EXPECT_EQ(exchange.at("requested_token_type"), "urn:ietf:params:oauth:token-type:id-jag");
    EXPECT_EQ(exchange.at("subject_token"), "id-token");
    EXPECT_EQ(exchange.at("subject_token_type"), "urn:ietf:params:oauth:token-type:id_token");
    EXPECT_EQ(exchange.at("audience"), kIssuer);
    EXPECT_EQ(exchange.at("resource"), kServer);
    EXPECT_EQ(exchange.at("client_id"), "at-the-idp");
    EXPECT_EQ(sent("/token", "grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    EXPECT_EQ(sent("/token", "assertion"), "access-1");
    EXPECT_THAT(as_.last("/token")->authorization, HasSubstr("Basic "));
}

TEST_F(Grants, EnterpriseRefusesAnotherKindOfToken) {
    FakeAuthorizationServer idp("https://idp.example");
    idp.issued_token_type = "urn:ietf:params:oauth:token-type:access_token";
    world_.serve("https://idp.example", idp);
    options_.grant = Grant::kEnterprise;
    options_.client_id = "at-the-server";
    options_.enterprise = {"https://idp.example", "", "at-the-idp", "",
                           [](const Context&, std::string) { return give("id-token"); }};
    EXPECT_EQ(call().error().code(), ErrorCode::kProtocol);
    EXPECT_EQ(as_.count("/token"), 0);
}

class Dpop : public AuthorizerRig {
protected:
    Dpop() {
        first_challenge_ = std::string("DPoP resource_metadata=\"") + kMetadataUrl + "\"";
        as_.metadata.set("dpop_signing_alg_values_supported", JsonArray{"ES256"});
        as_.token_type = "DPoP";
    }
    /// The proof's claims once its own key verifies it; null otherwise.
    Json proof(const std::string& text) {
        const auto read = jose::decode_unverified(text);
        if (!read || read->header.string_at("typ") != "dpop+jwt" || !read->header.find("jwk")) return Json();
        if (read->header.find("jwk")->find("d")) return Json();
        const auto key = jose::Key::from_jwk(*read->header.find("jwk"));
        if (!key || !jose::verify(text, *key)) return Json();
        return Json::parse(read->payload).value();
    }
};

TEST_F(Dpop, ProvesPossessionAtBothServers) {
    ASSERT_EQ(call().value(), 200);
    const Json at_token = proof(as_.last("/token")->dpop);
    EXPECT_EQ(at_token.string_at("htm"), "POST");
    EXPECT_EQ(at_token.string_at("htu"), "https://as.example/token");
    EXPECT_FALSE(at_token.find("ath"));

    const auto sent = fields(std::string(kServer) + "?x=1").value();
    EXPECT_EQ(sent[0].second, "DPoP access-1");
    ASSERT_EQ(sent[1].first, "DPoP");
    const Json at_server = proof(sent[1].second);
    EXPECT_EQ(at_server.string_at("htu"), kServer);
    EXPECT_EQ(at_server.string_at("ath"), crypto::base64url_encode(crypto::sha256("access-1")));
    EXPECT_EQ(at_server.find("iat")->as_int(), 1'700'000'000);
    EXPECT_NE(at_server.string_at("jti"), proof(fields().value()[1].second).string_at("jti"));
}

TEST_F(Dpop, UsesTheNoncesOfBothServers) {
    as_.require_nonce = "as-nonce";
    server_ = [this](const std::string& authorization, const Authorizer::Fields& sent) {
        if (authorization.empty()) return refuse(401, first_challenge_);
        if (proof(sent[1].second).string_at("nonce") == "rs-nonce") return Answer{};
        Answer answer = refuse(401, "DPoP error=\"use_dpop_nonce\"");
        answer.headers.set("DPoP-Nonce", "rs-nonce");
        return answer;
    };
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/token"), 2);
    EXPECT_EQ(as_.count("/authorize"), 1);
    EXPECT_EQ(requests_, 3);
}

TEST_F(Dpop, GivesUpWhenTheServerWantsTheSameNonceAgain) {
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        if (authorization.empty()) return refuse(401, first_challenge_);
        Answer answer = refuse(401, "DPoP error=\"use_dpop_nonce\"");
        answer.headers.set("DPoP-Nonce", "always");
        return answer;
    };
    EXPECT_EQ(call().error().code(), ErrorCode::kUnauthorized);
    EXPECT_LE(requests_, 3);
}

TEST_F(Dpop, KeepsItsKeyAcrossARestart) {
    ASSERT_EQ(call().value(), 200);
    const auto key = [](const std::string& text) { return jose::decode_unverified(text)->header.find("jwk")->dump(); };
    const std::string before = key(fields().value()[1].second);
    restart();
    EXPECT_EQ(key(fields().value()[1].second), before);
    now_ += std::chrono::seconds(as_.expires_in);
    EXPECT_EQ(fields().value()[0].second, "DPoP access-2");
    EXPECT_EQ(key(as_.last("/token")->dpop), before);
}

TEST_F(Dpop, StaysWithBearerWhenTheServerDoesNotAskForIt) {
    first_challenge_ = std::string("Bearer resource_metadata=\"") + kMetadataUrl + "\"";
    as_.token_type = "Bearer";
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(as_.last("/token")->dpop, "");
    EXPECT_EQ(fields().value()[0].second, "Bearer access-1");
}

TEST_F(Dpop, RefusesABearerTokenWhenConfiguredToInsist) {
    as_.token_type = "Bearer";
    options_.dpop = AuthOptions::Dpop::kAlways;
    EXPECT_EQ(call().error().code(), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace gantry::auth
