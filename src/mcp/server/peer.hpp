#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gantry/mcp/lifecycle.hpp"
#include "gantry/mcp/revision.hpp"

namespace gantry::mcp {

/// Who stands behind a request, as whoever authenticates sees it. This folder only compares keys: a session
/// belongs to one of them. The gateway derives from it.
class Identity {
public:
    explicit Identity(std::string key) : key_(std::move(key)) {}
    virtual ~Identity() = default;

    /// The same for the same person or program, whatever token it shows this time.
    const std::string& key() const noexcept { return key_; }

private:
    std::string key_;
};

/// The client a request comes from: what it speaks and what it can do. Shared by all requests that say the same,
/// so that a declaration is read once.
struct Peer {
    Revision revision = kLatestRevision;
    ClientCapabilities capabilities = {};
    /// The same capabilities as canonical JSON, to tell sets of them apart.
    std::string capabilities_text = "{}";
    std::optional<Implementation> info = {};
    std::shared_ptr<const Identity> identity = {};
    /// Names the legacy session for its whole life; empty for a modern client, which has none, and in stateless mode.
    std::string session = {};
    /// What the backend derives from all this, kept beside it so that it is made once.
    mutable std::shared_ptr<const void> companion = {};

    bool modern() const noexcept { return is_modern(revision); }
};

using PeerPtr = std::shared_ptr<const Peer>;

}  // namespace gantry::mcp
