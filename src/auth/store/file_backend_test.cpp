#include <gtest/gtest.h>
#include <sys/stat.h>

#include "auth/store/backend.hpp"
#include "auth/store/sealed.hpp"
#include "base/crypto/digest.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::auth {
namespace {

namespace fs = std::filesystem;

const SecretId kId{"tokens", "https://as.example", "client", "https://mcp.example"};
constexpr std::string_view kSecret = "plaintext-marker-4711";

class FileBackend : public ::testing::Test {
protected:
    fs::path folder() const { return temporary_.path() / "data" / "gantry"; }
    std::unique_ptr<SecretBackend> open() {
        auto backend = make_file_backend(folder());
        EXPECT_TRUE(backend) << backend.error().to_string();
        return backend ? *std::move(backend) : nullptr;
    }
    static mode_t mode(const fs::path& path) {
        struct stat info{};
        ::stat(path.c_str(), &info);
        return info.st_mode & 07777;
    }
    TemporaryFolder temporary_;
};

TEST_F(FileBackend, KeepsSecretsAcrossOpenings) {
    EXPECT_TRUE(open()->save(kId, kSecret));
    EXPECT_EQ(open()->load(kId).value(), std::optional<std::string>(kSecret));
    EXPECT_TRUE(open()->save(kId, "other"));
    EXPECT_EQ(open()->load(kId).value(), std::optional<std::string>("other"));
    EXPECT_TRUE(open()->erase(kId));
    EXPECT_TRUE(open()->erase(kId));
    EXPECT_EQ(open()->load(kId).value(), std::optional<std::string>());
}

TEST_F(FileBackend, NeverMixesUpNames) {
    auto backend = open();
    for (const SecretId& other :
         {SecretId{"client", kId.issuer, kId.client, kId.resource}, SecretId{kId.kind, "", kId.client, kId.resource},
          SecretId{kId.kind, kId.issuer + "/", kId.client, kId.resource},
          SecretId{kId.kind, kId.issuer, kId.client + kId.resource, ""}}) {
        EXPECT_TRUE(backend->save(kId, kSecret));
        EXPECT_EQ(backend->load(other).value(), std::optional<std::string>());
    }
}

TEST_F(FileBackend, WritesNoPlaintextAndOnlyOwnerFiles) {
    EXPECT_TRUE(open()->save(kId, kSecret));
    EXPECT_FALSE(temporary_.contains(kSecret));
    EXPECT_FALSE(temporary_.contains(kId.issuer));
    EXPECT_EQ(mode(folder()), 0700u);
    for (const auto& entry : fs::directory_iterator(folder())) EXPECT_EQ(mode(entry.path()), 0600u) << entry.path();
    EXPECT_FALSE(fs::exists(folder() / "tokens.sealed.new"));
}

TEST_F(FileBackend, RefusesAKeyThatOthersCanRead) {
    EXPECT_TRUE(open()->save(kId, kSecret));
    fs::permissions(folder() / "tokens.key", fs::perms::group_read, fs::perm_options::add);
    EXPECT_EQ(make_file_backend(folder()).error().code(), ErrorCode::kDenied);
}

TEST_F(FileBackend, RefusesAFolderThatOthersCanWrite) {
    EXPECT_TRUE(open()->save(kId, kSecret));
    fs::permissions(folder(), fs::perms::others_write, fs::perm_options::add);
    EXPECT_EQ(make_file_backend(folder()).error().code(), ErrorCode::kDenied);
}

TEST_F(FileBackend, RefusesLinksInPlaceOfItsFiles) {
    EXPECT_TRUE(open()->save(kId, kSecret));
    fs::rename(folder() / "tokens.key", folder() / "elsewhere");
    fs::create_symlink(folder() / "elsewhere", folder() / "tokens.key");
    EXPECT_EQ(make_file_backend(folder()).error().code(), ErrorCode::kDenied);
}

TEST_F(FileBackend, RefusesAlteredContentAndKeepsIt) {
    auto backend = open();
    EXPECT_TRUE(backend->save(kId, kSecret));
    const fs::path data = folder() / "tokens.sealed";
    const auto size = fs::file_size(data);
    {
        std::fstream file(data, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(size) - 20);
        file.put('x');
    }
    EXPECT_EQ(backend->load(kId).error().code(), ErrorCode::kDenied);
    EXPECT_EQ(backend->save(kId, "new").error().code(), ErrorCode::kDenied);
    EXPECT_EQ(fs::file_size(data), size);
}

TEST_F(FileBackend, TwoProcessesSeeEachOthersSecrets) {
    auto first = open();
    auto second = open();
    const SecretId other{"client", "b", "", ""};
    EXPECT_TRUE(first->save(kId, "1"));
    EXPECT_TRUE(second->save(other, "2"));
    EXPECT_EQ(first->load(other).value(), std::optional<std::string>("2"));
    EXPECT_EQ(second->load(kId).value(), std::optional<std::string>("1"));
}

TEST(Sealed, OpensOnlyUntouchedContentWithTheSameKey) {
    const std::string key = *crypto::random_bytes(kSealKeyBytes);
    const std::string sealed = *seal(key, "hello");
    EXPECT_EQ(unseal(key, sealed), "hello");
    EXPECT_NE(*seal(key, "hello"), sealed);
    EXPECT_FALSE(unseal(*crypto::random_bytes(kSealKeyBytes), sealed));
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string altered = sealed;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        EXPECT_FALSE(unseal(key, altered)) << i;
        EXPECT_FALSE(unseal(key, sealed.substr(0, i))) << i;
    }
    EXPECT_EQ(unseal(key, *seal(key, "")), "");
}

TEST(StoreFolder, FollowsXdgAndIgnoresRelativePaths) {
    const char* home = std::getenv("HOME");
    const std::string old_home = home ? home : "";
    const char* data = std::getenv("XDG_DATA_HOME");
    const std::optional<std::string> old_data = data ? std::optional<std::string>(data) : std::nullopt;
    ::setenv("HOME", "/home/x", 1);
    ::setenv("XDG_DATA_HOME", "/data", 1);
    EXPECT_EQ(default_store_folder(), "/data/gantry");
    ::setenv("XDG_DATA_HOME", "relative", 1);
    EXPECT_EQ(default_store_folder(), "/home/x/.local/share/gantry");
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("HOME");
    EXPECT_EQ(default_store_folder().error().code(), ErrorCode::kNotFound);
    ::setenv("HOME", old_home.c_str(), 1);
    if (old_data) ::setenv("XDG_DATA_HOME", old_data->c_str(), 1);
}

}  // namespace
}  // namespace gantry::auth
