#pragma once

#include <cstddef>
#include <deque>

#include "gateway/model/resilience.hpp"
#include "io/context.hpp"
#include "io/sync.hpp"
#include "io/task.hpp"

namespace gantry::gateway {

/// FIFO semaphore with a bounded wait queue. Belongs to one loop; must outlive its waiters.
class ConcurrencyLimiter {
public:
    explicit ConcurrencyLimiter(const ConcurrencyLimits& limits) : limits_(limits) {}

    /// Acquires a slot without waiting. Cannot overtake waiters.
    bool try_enter() noexcept {
        if (running_ >= limits_.running && limits_.running != 0) return false;
        ++running_;
        return true;
    }
    /// Waits for a slot. kLimit when the queue is full or the wait timed out; kCancelled, distinguishable from the
    /// context's own, when send_away() was called.
    Task<Result<void>> enter(const Context& ctx);
    /// Releases a slot; call once per successful enter.
    void leave() noexcept;

    /// Fails all waiters: there is nothing left to wait for.
    void send_away() noexcept;
    /// Raised limits admit waiters at once.
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
