#include "mcp/client/supervisor.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/loop.hpp"

namespace gantry::mcp {

namespace {

/// Keeps the session alive until it is closed, even if all other owners release it.
Task<void> close_session(std::shared_ptr<Session> session) {
    co_await session->close();
}

/// Whether another attempt may fare better: not if the server or its configuration refuses us.
bool is_worth_retrying(const Error& error) {
    return error.code() == ErrorCode::kConnection || error.code() == ErrorCode::kOutcomeUnknown ||
           error.code() == ErrorCode::kTimeout;
}

Error closed() {
    return {ErrorCode::kInvalidArgument, "the client is closed"};
}

}  // namespace

/// One connect that several callers wait for.
struct Supervisor::Attempt {
    Event done;
    Result<void> result;
};

Supervisor::Supervisor(Route route, const ClientSettings& settings,
                       std::function<void(const NotificationMessage&)> on_notification, OnSession on_session)
    : route_(std::move(route)),
      settings_(settings),
      on_notification_(std::move(on_notification)),
      on_session_(std::move(on_session)),
      scope_(Context::background()) {}

Supervisor::~Supervisor() = default;

Task<Result<void>> Supervisor::connect(const Context& ctx) {
    if (session_ || closing_) co_return Result<void>();
    set_state(ConnectionState::kConnecting);
    Backoff backoff(settings_.reconnect_first, settings_.reconnect_longest);
    for (int retries = settings_.connect_retries;; --retries) {
        auto opened = co_await open(ctx);
        if (opened) break;
        if (retries > 0 && !closing_ && is_worth_retrying(opened.error()) && co_await sleep_for(ctx, backoff.next()) &&
            !closing_) {
            continue;
        }
        last_error_ = opened.error();
        set_state(ConnectionState::kDisconnected);
        co_return fail(opened.error());
    }
    scope_.spawn(keep_alive());
    co_return Result<void>();
}

Task<Result<void>> Supervisor::connect_on_demand(const Context& ctx) {
    if (closing_) co_return fail(closed());
    if (state_ == ConnectionState::kConnected || state_ == ConnectionState::kReconnecting) co_return Result<void>();
    if (!attempt_) {
        attempt_ = std::make_shared<Attempt>();
        scope_.spawn(attempt(attempt_));
    }
    const std::shared_ptr<Attempt> shared = attempt_;
    GANTRY_CO_CHECK(co_await shared->done.wait(ctx));
    co_return shared->result;
}

Task<void> Supervisor::attempt(std::shared_ptr<Attempt> shared) {
    shared->result = co_await connect(scope_.context());
    if (closing_) shared->result = fail(closed());
    attempt_.reset();  // the next caller starts another
    shared->done.set();
}

Task<Result<std::shared_ptr<Session>>> Supervisor::open(const Context& ctx) {
    GANTRY_CO_TRY(auto session,
                  co_await open_session(ctx.within(settings_.connect_timeout), route_, settings_, on_notification_));
    session_ = std::move(session);
    server_ = session_->server();
    session_->on_reinitialized([this, session = std::weak_ptr(session_)] {
        if (auto same = session.lock(); same && same == session_)
            scope_.spawn(on_session_(scope_.context(), std::move(same)));
    });
    last_error_.reset();
    set_state(ConnectionState::kConnected);
    co_return session_;
}

Task<void> Supervisor::keep_alive() {
    const Context ctx = scope_.context();
    Backoff backoff(settings_.reconnect_first, settings_.reconnect_longest);
    while (!closing_) {
        const std::shared_ptr<Session> current = session_;
        const TimePoint opened_at = SteadyClock::now();
        scope_.spawn(on_session_(ctx, current));
        const Error why = co_await current->rpc().closed();
        session_.reset();
        if (!closing_) {
            last_error_ = why;
            set_state(ConnectionState::kReconnecting);
        }
        co_await current->close();
        backoff.stood_for(SteadyClock::now() - opened_at);
        co_await reconnect(ctx, backoff);
        if (session_) continue;
        if (!closing_) set_state(ConnectionState::kDisconnected);
        break;
    }
    // A session opened during close() must be closed here.
    if (session_) {
        const std::shared_ptr<Session> current = std::exchange(session_, nullptr);
        co_await current->close();
    }
}

/// Tries until there is a session, the retries are exhausted, or close() is called.
Task<void> Supervisor::reconnect(const Context& ctx, Backoff& backoff) {
    for (int failed = 0; !closing_ && !session_; ++failed) {
        if (settings_.reconnect_retries && failed >= *settings_.reconnect_retries) co_return;
        auto hurried = co_await retry_now_.wait(ctx.within(backoff.next()));
        if (!hurried && ctx.cancel().cancelled()) co_return;
        if (auto opened = co_await open(ctx); !opened) last_error_ = opened.error();
        ++attempts_;
        changed_.pulse();
    }
}

bool Supervisor::spent(const RetryBudget& budget) const noexcept {
    const auto seen = attempts_ - budget.since + static_cast<std::uint64_t>(budget.resent);
    return seen >= static_cast<std::uint64_t>(std::max(0, settings_.call_reconnect_attempts));
}

Task<Result<std::shared_ptr<Session>>> Supervisor::session(const Context& ctx, RetryBudget budget) {
    while (!is_live()) {
        const bool disconnected = state_ == ConnectionState::kDisconnected;
        if (closing_ || (disconnected && !last_error_)) co_return fail(closed());
        if (disconnected) {
            co_return fail(Error(ErrorCode::kConnection, "the server cannot be reached, and the retries are exhausted")
                               .caused_by(*last_error_));
        }
        if (spent(budget)) {
            Error why = last_error_.value_or(Error(ErrorCode::kConnection, "the connection was lost"));
            co_return fail(Error(ErrorCode::kConnection, "the server cannot be reached after " +
                                                             std::to_string(settings_.call_reconnect_attempts) +
                                                             " attempts; trying goes on in the background")
                               .caused_by(std::move(why)));
        }
        GANTRY_CO_CHECK(co_await changed_.wait(ctx));
    }
    co_return session_;
}

void Supervisor::renew(const std::shared_ptr<Session>& session) {
    if (session_ != session) return;
    // No further calls use it; keep_alive() opens the next session once this one is closed.
    session_.reset();
    scope_.spawn(close_session(session));
}

Task<void> Supervisor::close() {
    if (!closing_) {
        closing_ = true;
        scope_.cancel();
        if (session_) co_await close_session(session_);
    }
    co_await scope_.join();
    session_.reset();
    set_state(ConnectionState::kDisconnected);
}

void Supervisor::set_state(ConnectionState state) {
    if (state_ == state) return;
    state_ = state;
    changed_.pulse();
    if (watcher_) watcher_(state);
}

}  // namespace gantry::mcp
