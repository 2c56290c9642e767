#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "auth/jose/jws.hpp"
#include "support/paths.hpp"

namespace gantry::jose {
namespace {

const std::string kFolder = gantry::test_support::source_path("../shared/vectors/jose/");

// Groups of encryption (JWE). Gantry verifies and signs tokens and never encrypts them, so there is no decryption to
// test; that our readers refuse these five-part tokens is tested instead.
const std::map<std::string, std::string> kNotApplicable{
    {"jwe_aes", "JWE with A256KW: encryption is not implemented"},
    {"jwe_ec", "JWE with ECDH-ES+A128KW: encryption is not implemented"},
};

// Labels of json_web_signature_test.json that are wrong.
const std::map<std::int64_t, std::string> kMislabelled{
    {367, "called invalid, but byte for byte the token of case 357, which is called valid"},
    {370, "called invalid, but byte for byte the token of case 357, which is called valid"},
    {372, "called valid, but '?' inside the header is not base64url: RFC 7515 section 5.2 step 2 refuses it"},
    {373, "called valid, but '?' inside the payload is not base64url: RFC 7515 section 5.2 step 7 refuses it"},
};

struct Count {
    int accepted = 0, refused = 0, not_applicable = 0, mislabelled = 0;
    int total() const { return accepted + refused + not_applicable + mislabelled; }
};

class Wycheproof : public ::testing::Test {
protected:
    static Result<Json> load(const std::string& name) {
        std::ifstream in(kFolder + name, std::ios::binary);
        if (!in) return fail(ErrorCode::kNotFound, "vectors are not present");
        std::stringstream text;
        text << in.rdbuf();
        return Json::parse(text.str());
    }

    static bool accepts(const Json& key, const std::string& token) {
        if (key.find("keys")) {
            const auto set = KeySet::parse(key);
            return set && verify(token, *set);
        }
        const auto single = Key::from_jwk(key);
        return single && verify(token, *single);
    }

    static Count run(const Json& file, bool has_mislabelled) {
        Count count;
        std::map<std::int64_t, std::string> tokens;
        for (const Json& group : *file.find("testGroups")->if_array()) {
            const Json* key = group.find("public") ? group.find("public") : group.find("private");
            const bool skip = kNotApplicable.contains(std::string(group.string_at("comment")));
            for (const Json& test : *group.find("tests")->if_array()) {
                const std::int64_t id = *test.find("tcId")->as_int();
                const Json* member = test.find(skip ? "jwe" : "jws");
                if (!member) {
                    ADD_FAILURE() << "case " << id << " has no token";
                    continue;
                }
                // Some files spell the JSON serialization as an object, others as text.
                const std::string token = member->if_string() ? *member->if_string() : member->dump();
                tokens[id] = token;
                const bool accepted = accepts(*key, token);
                const auto result = test.string_at("result");
                if (skip) {
                    ++count.not_applicable;
                    EXPECT_FALSE(accepted) << id;
                } else if (has_mislabelled && kMislabelled.contains(id)) {
                    ++count.mislabelled;
                    EXPECT_EQ(accepted, result == "invalid") << id << ": " << kMislabelled.at(id);
                } else {
                    // None of these files says "acceptable"; a new label must be decided, not guessed.
                    EXPECT_TRUE(result == "valid" || result == "invalid") << id;
                    EXPECT_EQ(accepted, result == "valid") << id << " " << test.string_at("comment");
                    ++(accepted ? count.accepted : count.refused);
                }
            }
        }
        if (has_mislabelled) {
            EXPECT_EQ(tokens[367], tokens[357]);
            EXPECT_EQ(tokens[370], tokens[357]);
            EXPECT_NE(tokens[372].find('?'), std::string::npos);
            EXPECT_NE(tokens[373].find('?'), std::string::npos);
        }
        EXPECT_EQ(count.total(), file.find("numberOfTests")->as_int());
        return count;
    }
};

TEST_F(Wycheproof, SignaturesAreAcceptedAndRefusedAsLabelled) {
    const auto file = load("json_web_signature_test.json");
    if (!file) GTEST_SKIP() << file.error().to_string();
    const Count count = run(*file, true);
    EXPECT_GT(count.accepted, 40);
    EXPECT_GT(count.refused, 330);
    EXPECT_EQ(count.mislabelled, 4);
}

TEST_F(Wycheproof, KeysAreAcceptedAndRefusedAsLabelled) {
    const auto file = load("json_web_key_test.json");
    if (!file) GTEST_SKIP() << file.error().to_string();
    const Count count = run(*file, false);
    EXPECT_EQ(count.accepted, 5);
    EXPECT_EQ(count.refused, 21);
}

TEST_F(Wycheproof, MixedFileIsDecidedAndEncryptionNamedNotApplicable) {
    const auto file = load("json_web_crypto_test.json");
    if (!file) GTEST_SKIP() << file.error().to_string();
    const Count count = run(*file, false);
    EXPECT_EQ(count.not_applicable, 34);
    EXPECT_EQ(count.accepted, 4);
    EXPECT_EQ(count.refused, 45);
}

}  // namespace
}  // namespace gantry::jose
