#include "auth/jose/jwt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto/base64url.hpp"

namespace gantry::jose {
namespace {

using std::chrono::seconds;

const WallTime kNow{seconds(1'700'000'000)};

JsonObject good_claims() {
    return JsonObject{{"iss", "https://as.example"},
                      {"aud", JsonArray{"a", "b"}},
                      {"exp", 1'700'000'300},
                      {"nbf", 1'699'999'900},
                      {"iat", 1'699'999'900}};
}
ClaimsPolicy good_policy() {
    return {.issuer = "https://as.example", .audiences = {"b"}};
}

TEST(Jwt, AcceptsGoodClaims) {
    EXPECT_TRUE(check_claims(Json(good_claims()), good_policy(), kNow));
}

TEST(Jwt, NamesTheClaimThatFails) {
    const auto failing = [](const char* name, Json value, ClaimsPolicy policy = good_policy()) {
        JsonObject claims = good_claims();
        if (value.is_null())
            claims.erase(name);
        else
            claims.set(name, std::move(value));
        const auto checked = check_claims(Json(claims), policy, kNow);
        return checked ? std::string("accepted") : checked.error().message();
    };
    EXPECT_THAT(failing("iss", "https://as.example/"), ::testing::HasSubstr("\"iss\""));
    EXPECT_THAT(failing("aud", "c"), ::testing::HasSubstr("\"aud\""));
    EXPECT_THAT(failing("aud", JsonArray{"b", 1}), ::testing::HasSubstr("\"aud\""));
    EXPECT_THAT(failing("aud", nullptr), ::testing::HasSubstr("\"aud\""));
    EXPECT_THAT(failing("exp", nullptr), ::testing::HasSubstr("\"exp\""));
    EXPECT_THAT(failing("exp", "1700000300"), ::testing::HasSubstr("\"exp\""));
    EXPECT_THAT(failing("exp", 1'699'999'940), ::testing::HasSubstr("\"exp\""));
    EXPECT_EQ(failing("exp", 1'699'999'941), "accepted");
    EXPECT_EQ(failing("exp", Json::number_from_text("1700000000.5")), "accepted");
    EXPECT_THAT(failing("nbf", 1'700'000'061), ::testing::HasSubstr("\"nbf\""));
    EXPECT_THAT(failing("iat", 1'700'000'061), ::testing::HasSubstr("\"iat\""));
    ClaimsPolicy young = good_policy();
    young.max_age = seconds(30);
    EXPECT_THAT(failing("iat", 1'699'999'900, young), ::testing::HasSubstr("too old"));
    EXPECT_THAT(failing("iat", nullptr, young), ::testing::HasSubstr("\"iat\""));
}

TEST(Jwt, SignedTokenVerifiesThroughItsKeySet) {
    const Key key = Key::generate(Alg::kES256)->with_kid("one");
    const Key other = Key::generate(Alg::kES256)->with_kid("two");
    const KeySet keys = *KeySet::of({other, key});
    const auto token = sign_jwt(good_claims(), key, Alg::kES256, "at+jwt");
    ASSERT_TRUE(token);
    ClaimsPolicy policy = good_policy();
    policy.types = {"AT+jwt"};
    EXPECT_TRUE(verify_jwt(*token, keys, policy, {}, kNow));
    policy.types = {"JWT"};
    EXPECT_FALSE(verify_jwt(*token, keys, policy, {}, kNow));
    EXPECT_FALSE(verify_jwt(*token, *KeySet::of({other}), good_policy(), {}, kNow));
    EXPECT_FALSE(verify_jwt(*token, keys, good_policy(), {.algorithms = {Alg::kRS256}}, kNow));
}

std::string with_header(std::string_view header, const Key& key) {
    const std::string input = crypto::base64url_encode(header) + "." + crypto::base64url_encode("{}");
    return input + "." + crypto::base64url_encode(*key.sign(Alg::kES256, input));
}

TEST(Jws, RefusesCriticalExtensionsUnlessUnderstood) {
    const Key key = *Key::generate(Alg::kES256);
    EXPECT_TRUE(verify(with_header(R"({"alg":"ES256"})", key), key));
    for (const char* bad : {R"({"alg":"ES256","crit":["x"],"x":1})", R"({"alg":"ES256","crit":[]})",
                            R"({"alg":"ES256","crit":"x","x":1})", R"({"alg":"ES256","crit":["b64"],"b64":false})",
                            R"({"alg":"ES256","b64":false})", R"({"alg":"ES256","alg":"ES256"})", R"({"alg":"none"})",
                            R"({"alg":"es256"})", R"({"alg":1})", R"({})", R"([])", R"({"alg":"ES256","kid":1})"})
        EXPECT_FALSE(verify(with_header(bad, key), key)) << bad;
    const VerifyOptions understands{.algorithms = {}, .understood_critical = {"x", "alg"}};
    EXPECT_TRUE(verify(with_header(R"({"alg":"ES256","crit":["x"],"x":1})", key), key, understands));
    EXPECT_FALSE(verify(with_header(R"({"alg":"ES256","crit":["x"]})", key), key, understands));
    EXPECT_FALSE(verify(with_header(R"({"alg":"ES256","crit":["x","x"],"x":1})", key), key, understands));
    EXPECT_FALSE(verify(with_header(R"({"alg":"ES256","crit":["alg"]})", key), key, understands));
}

TEST(Jws, NeverUsesKeysFromInsideTheToken) {
    const Key attacker = *Key::generate(Alg::kES256);
    const Key trusted = *Key::generate(Alg::kES256);
    const auto token = sign(JsonObject{{"jwk", attacker.public_jwk()}}, "{}", attacker, Alg::kES256);
    EXPECT_FALSE(verify(*token, trusted));
}

TEST(Jws, RefusesReservedHeaderParametersWhenSigning) {
    const Key key = *Key::generate(Alg::kES256);
    EXPECT_FALSE(sign(JsonObject{{"alg", "none"}}, "", key, Alg::kES256));
    EXPECT_FALSE(sign(JsonObject{}, "", key, Alg::kES384));
}

TEST(Jws, RefusesTokensBeyondTheLimit) {
    const Key key = *Key::generate(Alg::kES256);
    EXPECT_EQ(verify(std::string(1000, 'a'), key, {.algorithms = {}, .understood_critical = {}, .max_bytes = 999})
                  .error()
                  .code(),
              ErrorCode::kLimit);
}

}  // namespace
}  // namespace gantry::jose
