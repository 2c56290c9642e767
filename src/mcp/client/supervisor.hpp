#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/open.hpp"
#include "mcp/client/session.hpp"

namespace gantry::mcp {

/// What one call has seen of the trouble so far, however many requests it is made of.
struct Effort {
    std::uint64_t since = 0;  ///< the supervisor's count of attempts when the call began
    int resent = 0;           ///< requests repeated although the connection stood, as over HTTP
};

enum class ConnectionState : std::uint8_t { kDisconnected, kConnecting, kConnected, kReconnecting };

/// Keeps one session alive.
///
///     Disconnected → Connecting → Connected → Reconnecting → Connected …
///     close() leads from anywhere to Disconnected.
///
/// After a loss it tries again with growing pauses, for ever, until closed. A caller waits for a limited number of
/// attempts only, counted over its whole call.
class Supervisor {
public:
    using OnSession = std::function<Task<void>(Context ctx, std::shared_ptr<Session> session)>;
    using OnState = std::function<void(ConnectionState)>;

    Supervisor(Route route, const ClientSettings& settings,
               std::function<void(const NotificationMessage&)> on_notification, OnSession on_session);
    ~Supervisor();

    /// The first connect. Its error is the caller's; nothing is left running then.
    Task<Result<void>> connect(const Context& ctx);
    /// For a call that begins now.
    Effort begin() const noexcept { return {.since = attempts_}; }
    /// Whether the call has seen `settings.call_reconnect_attempts` attempts, successful ones included: a server that
    /// comes back only to die again must not keep a call for ever.
    bool spent(const Effort& effort) const noexcept;
    /// The live session, or the reason why there is none once the effort is spent.
    Task<Result<std::shared_ptr<Session>>> session(const Context& ctx, Effort effort);
    Task<Result<std::shared_ptr<Session>>> session(const Context& ctx) { return session(ctx, begin()); }
    /// Null while there is no connection.
    std::shared_ptr<Session> live_session() const { return is_live() ? session_ : nullptr; }
    /// The session's server no longer speaks what was agreed: opens a new one.
    void renew(const std::shared_ptr<Session>& session);
    /// Where it waits before the next attempt to reconnect: makes it now.
    void hurry() noexcept { hurry_.pulse(); }
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
    Event changed_;
    Event hurry_;
    bool closing_ = false;
    Scope scope_;
};

}  // namespace gantry::mcp
