#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Who shares a connection to a server. kAuto: a modern server is shared; a legacy HTTP server gets a session per
/// principal and capability set; a legacy child is shared for calls that need nothing back, and calls of clients that
/// can be asked use a bounded pool per principal and capability set.
enum class Sharing : std::uint8_t { kAuto, kShared, kPerPrincipal, kPerClient, kPerCall };
enum class EraWish : std::uint8_t { kAuto, kLegacy, kModern };
enum class WireWish : std::uint8_t { kAuto, kStreamableHttp, kSse };

/// One MCP server as configured.
struct McpServerSpec {
    std::string name;
    // A child…
    std::string command = {};
    std::vector<std::string> args = {};
    std::map<std::string, std::string> env = {};
    std::string cwd = {};
    // …or a URL.
    std::string url = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    WireWish transport = WireWish::kAuto;

    /// Empty optional: the server's name. An empty text: none.
    std::optional<std::string> prefix = {};
    std::vector<std::string> allow = {};  // patterns on the server's own names; empty: all
    std::vector<std::string> deny = {};
    Duration timeout = seconds(30);
    Duration total_timeout = std::chrono::minutes(10);
    EraWish era = EraWish::kAuto;
    Sharing sharing = Sharing::kAuto;
    std::size_t max_lanes = 8;  // per principal and capability set
    Duration idle_close = std::chrono::minutes(10);
    std::size_t max_result_bytes = 64u << 20;

    bool is_child() const noexcept { return !command.empty(); }
};

/// A part of the catalog under a name of its own.
struct GroupSpec {
    std::string name;
    std::vector<std::string> servers = {};
    /// Patterns on public tool names.
    std::vector<std::string> tools = {};
};

/// What happens to the later of two things with one public name.
enum class OnCollision : std::uint8_t { kError, kSuffix, kFirst };

}  // namespace gantry::gateway
