#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/http/headers.hpp"

namespace gantry::mcp {

/// One thing seen on the wire. Views are valid during the callback only.
struct WireEvent {
    enum class Direction : std::uint8_t { kSent, kReceived };
    Direction direction = Direction::kSent;
    /// A whole message: a line, a body, the data of one server-sent event. Not masked; empty for a bare head.
    std::string_view text = {};
    /// HTTP only: the request's method and its URL without query, the status of a response.
    std::string_view method = {};
    std::string_view url = {};
    int status = 0;
    /// HTTP only, secrets already replaced by "***".
    std::vector<std::pair<std::string, std::string>> headers = {};
};

/// Watches a transport, for `--trace` and tests. Runs on the loop's thread, must not block or throw.
using WireTap = std::function<void(const WireEvent&)>;

/// Header fields fit for a person's eyes: a value is shown only when its name is known to be harmless.
std::vector<std::pair<std::string, std::string>> masked(const http::Headers& headers);

/// A URL without user-info, query and fragment, which are where secrets hide.
std::string without_query(std::string_view url);

/// A command line fit for logs: values of options that sound secret become "***", and all is kept short.
std::string masked_command(std::string_view program, const std::vector<std::string>& args);

}  // namespace gantry::mcp
