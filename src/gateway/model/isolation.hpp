#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// How strictly a local server is isolated; docs/configuration.md has the table.
enum class IsolationLevel : std::uint8_t { kOff, kStandard, kStrict };
enum class NetworkAccess : std::uint8_t {
    kOpen,
    kNone,
    kListed,  ///< through the gateway's own proxy, to Isolation::hosts and nowhere else
};
enum class HomeFolder : std::uint8_t { kOwn, kHost };

/// What a local server may do, as configured. The level supplies whatever is not set here.
struct Isolation {
    IsolationLevel level = IsolationLevel::kStandard;
    std::optional<NetworkAccess> network = {};
    /// "example.com", "*.example.com", "example.com:8443"; without a port: 80 and 443.
    std::vector<std::string> hosts = {};
    /// Paths; "~/…" stands for the user's home. Writable paths are readable too.
    std::vector<std::string> read = {};
    std::vector<std::string> write = {};
    /// Names of the gateway's own environment variables that are passed on.
    std::vector<std::string> env = {};
    HomeFolder home = HomeFolder::kOwn;
    /// Whether it may call the gateway itself, and through it other servers' tools.
    bool gateway = false;
    std::size_t memory = 0;     // bytes for the whole process tree; 0: the level's default
    std::size_t processes = 0;  // threads included; 0: the level's default

    bool operator==(const Isolation&) const = default;
};

/// Whether a variable of this name holds credentials for the host's cloud or model accounts. Such variables are not
/// passed on by default; an operator who wants a server to have one lists it in that server's `env`.
bool is_credential_name(std::string_view name);

}  // namespace gantry::gateway
