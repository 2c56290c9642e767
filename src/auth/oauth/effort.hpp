#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/context.hpp"
#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::auth {

/// Work that several requests wait for: one refresh, one login, however many were refused.
///
/// Whoever is first does it, in its own task but not on its own account: the work goes on while anybody waits for it,
/// has its own time limit, and is cancelled when the last one has gone. A failure is shared by those who waited for
/// the same thing.
class Effort {
public:
    /// Told when its request begins and stops waiting for a person.
    using OnLogin = std::function<void(bool waiting)>;

    /// One request that waits. Gone when destroyed, cancelled or out of time.
    class Member {
    public:
        Member(Effort& effort, const Context& ctx, OnLogin on_login);
        ~Member();
        Member(const Member&) = delete;
        Member& operator=(const Member&) = delete;

    private:
        friend class Effort;
        void tell(bool waiting);
        void leave() noexcept;

        Effort& effort_;
        OnLogin on_login_;
        unsigned joined_;  // efforts finished before
        bool told_ = false;
        bool gone_ = false;
        Loop::Alarm deadline_;
        std::optional<CancelCallback> cancelled_;
    };

    /// The right to work, and what to work with.
    class [[nodiscard]] Turn {
    public:
        const Context& context() const noexcept { return context_; }
        /// What others who waited meanwhile are told, unless it was only given up.
        void failed(const Error& error);
        Turn(Turn&& other) noexcept;
        Turn& operator=(Turn&&) = delete;
        ~Turn();

    private:
        friend class Effort;
        Turn(Effort& effort, AsyncMutex::Guard guard, Context context, std::string what);
        Effort* effort_;
        AsyncMutex::Guard guard_;
        Context context_;
        std::string what_;
    };

    /// Waits for one's turn, with one's own context. When an effort for the same `what` failed meanwhile, that is the
    /// answer.
    Task<Result<Turn>> turn(const Context& ctx, const Member& member, std::string what, Duration limit);

    /// While it lives a person is being asked; everybody who waits is told.
    class Asking {
    public:
        explicit Asking(Effort& effort) : effort_(effort) { effort_.ask(true); }
        ~Asking() { effort_.ask(false); }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;

    private:
        Effort& effort_;
    };

    /// While it lives, being left by everybody is not the end at once: what an authorization server replaces must
    /// be stored, or the grant is lost.
    class Shield {
    public:
        explicit Shield(Effort& effort) : effort_(effort) { effort_.shielded_ = true; }
        ~Shield() {
            effort_.shielded_ = false;
            effort_.stop_if_left();
        }
        Shield(const Shield&) = delete;
        Shield& operator=(const Shield&) = delete;

    private:
        Effort& effort_;
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
