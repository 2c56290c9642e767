#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// FIFO semaphore over all sources of a loop: bounds how many servers start at the same time, because starting programs
/// is what a machine is slow at. A server that has not answered after `hold` no longer counts: it is waiting, not
/// starting, and must not keep others from being started.
class StartLimiter : public std::enable_shared_from_this<StartLimiter> {
    class Lease {
    public:
        Lease(std::shared_ptr<StartLimiter> limiter, Duration hold) : limiter_(std::move(limiter)) {
            alarm_.arm(
                Loop::current(), Deadline::after(hold), [](void* self) { static_cast<Lease*>(self)->give_back(); },
                this);
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease() { give_back(); }

    private:
        void give_back() noexcept {
            alarm_.disarm();
            if (const auto limiter = std::exchange(limiter_, nullptr)) limiter->give_back();
        }

        std::shared_ptr<StartLimiter> limiter_;
        Loop::Alarm alarm_;
    };

public:
    explicit StartLimiter(std::size_t at_once = 4, Duration hold = seconds(2)) : free_(at_once), hold_(hold) {}

    /// The right to start one server; ends with the object or after `hold`, whichever comes first.
    using Permit = std::unique_ptr<Lease>;

    Task<Result<Permit>> acquire(Context ctx) {
        // Keeps the limiter alive while a task waits for it.
        const auto self = shared_from_this();
        const std::size_t ticket = next_ticket_++;
        waiting_.push_back(ticket);
        while (free_ == 0 || waiting_.front() != ticket) {
            if (auto waited = co_await changed_.wait(ctx); !waited) {
                std::erase(waiting_, ticket);
                changed_.pulse();
                co_return std::unexpected(waited.error());
            }
        }
        waiting_.pop_front();
        --free_;
        most_ = std::max(most_, ++running_);
        changed_.pulse();
        co_return std::make_unique<Lease>(self, hold_);
    }

    /// The most that ever started at once; for tests and diagnostics.
    std::size_t most() const noexcept { return most_; }

private:
    void give_back() noexcept {
        ++free_;
        --running_;
        changed_.pulse();
    }

    std::size_t free_;
    Duration hold_;
    std::size_t running_ = 0;
    std::size_t most_ = 0;
    std::size_t next_ticket_ = 0;
    std::deque<std::size_t> waiting_;
    Event changed_;
};

}  // namespace gantry::gateway
