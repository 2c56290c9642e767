#include "gateway/secrets/chain.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

using Place = Reference::Place;

class Chain : public testing::Test {
protected:
    Chain() {
        std::ofstream(folder_.path() / ".env") << "IN_BOTH=env file\nIN_ENV_FILE=env file\nIN_ALL=env file\n";
        ::setenv("IN_BOTH", "environment", 1);
        ::setenv("IN_ENVIRONMENT", "environment", 1);
        ::setenv("IN_ALL", "environment", 1);
        EXPECT_TRUE(vault_.save("IN_ALL", "store"));
        EXPECT_TRUE(vault_.save("IN_STORE", "store"));
    }
    ~Chain() override {
        for (const char* name : {"IN_BOTH", "IN_ENVIRONMENT", "IN_ALL"}) ::unsetenv(name);
    }
    std::string find(Place place, const std::string& name) {
        auto found = chain_.find({.place = place, .name = name});
        if (!found) return "error: " + found.error().message();
        return found->value_or("nothing");
    }

    TemporaryFolder folder_;
    VaultOptions no_keyring_{.keyring = false, .folder = folder_.path() / "store"};
    Vault vault_{no_keyring_};
    SecretChain chain_{{.vault = no_keyring_, .env_file = folder_.path() / ".env", .base = folder_.path()}};
};

TEST_F(Chain, AsksStoreThenEnvFileThenEnvironment) {
    EXPECT_EQ(find(Place::kAnywhere, "IN_ALL"), "store");
    EXPECT_EQ(find(Place::kAnywhere, "IN_STORE"), "store");
    EXPECT_EQ(find(Place::kAnywhere, "IN_BOTH"), "env file");
    EXPECT_EQ(find(Place::kAnywhere, "IN_ENV_FILE"), "env file");
    EXPECT_EQ(find(Place::kAnywhere, "IN_ENVIRONMENT"), "environment");
    EXPECT_EQ(find(Place::kAnywhere, "NOWHERE_AT_ALL"), "nothing");
}

TEST_F(Chain, TheEnvironmentCanBeLeftOut) {
    SecretChain without({.vault = no_keyring_, .env_file = folder_.path() / ".env", .environment = false});
    EXPECT_EQ(*without.find({.name = "IN_ENVIRONMENT"}), std::nullopt);
    EXPECT_EQ(*without.find({.place = Place::kEnv, .name = "IN_ENVIRONMENT"}), std::nullopt);
    EXPECT_EQ(*without.find({.place = Place::kEnv, .name = "IN_BOTH"}), "env file");
    EXPECT_EQ(*without.find({.name = "IN_ALL"}), "store");
}

TEST_F(Chain, APlaceThatIsNamedIsTheOnlyOneAsked) {
    EXPECT_EQ(find(Place::kEnv, "IN_ALL"), "env file");
    EXPECT_EQ(find(Place::kEnv, "IN_ENVIRONMENT"), "environment");
    EXPECT_EQ(find(Place::kEnv, "IN_STORE"), "nothing");
    EXPECT_EQ(find(Place::kSecrets, "IN_STORE"), "store");
    EXPECT_EQ(find(Place::kSecrets, "IN_ENV_FILE"), "env file");
    EXPECT_EQ(find(Place::kSecrets, "IN_ENVIRONMENT"), "nothing");
    EXPECT_EQ(find(Place::kKeyring, "IN_ALL"), "nothing") << "the keyring was switched off";
}

TEST_F(Chain, AFileIsItsContentWithoutTheLastNewline) {
    std::ofstream(folder_.path() / "token") << "abc\ndef\n";
    EXPECT_EQ(find(Place::kFile, "token"), "abc\ndef");
    EXPECT_EQ(find(Place::kFile, (folder_.path() / "token").string()), "abc\ndef");
    EXPECT_EQ(find(Place::kFile, "absent"), "nothing");
    EXPECT_EQ(find(Place::kFile, "."), "error: is no regular file");
    std::ofstream(folder_.path() / "huge") << std::string(100'000, 'x');
    EXPECT_EQ(find(Place::kFile, "huge"), "error: is larger than 64 KB");
}

TEST_F(Chain, ReadsAgainWhatChanged) {
    EXPECT_EQ(find(Place::kAnywhere, "LATER"), "nothing");
    std::ofstream(folder_.path() / ".env") << "LATER=now\n";
    EXPECT_EQ(find(Place::kAnywhere, "LATER"), "now");
    EXPECT_TRUE(vault_.save("LATER", "stored"));
    EXPECT_EQ(find(Place::kAnywhere, "LATER"), "stored");
    std::ofstream(folder_.path() / ".env") << "broken\n";
    EXPECT_EQ(find(Place::kEnv, "LATER"),
              "error: " + (folder_.path() / ".env").string() + ": line 1: expected NAME=VALUE");
}

}  // namespace
}  // namespace gantry::gateway
