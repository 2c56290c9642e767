#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>

#include "io/sync.hpp"

namespace gantry::gateway {

/// So many servers may be starting at once, over all sources of a loop; first come, first served.
class StartLimiter : public std::enable_shared_from_this<StartLimiter> {
public:
    explicit StartLimiter(std::size_t at_once = 4) : free_(at_once) {}

    /// The right to start one server, given back when it goes.
    class [[nodiscard]] Permit {
    public:
        explicit Permit(std::shared_ptr<StartLimiter> limiter) noexcept : limiter_(std::move(limiter)) {}
        Permit(Permit&&) noexcept = default;
        Permit& operator=(Permit&&) = delete;
        ~Permit() {
            if (limiter_) limiter_->give_back();
        }

    private:
        std::shared_ptr<StartLimiter> limiter_;
    };

    Task<Result<Permit>> acquire(Context ctx) {
        // Keeps the limiter while somebody waits for it.
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
        co_return Permit(self);
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
    std::size_t running_ = 0;
    std::size_t most_ = 0;
    std::size_t next_ticket_ = 0;
    std::deque<std::size_t> waiting_;
    Event changed_;
};

}  // namespace gantry::gateway
