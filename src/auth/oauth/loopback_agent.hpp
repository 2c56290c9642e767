#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "auth/oauth/user_agent.hpp"

namespace gantry {
class Loop;
}

namespace gantry::auth {

struct LoopbackOptions {
    /// 0: any free port. Fixed for clients whose redirect URI was registered beforehand.
    std::uint16_t port = 0;
    /// The host as spelled in the redirect URI: "127.0.0.1" or "localhost". The listener is on 127.0.0.1 either way.
    std::string host = "127.0.0.1";
    std::string path = "/callback";
    /// Open the desktop's browser in addition to showing the URL.
    bool open_browser = false;
    /// Called with the URL to visit, e.g. to print it.
    std::function<void(const std::string& url)> show = {};
};

/// Listens on this machine for the redirect of an authorization (RFC 8252), one at a time.
///
/// The listener lives from redirect_uri() to the end of authorize(), or to finish(). Only a GET of the path with the
/// right `state` counts; anything else gets an error page and the wait continues, so a stray tab cannot abort a login.
/// Use it on `loop` only.
std::unique_ptr<UserAgent> make_loopback_agent(Loop& loop, LoopbackOptions options);

/// Passes the URL to xdg-open without waiting for the browser, which deliberately outlives this process.
Result<void> open_in_browser(const std::string& url);

}  // namespace gantry::auth
