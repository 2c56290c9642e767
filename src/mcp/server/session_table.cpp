#include "mcp/server/session_table.hpp"

#include "mcp/server/session_id.hpp"

namespace gantry::mcp {

bool SessionTable::expired(const HttpSession& session) const noexcept {
    return session.expires <= unix_now() || (session.idle() && SteadyClock::now() - session.used >= limits_.idle);
}

void SessionTable::link(HttpSession& session) noexcept {
    session.older = newest_;
    session.newer = nullptr;
    (newest_ != nullptr ? newest_->newer : oldest_) = &session;
    newest_ = &session;
}

void SessionTable::unlink(HttpSession& session) noexcept {
    (session.older != nullptr ? session.older->newer : oldest_) = session.newer;
    (session.newer != nullptr ? session.newer->older : newest_) = session.older;
}

SessionTable::SessionPtr SessionTable::find(std::string_view token) {
    const auto found = sessions_.find(token);
    if (found == sessions_.end()) return nullptr;
    SessionPtr session = found->second;
    if (expired(*session)) {
        expire(session);
        return nullptr;
    }
    session->used = SteadyClock::now();
    if (newest_ != session.get()) {
        unlink(*session);
        link(*session);
    }
    return session;
}

void SessionTable::add(SessionPtr session) {
    make_room();
    link(*session);
    if (shared_ != nullptr) by_digest_.insert_or_assign(digest_of(session->peer->session), session.get());
    const std::string_view key = session->token;
    sessions_.emplace(key, std::move(session));
}

void SessionTable::drop(HttpSession& session) {
    unlink(session);
    if (shared_ != nullptr) by_digest_.erase(digest_of(session.peer->session));
    const auto found = sessions_.find(session.token);
    const SessionPtr kept = found->second;  // the key is a view into what the entry owns
    sessions_.erase(found);
}

void SessionTable::make_room() {
    for (std::size_t looked = sessions_.size(); looked > 0 && sessions_.size() >= limits_.sessions; --looked) {
        const SessionPtr session = sessions_.find(oldest_->token)->second;
        if (session->idle()) {
            drop(*session);
            session->end();
        } else {  // in use right now, hence not really the least recently used
            unlink(*session);
            link(*session);
        }
    }
}

void SessionTable::revoke(const SessionPtr& session) {
    const SessionDigest digest = digest_of(session->peer->session);
    if (shared_ != nullptr) {
        shared_->revoke(digest, session->expires);
    } else {
        over_.add(digest, session->expires);
    }
    finish(session);
}

void SessionTable::expire(const SessionPtr& session) {
    over_.add(digest_of(session->peer->session), session->expires);
    finish(session);
}

bool SessionTable::revoked(std::string_view name) {
    heed_others();
    const SessionDigest digest = digest_of(name);
    return over_.contains(digest) || (shared_ != nullptr && shared_->revoked(digest));
}

void SessionTable::heed_others() {
    if (shared_ == nullptr) return;
    for (const SessionDigest& digest : shared_->news()) {
        const auto known = by_digest_.find(digest);
        if (known != by_digest_.end()) finish(SessionPtr(sessions_.find(known->second->token)->second));
    }
}

void SessionTable::finish(const SessionPtr& session) {
    // `session` may refer to the table's own pointer, which drop() destroys.
    const SessionPtr kept = session;  // NOLINT(performance-unnecessary-copy-initialization)
    if (sessions_.contains(session->token)) drop(*kept);
    kept->end();
    kept->backend.session_ended(*kept->peer);
}

void SessionTable::sweep() {
    const TimePoint before = SteadyClock::now() - limits_.release;
    for (HttpSession* session = oldest_; session != nullptr;) {
        HttpSession* const next = session->newer;
        if (expired(*session)) {
            expire(SessionPtr(sessions_.find(session->token)->second));
        } else {
            session->tidy(before);
            // Otherwise clients that leave without DELETE would fill the table, hundreds of megabytes a day.
            if (session->used <= before && session->recoverable()) drop(*session);
        }
        session = next;
    }
}

std::vector<SessionTable::SessionPtr> SessionTable::all() const {
    std::vector<SessionPtr> list;
    list.reserve(sessions_.size());
    for (const auto& [token, session] : sessions_) list.push_back(session);
    return list;
}

}  // namespace gantry::mcp
