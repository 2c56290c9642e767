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

/// Who shares a connection to a server. kAuto: a modern server is shared; a legacy HTTP server gets a session per
/// principal and capability set; a legacy child is shared for calls that need nothing back, and calls of clients that
/// can be asked use a bounded pool per principal and capability set.
enum class Sharing : std::uint8_t { kAuto, kShared, kPerPrincipal, kPerClient, kPerCall };
enum class EraWish : std::uint8_t { kAuto, kLegacy, kModern };
enum class WireWish : std::uint8_t { kAuto, kStreamableHttp, kSse };

/// Patterns on a server's own tool names.
struct ApprovalLists {
    std::vector<std::string> always = {};
    std::vector<std::string> never = {};

    bool operator==(const ApprovalLists&) const = default;
};

/// kLazy: connected when a call needs it, once what it offers is known, and closed when nobody has for `idle_close`.
enum class Connect : std::uint8_t { kEager, kLazy };
/// When it cannot be reached at the start: go on without it, or do not start.
enum class OnConnectError : std::uint8_t { kDrop, kFail };

/// A tool that is described differently from before: told, or also hidden and refused until somebody agrees.
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
    std::vector<std::pair<std::string, std::string>> headers = {};
    WireWish transport = WireWish::kAuto;

    /// Empty optional: the server's name. An empty text: none.
    std::optional<std::string> prefix = {};
    std::vector<std::string> allow = {};  // patterns on the server's own names; empty: all
    std::vector<std::string> deny = {};
    /// Which of its tools a person has to agree to, or need not be asked about.
    ApprovalLists require_approval = {};
    /// Whether what it offers is kept between runs and while it is down. Empty: where it is lazy.
    std::optional<bool> cache_tools = {};
    Duration timeout = seconds(30);
    Duration total_timeout = std::chrono::minutes(10);
    EraWish era = EraWish::kAuto;
    Sharing sharing = Sharing::kAuto;
    std::size_t max_lanes = 8;  // per principal and capability set
    Duration idle_close = std::chrono::minutes(10);
    std::size_t max_result_bytes = 64u << 20;
    /// Bytes queued for a server that does not take them, and how long it may take nothing at that bound before its
    /// connection is dropped.
    std::size_t max_queued_bytes = 4u << 20;
    Duration stall_timeout = seconds(30);
    /// Refuse messages with lone surrogates instead of replacing those with U+FFFD.
    bool strict_json = false;

    /// Breaker, concurrency, rates, retries.
    SourceLimits limits = {};
    Connect connect = Connect::kEager;
    OnConnectError on_connect_error = OnConnectError::kDrop;
    OnToolChange on_tool_change = OnToolChange::kReport;
    /// Empty: 10 s; 60 s for programs that fetch the server first. See connect_limit().
    std::optional<Duration> connect_timeout = {};

    bool keeps_lists() const noexcept { return cache_tools.value_or(connect == Connect::kLazy); }
    bool is_child() const noexcept { return !command.empty(); }
    bool operator==(const McpServerSpec&) const = default;
};

/// How long one attempt to connect may take.
Duration connect_limit(const McpServerSpec& spec);

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
