#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

/// The authenticated sender of a request. This folder only compares keys: a session belongs to one identity. The
/// gateway derives from it.
class Identity {
public:
    explicit Identity(std::string key) : key_(std::move(key)) {}
    virtual ~Identity() = default;

    /// Stable for the same user or program, whatever token it presents.
    const std::string& key() const noexcept { return key_; }

private:
    std::string key_;
};

/// What a backend derives from a peer.
class PeerCompanion {
public:
    virtual ~PeerCompanion() = default;
};

/// The client a request comes from: its revision and capabilities. Shared by all requests with the same declaration,
/// so that it is parsed once.
struct Peer {
    Revision revision = kLatestRevision;
    ClientCapabilities capabilities = {};
    /// The capabilities as canonical JSON, for comparison.
    std::string capabilities_text = "{}";
    std::optional<Implementation> info = {};
    std::shared_ptr<const Identity> identity = {};
    /// Names the legacy session for its whole life; empty for a modern client, which has none, and in stateless mode.
    std::string session = {};
    /// Made on first use, by the only backend that serves this peer.
    mutable std::shared_ptr<const PeerCompanion> companion = {};

    bool modern() const noexcept { return is_modern(revision); }
};

using PeerPtr = std::shared_ptr<const Peer>;

}  // namespace gantry::mcp
