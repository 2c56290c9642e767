#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::mcp {

/// Stands for a session wherever others may read along. Of its name, which leads back to nothing.
using SessionDigest = std::array<char, 16>;

SessionDigest digest_of(std::string_view session_name);

/// Legacy sessions that are over although their ids have not expired. Any instance with the key can open an id, so
/// what one of them was told has to reach the others. Belongs to one loop.
class Revocations {
public:
    virtual ~Revocations() = default;

    /// Holds from now on until `expires` (seconds of Unix time), whatever storage is behind it.
    virtual void revoke(const SessionDigest& session, std::int64_t expires) = 0;
    /// As far as is known; looks nowhere else.
    virtual bool revoked(const SessionDigest& session) const noexcept = 0;
    /// Looks for what others have revoked since the last time. Called once a second while there are sessions, and
    /// before one that was not seen before is taken up.
    virtual std::vector<SessionDigest> news() = 0;
};

/// Remembers a bounded number of them. When it is full the expired go, and if there are few of these, those that expire
/// soonest: they would have been of use for the shortest time.
class RevokedSet {
public:
    explicit RevokedSet(std::size_t most) noexcept : most_(most) {}

    /// False when it was there already.
    bool add(const SessionDigest& session, std::int64_t expires);
    bool contains(const SessionDigest& session) const noexcept { return entries_.contains(session); }
    void drop_expired(std::int64_t now);

    std::size_t size() const noexcept { return entries_.size(); }
    /// How many were forgotten too early.
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
