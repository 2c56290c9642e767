#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mcp/server/http_session.hpp"
#include "mcp/server/revocations.hpp"

namespace gantry::mcp {

/// The sessions this instance holds in memory. Bounded: the least recently used are evicted, and so is every session
/// that is idle for a while and can be restored from its id alone. Both are restored on their next use; revoked and
/// expired ones are not.
class SessionTable {
public:
    using SessionPtr = std::shared_ptr<HttpSession>;
    struct Limits {
        std::size_t sessions = 100'000;
        /// Idle timeout of a session with state of its own (log level, subscriptions).
        Duration idle = std::chrono::hours(24);
        /// Idle time after which a session without state is released. Also how long events are kept for Last-Event-ID.
        Duration release = std::chrono::minutes(5);
    };
    /// `shared`: revocations known beyond this instance. Null: local only.
    explicit SessionTable(Limits limits, Revocations* shared = nullptr)
        : limits_(limits), shared_(shared), over_(limits.sessions) {}

    /// Null if unknown here or expired. Counts as a use.
    SessionPtr find(std::string_view token);
    void add(SessionPtr session);
    /// Ends the session for good, on the client's request: no instance that learns of it accepts the id again.
    void revoke(const SessionPtr& session);
    /// For a session that is not in the table: fetches new revocations first.
    bool revoked(std::string_view name);
    /// Ends the sessions that other instances have revoked.
    void heed_others();

    /// Ends expired sessions, releases restorable ones and drops events too old to be replayed.
    void sweep();
    std::size_t size() const noexcept { return sessions_.size(); }
    std::vector<SessionPtr> all() const;

private:
    bool expired(const HttpSession& session) const noexcept;
    void drop(HttpSession& session);
    /// Idle for too long on this instance; other instances may still use it.
    void expire(const SessionPtr& session);
    void finish(const SessionPtr& session);
    void link(HttpSession& session) noexcept;
    void unlink(HttpSession& session) noexcept;
    void make_room();

    Limits limits_;
    Revocations* shared_;
    RevokedSet over_;                                            // revoked here, regardless of `shared`
    std::unordered_map<std::string_view, SessionPtr> sessions_;  // keys are the sessions' own tokens
    std::unordered_map<SessionDigest, HttpSession*, RevokedSet::Hash> by_digest_;  // only if others may revoke
    HttpSession* oldest_ = nullptr;
    HttpSession* newest_ = nullptr;
};

}  // namespace gantry::mcp
