#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>

#include "auth/oauth/loopback_agent.hpp"
#include "base/url.hpp"

extern char** environ;

namespace gantry::auth {

Result<void> open_in_browser(const std::string& url) {
    if (!Url::parse(url)) return fail(ErrorCode::kInvalidArgument, "not a URL for a browser");
    // The shell only puts xdg-open into the background, so that waiting is short and no zombie is left;
    // the URL is an argument, never part of the script.
    const char* const arguments[] = {"sh", "-c",        "xdg-open \"$1\" </dev/null >/dev/null 2>&1 &",
                                     "sh", url.c_str(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, "/bin/sh", nullptr, nullptr, const_cast<char* const*>(arguments), environ) != 0)
        return fail(ErrorCode::kNotFound, "the browser could not be started");
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {}
    return {};
}

}  // namespace gantry::auth
