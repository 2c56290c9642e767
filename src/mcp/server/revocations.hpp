#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::mcp {

/// Identifies a session where third parties may read it: a digest of its name, which cannot be reversed.
using SessionDigest = std::array<char, 16>;

SessionDigest digest_of(std::string_view session_name);

/// Legacy sessions that were ended before their ids expired. Any instance with the key can open an id, so a revocation
/// at one instance has to reach the others. Single loop.
class Revocations {
public:
    virtual ~Revocations() = default;

    /// Effective immediately, until `expires` (seconds of Unix time), whatever storage is behind it.
    virtual void revoke(const SessionDigest& session, std::int64_t expires) = 0;
    /// Answers from local knowledge only.
    virtual bool revoked(const SessionDigest& session) const noexcept = 0;
    /// Fetches what other instances have revoked since the last call. Called once a second while there are sessions,
    /// and before an unknown session is restored.
    virtual std::vector<SessionDigest> news() = 0;
};

/// A bounded set. When it is full, expired entries are evicted, and if there are few of these, those that expire
/// soonest, because they would be useful for the shortest time.
class RevokedSet {
public:
    explicit RevokedSet(std::size_t most) noexcept : most_(most) {}

    /// Returns false if it was already present.
    bool add(const SessionDigest& session, std::int64_t expires);
    bool contains(const SessionDigest& session) const noexcept { return entries_.contains(session); }
    void drop_expired(std::int64_t now);

    std::size_t size() const noexcept { return entries_.size(); }
    /// Number of entries evicted before they expired.
    std::size_t lost() const noexcept { return lost_; }

    struct Hash {
        std::size_t operator()(const SessionDigest& digest) const noexcept {
            std::size_t hash = 0;
            std::memcpy(&hash, digest.data(), sizeof hash);
            return hash;
        }
    };
    using Entries = std::unordered_map<SessionDigest, std::int64_t, Hash>;
    const Entries& entries() const noexcept { return entries_; }

private:
    void make_room(std::int64_t now);

    std::size_t most_;
    std::size_t lost_ = 0;
    Entries entries_;
};

}  // namespace gantry::mcp
