#include "gateway/secrets/vault.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "auth/store/private_session.hpp"
#include "gateway/secrets/chain.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr std::string_view kSecret = "vault-marker-4711";

void keep_find_and_forget(Vault& vault, std::string_view where) {
    EXPECT_EQ(vault.find("GITHUB_TOKEN").value(), std::nullopt);
    EXPECT_FALSE(vault.erase("GITHUB_TOKEN").value());
    EXPECT_EQ(vault.save("GITHUB_TOKEN", kSecret).value(), where);
    EXPECT_EQ(vault.save("other.name-2", "x").value(), where);
    EXPECT_EQ(vault.find("GITHUB_TOKEN").value(), std::string(kSecret));
    EXPECT_THAT(vault.list().value(),
                ElementsAre(Field(&Vault::Entry::name, "GITHUB_TOKEN"), Field(&Vault::Entry::name, "other.name-2")));
    EXPECT_EQ(vault.list().value()[0].where, where);
    EXPECT_TRUE(vault.erase("GITHUB_TOKEN").value());
    EXPECT_TRUE(vault.erase("other.name-2").value());
    EXPECT_EQ(vault.find("GITHUB_TOKEN").value(), std::nullopt);
    EXPECT_THAT(vault.list().value(), IsEmpty());
    EXPECT_TRUE(vault.save("STAYS", kSecret));
}

TEST(Vault, KeepsSecretsInAnEncryptedFileWhereThereIsNoKeyring) {
    const TemporaryFolder folder;
    Vault vault({.keyring = false, .folder = folder.path() / "store"});
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "store")) << "looking makes nothing";
    EXPECT_EQ(vault.find("A").value(), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "store"));
    keep_find_and_forget(vault, "file");
    Vault later({.keyring = false, .folder = folder.path() / "store"});
    EXPECT_EQ(later.find("STAYS").value(), std::string(kSecret));
    EXPECT_FALSE(folder.contains(kSecret));
}

TEST(Vault, RefusesNamesNobodyCouldReferTo) {
    const TemporaryFolder folder;
    Vault vault({.keyring = false, .folder = folder.path()});
    for (const std::string name : {"", "a b", "a:b", "a}", "ä"}) EXPECT_FALSE(vault.save(name, "x")) << name;
    EXPECT_FALSE(vault.save(std::string(129, 'a'), "x"));
}

void use_the_keyring() {
    Vault vault;
    auth::wait_for_keyring();
    keep_find_and_forget(vault, "keyring");
    EXPECT_EQ(vault.find_in_keyring("STAYS").value(), std::string(kSecret));
    SecretChain chain{SecretOptions()};
    EXPECT_EQ(chain.find({.place = Reference::Place::kKeyring, .name = "STAYS"}).value(), std::string(kSecret));
    EXPECT_EQ(chain.find({.place = Reference::Place::kSecrets, .name = "STAYS"}).value(), std::string(kSecret));
    EXPECT_EQ(chain.find({.place = Reference::Place::kAnywhere, .name = "STAYS"}).value(), std::string(kSecret));
    EXPECT_EQ(chain.find({.place = Reference::Place::kEnv, .name = "STAYS"}).value(), std::nullopt);
}

TEST(Vault, KeepsSecretsInARealSecretService) {
    if (auth::inside_private_session()) return use_the_keyring();
    if (const std::string why = auth::why_no_private_session(); !why.empty()) GTEST_SKIP() << why;
    const TemporaryFolder folder;
    const auto run = auth::run_in_private_session(folder.path(), "Vault.KeepsSecretsInARealSecretService");
    EXPECT_EQ(run.code, 0) << run.log;
    EXPECT_FALSE(folder.contains(kSecret)) << "nothing is written in clear";
}

}  // namespace
}  // namespace gantry::gateway
