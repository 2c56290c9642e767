#include <gtest/gtest.h>

#include <cstdlib>

#include "auth/store/backend.hpp"
#include "auth/store/private_session.hpp"
#include "auth/store/token_store.hpp"
#include "io/loop.hpp"
#include "io/test_temporary_folder.hpp"

// GLib is not instrumented: ThreadSanitizer reports its D-Bus thread as racy.
#if __has_feature(thread_sanitizer)
#define GANTRY_SKIP_UNDER_TSAN() GTEST_SKIP() << "GLib's own thread cannot be judged by ThreadSanitizer"
#else
#define GANTRY_SKIP_UNDER_TSAN() static_cast<void>(0)
#endif

namespace gantry::auth {
namespace {

constexpr std::string_view kSecret = "keyring-marker-0815";

void use_the_keyring() {
    wait_for_keyring();
    auto backend = make_keyring_backend();
    ASSERT_TRUE(backend) << backend.error().to_string();
    const SecretId id{"tokens", "https://as.example", "", "https://mcp.example"};
    EXPECT_EQ((*backend)->load(id).value(), std::optional<std::string>());
    EXPECT_TRUE((*backend)->save(id, kSecret));
    EXPECT_EQ((*backend)->load(id).value(), std::optional<std::string>(kSecret));
    EXPECT_TRUE((*backend)->save(id, std::string(kSecret) + "-2"));
    EXPECT_EQ((*backend)->load(id).value(), std::optional<std::string>(std::string(kSecret) + "-2"));
    SecretId other = id;
    other.issuer += "/";
    EXPECT_EQ((*backend)->load(other).value(), std::optional<std::string>());
    EXPECT_EQ((*backend)->list("tokens").value(), std::vector{id});
    EXPECT_TRUE((*backend)->list("secret").value().empty());
    EXPECT_TRUE((*backend)->erase(id));
    EXPECT_TRUE((*backend)->erase(id));
    EXPECT_EQ((*backend)->load(id).value(), std::optional<std::string>());

    auto store = open_default_store();
    ASSERT_TRUE(store) << store.error().to_string();
    EXPECT_EQ((*store)->backend_name(), "keyring");
    Loop loop;
    const TokenKey key{"https://as.example", "c", "https://mcp.example"};
    const Tokens tokens{std::string(kSecret), "Bearer", "", "", std::nullopt, ""};
    EXPECT_TRUE(loop.run_until_done((*store)->save_tokens(Context(), key, tokens)));
    EXPECT_EQ(loop.run_until_done((*store)->tokens(Context(), key)).value(), std::optional(tokens));
}

TEST(KeyringBackend, KeepsSecretsInARealSecretServiceAndNotInPlaintextOnDisk) {
    GANTRY_SKIP_UNDER_TSAN();
    if (inside_private_session()) return use_the_keyring();
    if (const std::string why = why_no_private_session(); !why.empty()) GTEST_SKIP() << why;
    TemporaryFolder folder;
    const auto run =
        run_in_private_session(folder.path(), "KeyringBackend.KeepsSecretsInARealSecretServiceAndNotInPlaintextOnDisk");
    EXPECT_EQ(run.code, 0) << run.log;
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "data" / "keyrings")) << "the keyring wrote nothing";
    EXPECT_FALSE(folder.contains(kSecret));
}

TEST(KeyringBackend, DefaultStoreFallsBackToTheFileWithoutASession) {
    GANTRY_SKIP_UNDER_TSAN();
    TemporaryFolder folder;
    ::setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const auto store = open_default_store();
    ::unsetenv("XDG_DATA_HOME");
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    ASSERT_TRUE(store) << store.error().to_string();
    EXPECT_EQ((*store)->backend_name(), "file");
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "gantry" / "tokens.key"));
}

}  // namespace
}  // namespace gantry::auth
