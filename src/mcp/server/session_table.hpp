#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mcp/server/http_session.hpp"

namespace gantry::mcp {

/// The sessions this instance knows more of than their ids say. Bounded: the least recently used give way, and come
/// back from their ids when they are used again. Revoked ones do not.
class SessionTable {
public:
    using SessionPtr = std::shared_ptr<HttpSession>;
    struct Limits {
        std::size_t sessions = 100'000;
        Duration idle = std::chrono::hours(24);
    };
    explicit SessionTable(Limits limits) : limits_(limits) {}

    /// Null when unknown here, and when it has expired meanwhile. Counts as a use.
    SessionPtr find(std::string_view token);
    void add(SessionPtr session);
    /// Over for good: no instance that knows of it takes the id again.
    void revoke(const SessionPtr& session);
    bool revoked(const std::string& name) const noexcept { return revoked_.contains(name); }

    /// Ends what has expired and lets go of what nobody will come back for.
    void sweep();
    std::size_t size() const noexcept { return sessions_.size(); }
    std::vector<SessionPtr> all() const;

private:
    bool expired(const HttpSession& session) const noexcept;
    void drop(HttpSession& session);
    void link(HttpSession& session) noexcept;
    void unlink(HttpSession& session) noexcept;
    void make_room();

    Limits limits_;
    std::unordered_map<std::string_view, SessionPtr> sessions_;  // keys are the sessions' own tokens
    std::unordered_map<std::string, std::int64_t> revoked_;      // name to when its id expires anyway
    HttpSession* oldest_ = nullptr;
    HttpSession* newest_ = nullptr;
};

}  // namespace gantry::mcp
