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

/// The sessions this instance holds in memory. Bounded: the least recently used give way, and so does every session
/// that has been idle for a while and can be restored from its id alone. Both come back when they are used again;
/// revoked and expired ones do not.
class SessionTable {
public:
    using SessionPtr = std::shared_ptr<HttpSession>;
    struct Limits {
        std::size_t sessions = 100'000;
        /// A session with state of its own (log level, subscriptions) ends when it has not been used for this long.
        Duration idle = std::chrono::hours(24);
        /// An idle session without any is released from memory. Also how long events are kept for Last-Event-ID.
        Duration release = std::chrono::minutes(5);
    };
    /// `shared`: where the ends of sessions are known beyond this instance. Null: only here.
    explicit SessionTable(Limits limits, Revocations* shared = nullptr)
        : limits_(limits), shared_(shared), over_(limits.sessions) {}

    /// Null when unknown here, and when it has expired meanwhile. Counts as a use.
    SessionPtr find(std::string_view token);
    void add(SessionPtr session);
    /// Over for good, because its client said so: no instance that hears of it takes the id again.
    void revoke(const SessionPtr& session);
    /// For a session that is not in the table: asks for news first.
    bool revoked(std::string_view name);
    /// Ends the sessions that others have revoked.
    void heed_others();

    /// Ends expired sessions, releases recoverable ones and drops events that are too old to be replayed.
    void sweep();
    std::size_t size() const noexcept { return sessions_.size(); }
    std::vector<SessionPtr> all() const;

private:
    bool expired(const HttpSession& session) const noexcept;
    void drop(HttpSession& session);
    /// Not used for too long here, which says nothing about other instances.
    void expire(const SessionPtr& session);
    void finish(const SessionPtr& session);
    void link(HttpSession& session) noexcept;
    void unlink(HttpSession& session) noexcept;
    void make_room();

    Limits limits_;
    Revocations* shared_;
    RevokedSet over_;                                            // what is over here, whatever others know
    std::unordered_map<std::string_view, SessionPtr> sessions_;  // keys are the sessions' own tokens
    std::unordered_map<SessionDigest, HttpSession*, RevokedSet::Hash> by_digest_;  // only where others may revoke
    HttpSession* oldest_ = nullptr;
    HttpSession* newest_ = nullptr;
};

}  // namespace gantry::mcp
