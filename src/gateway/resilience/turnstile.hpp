#pragma once

#include <cstddef>
#include <deque>

#include "gateway/model/resilience.hpp"
#include "io/context.hpp"
#include "io/sync.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// So many at once; a bounded number waits, first come first served. Belongs to one loop; must outlive who waits.
class Turnstile {
public:
    explicit Turnstile(const ConcurrencyLimits& limits) : limits_(limits) {}

    /// Without waiting; nobody overtakes those who wait.
    bool try_enter() noexcept {
        if (running_ >= limits_.running && limits_.running != 0) return false;
        ++running_;
        return true;
    }
    /// kLimit when too many wait already or none got free in time; kCancelled, told apart from the context's, when
    /// those who wait were sent away.
    Task<Result<void>> enter(const Context& ctx);
    /// Once for each time somebody entered.
    void leave() noexcept;

    /// Nobody waits any more: there is nothing to wait for.
    void send_away() noexcept;
    /// More room lets more in.
    void configure(const ConcurrencyLimits& limits);

    std::size_t running() const noexcept { return running_; }
    std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    struct Waiter;
    void let_in() noexcept;

    ConcurrencyLimits limits_;
    std::size_t running_ = 0;
    std::deque<Waiter*> waiting_;
};

}  // namespace gantry::gateway
