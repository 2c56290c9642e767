#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "auth/store/backend.hpp"
#include "auth/store/temporary_folder.hpp"
#include "auth/store/token_store.hpp"
#include "io/loop.hpp"

// GLib is not instrumented: what its D-Bus thread does looks like races to ThreadSanitizer.
#if __has_feature(thread_sanitizer)
#define GANTRY_SKIP_UNDER_TSAN() GTEST_SKIP() << "GLib's own thread cannot be judged by ThreadSanitizer"
#else
#define GANTRY_SKIP_UNDER_TSAN() static_cast<void>(0)
#endif

namespace gantry::auth {
namespace {

constexpr const char* kInside = "GANTRY_TEST_KEYRING_SESSION";
constexpr std::string_view kSecret = "keyring-marker-0815";

bool has_tool(const char* name) {
    return std::system(("command -v " + std::string(name) + " >/dev/null 2>&1").c_str()) == 0;
}

/// A bus that starts nothing by itself: a second keyring daemon, started on demand because the first is slow, would
/// answer in its place and know no password.
constexpr std::string_view kBusConfig =
    R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
)";

/// Runs this very test again inside a private D-Bus session with a fresh, unlocked keyring.
int run_inside_session(const std::filesystem::path& folder, const std::string& test) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string base = folder.string();
    const std::string script = "printf %s password >'" + base +
                               "/password'; "
                               "gnome-keyring-daemon --foreground --unlock --components=secrets <'" +
                               base +
                               "/password' >/dev/null 2>&1 & "
                               "keyring=$!; '" +
                               self + "' --gtest_filter=" + test + " >'" + base +
                               "/log' 2>&1; code=$?; "
                               "kill $keyring; wait $keyring; exit $code";
    std::ofstream(folder / "bus.conf") << kBusConfig;
    const std::string command = "mkdir -p -m 700 '" + base + "/run' && env -u DISPLAY -u WAYLAND_DISPLAY " +
                                std::string(kInside) + "=1 HOME='" + base + "' XDG_DATA_HOME='" + base +
                                "/data' XDG_RUNTIME_DIR='" + base + "/run' dbus-run-session --config-file='" + base +
                                "/bus.conf' -- sh -c \"$GANTRY_TEST_SCRIPT\"";
    ::setenv("GANTRY_TEST_SCRIPT", script.c_str(), 1);
    const int status = std::system(command.c_str());
    ::unsetenv("GANTRY_TEST_SCRIPT");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string log_of(const std::filesystem::path& folder) {
    std::ifstream in(folder / "log");
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

void use_the_keyring() {
    auto backend = make_keyring_backend();
    for (int attempt = 0; !backend && attempt < 500; ++attempt) {  // the daemon is still starting
        ::usleep(20'000);
        backend = make_keyring_backend();
    }
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
    if (std::getenv(kInside)) return use_the_keyring();
    if (auto none = make_keyring_backend(); !none && none.error().code() == ErrorCode::kUnsupported)
        GTEST_SKIP() << none.error().message();
    for (const char* tool : {"dbus-run-session", "gnome-keyring-daemon"})
        if (!has_tool(tool)) GTEST_SKIP() << tool << " is not installed";
    TemporaryFolder folder;
    const int code =
        run_inside_session(folder.path(), "KeyringBackend.KeepsSecretsInARealSecretServiceAndNotInPlaintextOnDisk");
    EXPECT_EQ(code, 0) << log_of(folder.path());
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
