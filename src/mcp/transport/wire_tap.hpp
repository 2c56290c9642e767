#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// One event on the wire. Views are valid during the callback only.
struct WireEvent {
    enum class Direction : std::uint8_t { kSent, kReceived };
    Direction direction = Direction::kSent;
    /// A whole message: a line, a body, the data of one server-sent event. Not masked; empty for a head without a body.
    std::string_view text = {};
    /// HTTP only: the request's method and URL without query, the response's status.
    std::string_view method = {};
    std::string_view url = {};
    int status = 0;
    /// HTTP only, with secrets replaced by "***".
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Observes a transport, for `--trace` and tests. Runs on the loop's thread, must not block or throw.
using WireTap = std::function<void(const WireEvent&)>;

/// Header fields safe to display: a value is shown only if its name is known to be harmless.
std::vector<std::pair<std::string, std::string>> masked(const http::Headers& headers);

/// A URL without user-info, query and fragment, which may contain secrets.
std::string without_query(std::string_view url);

/// A command line safe for logs: values of options that look secret become "***", and the whole is truncated.
std::string masked_command(std::string_view program, const std::vector<std::string>& args);

}  // namespace gantry::mcp
