#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/backoff.hpp"
#include "mcp/client/open.hpp"
#include "mcp/client/session.hpp"

namespace gantry::mcp {

/// Retry budget of one call, however many requests it consists of.
struct RetryBudget {
    std::uint64_t since = 0;  ///< the supervisor's attempt counter when the call began
    int resent = 0;           ///< requests resent while the connection was up, as over HTTP
};

enum class ConnectionState : std::uint8_t { kDisconnected, kConnecting, kConnected, kReconnecting };

/// Keeps one session connected.
///
///     Disconnected → Connecting → Connected → Reconnecting → Connected …
///     Connecting and Reconnecting → Disconnected when their retries are exhausted (`connect_retries`,
///     `reconnect_retries`); from there the next connect begins again.
///     close() leads to Disconnected from any state.
///
/// After a loss it reconnects with back-off, by default until closed. A caller waits for a limited number of attempts
/// only, counted over its whole call.
class Supervisor {
public:
    using OnSession = std::function<Task<void>(Context ctx, std::shared_ptr<Session> session)>;
    using OnState = std::function<void(ConnectionState)>;

    Supervisor(Route route, const ClientSettings& settings,
               std::function<void(const NotificationMessage&)> on_notification, OnSession on_session);
    ~Supervisor();

    /// The first connect, or the next one after the retries were exhausted. On failure nothing is left running. Not
    /// concurrently with itself.
    Task<Result<void>> connect(const Context& ctx);
    /// Connects if disconnected. Concurrent callers share one connect, which continues if they stop waiting. Returns at
    /// once while connected or reconnecting.
    Task<Result<void>> connect_on_demand(const Context& ctx);
    /// Starts the budget of a new call.
    RetryBudget begin() const noexcept { return {.since = attempts_}; }
    /// Whether the call has spanned `settings.call_reconnect_attempts` attempts, successful ones included: a server
    /// that keeps coming back only to die must not block a call indefinitely.
    bool spent(const RetryBudget& budget) const noexcept;
    /// Waits for a live session; fails with the reason once the budget is spent.
    Task<Result<std::shared_ptr<Session>>> session(const Context& ctx, RetryBudget budget);
    Task<Result<std::shared_ptr<Session>>> session(const Context& ctx) { return session(ctx, begin()); }
    /// Null while there is no connection.
    std::shared_ptr<Session> live_session() const { return is_live() ? session_ : nullptr; }
    /// The session's server no longer supports what was negotiated: opens a new session.
    void renew(const std::shared_ptr<Session>& session);
    /// If it is backing off before a reconnect, attempts it now.
    void retry_now() noexcept { retry_now_.pulse(); }
    Task<void> close();

    ConnectionState state() const noexcept { return state_; }
    /// Why there is no session, as far as known; empty while there is one.
    const std::optional<Error>& trouble() const noexcept { return last_error_; }
    /// Called on every change of state.
    void watch(OnState watcher) { watcher_ = std::move(watcher); }
    const ServerDescription& server() const noexcept { return server_; }

private:
    Task<Result<std::shared_ptr<Session>>> open(const Context& ctx);
    Task<void> keep_alive();
    Task<void> reconnect(const Context& ctx, Backoff& backoff);
    struct Attempt;
    Task<void> attempt(std::shared_ptr<Attempt> shared);
    bool is_live() const noexcept { return session_ && !session_->rpc().is_closed(); }
    void set_state(ConnectionState state);

    Route route_;
    const ClientSettings& settings_;
    std::function<void(const NotificationMessage&)> on_notification_;
    OnSession on_session_;
    OnState watcher_;
    ConnectionState state_ = ConnectionState::kDisconnected;
    ServerDescription server_;
    std::shared_ptr<Session> session_;
    std::optional<Error> last_error_;
    std::uint64_t attempts_ = 0;
    std::shared_ptr<Attempt> attempt_;  // of connect_on_demand(), while it runs
    Event changed_;
    Event retry_now_;
    bool closing_ = false;
    Scope scope_;
};

}  // namespace gantry::mcp
