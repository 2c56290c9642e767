#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::auth {

/// Single-flight work shared by several requests: one refresh or login, however many requests were rejected.
///
/// The first request performs it, in its own task but independent of its own deadline: the work continues while any
/// request waits for it, has its own timeout, and is cancelled when the last waiter leaves. A failure is shared by all
/// that waited for the same thing.
class SingleFlight {
public:
    /// Called when the request starts and stops waiting for a user.
    using OnLogin = std::function<void(bool waiting)>;

    /// One waiting request. It leaves when destroyed, cancelled or timed out.
    class Member {
    public:
        Member(SingleFlight& flight, const Context& ctx, OnLogin on_login);
        ~Member();
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

    private:
        friend class SingleFlight;
        void tell(bool waiting);
        void leave() noexcept;

        SingleFlight& flight_;
        OnLogin on_login_;
        unsigned joined_;  // number of attempts finished before
        bool told_ = false;
        bool gone_ = false;
        Loop::Alarm deadline_;
        std::optional<CancelCallback> cancelled_;
    };

    /// Permission to work, with the context to use.
    class [[nodiscard]] Turn {
    public:
        const Context& context() const noexcept { return context_; }
        /// The error for the concurrent waiters, unless the work was only cancelled.
        void failed(const Error& error);
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&&) = delete;
        ~Turn();

    private:
        friend class SingleFlight;
        Turn(SingleFlight& flight, AsyncMutex::Guard guard, Context context, std::string what);
        SingleFlight* flight_;
        AsyncMutex::Guard guard_;
        Context context_;
        std::string what_;
    };

    /// Waits for the turn, within the caller's own context. If an attempt for the same `what` failed meanwhile, fails
    /// with its error.
    Task<Result<Turn>> turn(const Context& ctx, const Member& member, std::string what, Duration limit);

    /// RAII: while it lives, a user is being asked to log in; all waiters are notified.
    class Asking {
    public:
        explicit Asking(SingleFlight& flight) : flight_(flight) { flight_.ask(true); }
        ~Asking() { flight_.ask(false); }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;

    private:
        SingleFlight& flight_;
    };

    /// RAII: while it lives, the work is not cancelled immediately when all waiters leave: tokens an authorization
    /// server rotates must be stored, or the grant is lost.
    class Shield {
    public:
        explicit Shield(SingleFlight& flight) : flight_(flight) { flight_.shielded_ = true; }
        ~Shield() {
            flight_.shielded_ = false;
            flight_.stop_if_left();
        }
        Shield(const Shield&) = delete;
        Shield& operator=(const Shield&) = delete;

    private:
        SingleFlight& flight_;
    };

private:
    void ask(bool asking);
    void stop_if_left();

    AsyncMutex mutex_;
    std::vector<Member*> members_;
    std::optional<CancelSource> running_;
    Loop::Alarm grace_;
    bool asking_ = false;
    bool shielded_ = false;
    unsigned finished_ = 0;
    std::string failed_what_;
    std::optional<Error> failure_;
    unsigned failed_at_ = 0;
};

}  // namespace gantry::auth
