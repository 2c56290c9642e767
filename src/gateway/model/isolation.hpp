#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::gateway {

/// How far a local server is kept apart; docs/configuration.md has the table.
enum class IsolationLevel : std::uint8_t { kOff, kStandard, kStrict };
enum class NetworkAccess : std::uint8_t {
    kOpen,
    kNone,
    kListed,  ///< through the gateway's own proxy, to Isolation::hosts and nowhere else
};
enum class HomeFolder : std::uint8_t { kOwn, kHost };

/// What a local server may do, as configured. What is not said here is said by the level.
struct Isolation {
    IsolationLevel level = IsolationLevel::kStandard;
    std::optional<NetworkAccess> network = {};
    /// "example.com", "*.example.com", "example.com:8443"; without a port: 80 and 443.
    std::vector<std::string> hosts = {};
    /// Paths, "~/…" for the user's home. What may be written may be read.
    std::vector<std::string> read = {};
    std::vector<std::string> write = {};
    /// Names of our own variables that are handed on.
    std::vector<std::string> env = {};
    HomeFolder home = HomeFolder::kOwn;
    /// It may call the gateway itself, and through it other servers' tools.
    bool gateway = false;
    std::size_t memory = 0;     // bytes of the whole family; 0: what the level says
    std::size_t processes = 0;  // threads included; 0: what the level says

    bool operator==(const Isolation&) const = default;
};

/// Names of variables that hold what the host's clouds and models are paid with. They are never handed on by name; an
/// operator who wants a server to have one says so in that server's `env`.
bool is_credential_name(std::string_view name);

}  // namespace gantry::gateway
