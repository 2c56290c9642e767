#include "auth/jose/key.hpp"

#include <gtest/gtest.h>

#include "auth/jose/key_set.hpp"
#include "base/crypto/base64url.hpp"

namespace gantry::jose {
namespace {

Json json(std::string_view text) {
    return *Json::parse(text);
}

// RFC 8037 appendix A.
constexpr const char* kEd25519 =
    R"({"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})";
// RFC 7638 section 3.1.
constexpr const char* kRfc7638 =
    R"({"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"})";
// Made for this test.
constexpr const char* kSec1 =
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIMsuPaD3CDRitqbNC5rcaQelExDoiE4IRwYn+sA6pid3oAoGCCqGSM49\n"
    "AwEHoUQDQgAE04N0xi21hshyvBp7I167sbE/bXqyqkAPfefdklMO7wZQjx7HL4LT\n"
    "prsNSeMh0Q2TF4W0czj6X/jUuoTD2dWCbA==\n"
    "-----END EC PRIVATE KEY-----\n";

TEST(Key, ThumbprintsMatchTheRfcs) {
    EXPECT_EQ(Key::from_jwk(json(kRfc7638))->thumbprint(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    EXPECT_EQ(Key::from_jwk(json(kEd25519))->thumbprint(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
}

TEST(Key, Ed25519SignsAsInRfc8037) {
    const auto key = Key::from_jwk(json(kEd25519));
    const auto signature = key->sign(Alg::kEdDSA, "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc");
    EXPECT_EQ(crypto::base64url_encode(*signature),
              "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg");
}

TEST(Key, EveryAlgorithmSignsAndVerifiesWithItsOwnKeyOnly) {
    const Alg algs[] = {Alg::kHS256, Alg::kHS384, Alg::kHS512, Alg::kRS256, Alg::kPS512,
                        Alg::kES256, Alg::kES384, Alg::kES512, Alg::kEdDSA};
    const Key rsa = *Key::generate(Alg::kRS256);
    for (const Alg alg : algs) {
        const bool is_rsa = alg == Alg::kRS256 || alg == Alg::kPS512;
        const Key key = is_rsa ? rsa : *Key::generate(alg);
        const auto signature = key.sign(alg, "message");
        ASSERT_TRUE(signature) << to_string(alg) << signature.error().to_string();
        EXPECT_TRUE(key.verify(alg, "message", *signature));
        EXPECT_EQ(key.verify(alg, "massage", *signature).error().code(), ErrorCode::kUnauthorized);
        EXPECT_FALSE(key.verify(alg, "message", *signature + std::string(1, '\0')));
        EXPECT_FALSE(key.verify(alg, "message", ""));
        for (const Alg other : algs) {
            if (other == alg) continue;
            EXPECT_FALSE(key.verify(other, "message", *signature)) << to_string(alg) << to_string(other);
            if (family_of(other) != family_of(alg) && !is_rsa)
                EXPECT_EQ(key.verify(other, "message", *signature).error().code(), ErrorCode::kDenied);
        }
    }
}

TEST(Key, PublicHalfVerifiesAndCannotSign) {
    for (const Alg alg : {Alg::kES256, Alg::kES512, Alg::kEdDSA}) {
        const Key pair = *Key::generate(alg);
        const Key half = *Key::from_jwk(Json(pair.with_kid("k1").public_jwk()));
        EXPECT_EQ(half.kid(), "k1");
        EXPECT_FALSE(half.has_private());
        EXPECT_TRUE(half.verify(alg, "m", *pair.sign(alg, "m")));
        EXPECT_FALSE(half.sign(alg, "m"));
        EXPECT_FALSE(half.private_pem());
        EXPECT_EQ(half.thumbprint(), pair.thumbprint());
        EXPECT_FALSE(half.public_jwk().contains("d"));
    }
}

TEST(Key, PemRoundTripsAndReadsSec1) {
    const Key pair = *Key::generate(Alg::kEdDSA);
    EXPECT_EQ(Key::from_pem(*pair.private_pem())->thumbprint(), pair.thumbprint());
    const auto sec1 = Key::from_pem(kSec1);
    ASSERT_TRUE(sec1) << sec1.error().to_string();
    EXPECT_EQ(sec1->curve(), Curve::kP256);
    EXPECT_TRUE(sec1->has_private());
    EXPECT_FALSE(Key::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"));
    EXPECT_FALSE(Key::from_pem(""));
    EXPECT_EQ(Key::from_pem(std::string(100'000, 'x')).error().code(), ErrorCode::kLimit);
}

TEST(Key, RefusesPrivatePartOfAnotherKey) {
    Json mixed = json(kEd25519);
    mixed.if_object()->set("x", *Key::generate(Alg::kEdDSA)->public_jwk().find("x"));
    EXPECT_EQ(Key::from_jwk(mixed).error().code(), ErrorCode::kDenied);

    Json ec(Key::generate(Alg::kES256)->public_jwk());
    ec.if_object()->set("d", "yy49oPcINGK2ps0LmtxpB6UTEOiITghHBif6wDqmJ3c");
    EXPECT_FALSE(Key::from_jwk(ec));
}

TEST(Key, RefusesEd25519PointsOfSmallOrder) {
    for (std::string point : {std::string(32, '\0'), "\x01" + std::string(31, '\0'),
                              "\xec" + std::string(30, '\xff') + "\x7f", "\xee" + std::string(31, '\xff')}) {
        const Json jwk(JsonObject{{"kty", "OKP"}, {"crv", "Ed25519"}, {"x", crypto::base64url_encode(point)}});
        EXPECT_EQ(Key::from_jwk(jwk).error().code(), ErrorCode::kDenied);
    }
}

TEST(Key, RefusesMalformedJwks) {
    for (const char* bad :
         {"[]", "{}", R"({"kty":"EC"})", R"({"kty":"oct"})", R"({"kty":"oct","k":5})", R"({"kty":"oct","k":"a b"})",
          R"({"kty":"EC","crv":"P-256","x":"AA","y":"AA"})", R"({"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"})",
          R"({"kty":"oct","k":"AAAA","key_ops":"sign"})", R"({"kty":"oct","k":"AAAA","key_ops":["sign","sign"]})",
          R"({"kty":"oct","k":"AAAA","alg":1})", R"({"kty":"RSA","n":"AQAB","e":"AQAB"})"})
        EXPECT_FALSE(Key::from_jwk(json(bad))) << bad;
}

TEST(Key, RespectsUseAndOperationsAndAlg) {
    const std::string k = crypto::base64url_encode(std::string(64, 'k'));
    const auto key = [&](const char* extra) {
        return *Key::from_jwk(json(R"({"kty":"oct","k":")" + k + "\"" + extra + "}"));
    };
    EXPECT_TRUE(key("").permits(Alg::kHS512, Operation::kSign));
    EXPECT_FALSE(key(R"(,"use":"enc")").permits(Alg::kHS512, Operation::kVerify));
    EXPECT_FALSE(key(R"(,"key_ops":["verify"])").permits(Alg::kHS256, Operation::kSign));
    EXPECT_TRUE(key(R"(,"key_ops":["verify"])").permits(Alg::kHS256, Operation::kVerify));
    EXPECT_FALSE(key(R"(,"key_ops":[])").permits(Alg::kHS256, Operation::kVerify));
    EXPECT_FALSE(key(R"(,"alg":"HS512")").permits(Alg::kHS256, Operation::kVerify));
    EXPECT_FALSE(key(R"(,"alg":"dir")").permits(Alg::kHS256, Operation::kVerify));
}

TEST(KeySet, LeavesOutUnknownKeysAndRefusesAmbiguity) {
    const Json known(Key::generate(Alg::kES256)->with_kid("a").public_jwk());
    const Json odd(JsonObject{{"kty", "XYZ"}, {"kid", "a"}});
    EXPECT_EQ(KeySet::parse(Json(JsonObject{{"keys", JsonArray{odd, known}}}))->size(), 1u);
    EXPECT_FALSE(KeySet::parse(Json(JsonObject{{"keys", JsonArray{known, known}}})));
    EXPECT_FALSE(KeySet::parse(Json(JsonObject{{"keys", "x"}})));
    EXPECT_FALSE(KeySet::of({*Key::generate(Alg::kHS256), *Key::generate(Alg::kES256)}));
}

}  // namespace
}  // namespace gantry::jose
