#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "gateway/model/isolation.hpp"
#include "gateway/model/resilience.hpp"

namespace gantry::gateway {

/// Which calls share a connection to a server. kAuto: a modern server is shared; a legacy HTTP server gets a session
/// per principal and capability set; a legacy child is shared for calls that need nothing back, and calls of clients
/// that accept requests use a bounded pool per principal and capability set.
enum class Sharing : std::uint8_t { kAuto, kShared, kPerPrincipal, kPerClient, kPerCall };
enum class EraWish : std::uint8_t { kAuto, kLegacy, kModern };
enum class WireWish : std::uint8_t { kAuto, kStreamableHttp, kSse };

/// Patterns on a server's own tool names.
struct ApprovalLists {
    std::vector<std::string> always = {};
    std::vector<std::string> never = {};

    bool operator==(const ApprovalLists&) const = default;
};

/// kLazy: once its inventory is known, connected only when a call needs it and closed after `idle_close` without one.
enum class Connect : std::uint8_t { kEager, kLazy };
/// When the server is unreachable at startup: start without it, or fail.
enum class OnConnectError : std::uint8_t { kDrop, kFail };

/// When a tool's definition changes: report it, or also hide and refuse the tool until an operator agrees.
enum class OnToolChange : std::uint8_t { kReport, kQuarantine };

/// One MCP server as configured.
struct McpServerSpec {
    std::string name;
    // A child…
    std::string command = {};
    std::vector<std::string> args = {};
    std::map<std::string, std::string> env = {};
    std::string cwd = {};
    Isolation isolation = {};
    // …or a URL.
    std::string url = {};
    // Of a URL, and of a child that serves HTTP.
    std::vector<std::pair<std::string, std::string>> headers = {};
    /// kAuto: a child is reached over its stdin and stdout, and at a URL both forms of HTTP are tried.
    WireWish transport = WireWish::kAuto;
    /// Of a child that serves HTTP: the path of its endpoint; empty: the usual one. See endpoint_path().
    std::string path = {};
    /// Pattern for the line of output that says such a child is ready; empty: it is as soon as it listens.
    std::string ready_when = {};

    /// Empty optional: the server's name. Empty string: no prefix.
    std::optional<std::string> prefix = {};
    std::vector<std::string> allow = {};  // patterns on the server's own names; empty: all
    std::vector<std::string> deny = {};
    /// Tools that need a person's approval, and tools that do not.
    ApprovalLists require_approval = {};
    /// Whether its inventory is kept across restarts and while it is down. Empty: only if it is lazy.
    std::optional<bool> cache_tools = {};
    Duration timeout = seconds(30);
    Duration total_timeout = std::chrono::minutes(10);
    EraWish era = EraWish::kAuto;
    Sharing sharing = Sharing::kAuto;
    std::size_t max_lanes = 8;  // per principal and capability set
    Duration idle_close = std::chrono::minutes(10);
    std::size_t max_result_bytes = 64u << 20;
    /// Bound on the bytes queued for a server that does not read them, and how long it may read nothing at that bound
    /// before its connection is dropped.
    std::size_t max_queued_bytes = 4u << 20;
    Duration stall_timeout = seconds(30);
    /// Refuses messages with lone surrogates instead of replacing them with U+FFFD.
    bool strict_json = false;

    /// Circuit breaker, concurrency, rate limits, retries.
    SourceLimits limits = {};
    Connect connect = Connect::kEager;
    OnConnectError on_connect_error = OnConnectError::kDrop;
    OnToolChange on_tool_change = OnToolChange::kReport;
    /// Empty: 10 s, or 60 s for programs that download the server first. See connect_limit().
    std::optional<Duration> connect_timeout = {};

    bool keeps_lists() const noexcept { return cache_tools.value_or(connect == Connect::kLazy); }
    bool is_child() const noexcept { return !command.empty(); }
    bool is_http_child() const noexcept { return is_child() && transport != WireWish::kAuto; }
    bool operator==(const McpServerSpec&) const = default;
};

/// Path of the endpoint of a child that serves HTTP.
std::string endpoint_path(const McpServerSpec& spec);
/// Whether the command is the client of a container engine, whose containers are not descendants of the command.
bool runs_container(const McpServerSpec& spec);

/// Timeout of one connection attempt.
Duration connect_limit(const McpServerSpec& spec);

/// A named part of the catalog.
struct GroupSpec {
    std::string name;
    std::vector<std::string> servers = {};
    /// Patterns on public tool names.
    std::vector<std::string> tools = {};
};

/// What happens to the later of two items with the same public name.
enum class OnCollision : std::uint8_t { kError, kSuffix, kFirst };

}  // namespace gantry::gateway
