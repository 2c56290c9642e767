#pragma once

#include <atomic>

#include "base/clock.hpp"
#include "io/fd.hpp"

namespace gantry::gateway::events {

/// Wakes one thread that sleeps until there is something to do. A producer that adds work all the time uses
/// ring_if_asleep(), which costs a system call only when the thread sleeps.
class Bell {
public:
    Bell();

    // Any thread.

    void ring() noexcept;
    void ring_if_asleep() noexcept {
        if (asleep_.load(std::memory_order_seq_cst)) ring();
    }

    // The sleeper.

    /// From here on ring_if_asleep() rings. Work that was added before is not announced again, so look for it once more
    /// before wait().
    void fall_asleep() noexcept { asleep_.store(true, std::memory_order_seq_cst); }
    /// Returns when the bell rings or has rung since wake_up(), at the latest after `most`.
    void wait(Duration most) noexcept;
    /// Ends fall_asleep() and forgets that the bell rang.
    void wake_up() noexcept;

private:
    Fd bell_;
    std::atomic<bool> asleep_ = false;
};

}  // namespace gantry::gateway::events
