#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry {

/// One thread for what would block a loop: blocking calls and long computations. Jobs run one after the other, in
/// order; the awaiting task stays on its loop.
class Worker {
public:
    enum class Priority : std::uint8_t {
        kNormal,
        kLow,  ///< gives way to the loops when the processors are busy
    };
    explicit Worker(Priority priority = Priority::kNormal);
    /// Waits for the job in progress and drops those still queued.
    ~Worker();

    /// Runs `job` on the worker's thread. When the context ends first the answer is its error, and the job
    /// still runs to its end: what it captures it must own.
    template <class T>
    Task<Result<T>> run(const Context& ctx, std::move_only_function<Result<T>()> job);

private:
    /// Ties a waiting task to its job; either may go first.
    template <class T>
    struct Ticket {
        std::mutex mutex;
        Loop* loop = nullptr;  // null once the task has gone
        Event done;            // touched on the loop only
        std::optional<Result<T>> answer;
    };
    template <class T>
    struct Claim {
        std::shared_ptr<Ticket<T>> ticket;
        ~Claim() {
            const std::lock_guard guard(ticket->mutex);
            ticket->loop = nullptr;
        }
    };

    void push(std::move_only_function<void()> job);
    void serve();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::move_only_function<void()>> jobs_;
    bool stopping_ = false;
    std::thread thread_;
};

template <class T>
Task<Result<T>> Worker::run(const Context& ctx, std::move_only_function<Result<T>()> job) {
    const Claim<T> claim{std::make_shared<Ticket<T>>()};
    claim.ticket->loop = &Loop::current();
    push([ticket = claim.ticket, job = std::move(job)]() mutable {
        Result<T> answer = job();
        const std::lock_guard guard(ticket->mutex);
        if (!ticket->loop) return;
        ticket->loop->post([ticket, answer = std::move(answer)]() mutable {
            ticket->answer = std::move(answer);
            ticket->done.set();
        });
    });
    if (auto waited = co_await claim.ticket->done.wait(ctx); !waited) co_return std::unexpected(waited.error());
    co_return *std::move(claim.ticket->answer);
}

}  // namespace gantry
