#pragma once
// For tests: a private D-Bus session with a fresh, unlocked keyring, in which the same test runs again.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "auth/store/backend.hpp"

namespace gantry::auth {

inline constexpr const char* kInsideSession = "GANTRY_TEST_KEYRING_SESSION";

inline bool inside_private_session() {
    return std::getenv(kInsideSession) != nullptr;
}

/// Empty: a private session is possible.
inline std::string why_no_private_session() {
    if (auto none = make_keyring_backend(); !none && none.error().code() == ErrorCode::kUnsupported)
        return none.error().message();
    for (const char* tool : {"dbus-run-session", "gnome-keyring-daemon"}) {
        if (std::system(("command -v " + std::string(tool) + " >/dev/null 2>&1").c_str()) != 0)
            return std::string(tool) + " is not installed";
    }
    return {};
}

/// The daemon may still be starting.
inline void wait_for_keyring() {
    for (int attempt = 0; !make_keyring_backend() && attempt < 500; ++attempt) ::usleep(20'000);
}

struct SessionRun {
    int code = -1;
    std::string log;
};

/// Runs `test` of this same program inside. The bus activates no services: a second keyring daemon, activated because
/// the first is slow to start, would answer in its place and would not have the password.
inline SessionRun run_in_private_session(const std::filesystem::path& folder, const std::string& test) {
    constexpr std::string_view kBusConfig =
        R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
)";
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
                                std::string(kInsideSession) + "=1 HOME='" + base + "' XDG_DATA_HOME='" + base +
                                "/data' XDG_RUNTIME_DIR='" + base + "/run' dbus-run-session --config-file='" + base +
                                "/bus.conf' -- sh -c \"$GANTRY_TEST_SCRIPT\"";
    ::setenv("GANTRY_TEST_SCRIPT", script.c_str(), 1);
    const int status = std::system(command.c_str());
    ::unsetenv("GANTRY_TEST_SCRIPT");
    std::ifstream log(folder / "log");
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1, .log = (std::ostringstream() << log.rdbuf()).str()};
}

}  // namespace gantry::auth
