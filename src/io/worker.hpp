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

/// A thread for work that would block a loop: blocking calls and long computations. Jobs run sequentially, in FIFO
/// order; the awaiting task stays on its loop.
class Worker {
public:
    enum class Priority : std::uint8_t {
        kNormal,
        kLow,  ///< yields to the loops when the CPUs are busy
    };
    explicit Worker(Priority priority = Priority::kNormal);
    /// Waits for the job in progress and drops queued ones.
    ~Worker();

    /// Runs `job` on the worker's thread. If the context ends first, fails with its error, and the job
    /// still runs to completion: it must own what it captures.
    template <class T>
    Task<Result<T>> run(const Context& ctx, std::move_only_function<Result<T>()> job);

    /// Runs `job` when its turn comes, without anyone waiting for it; dropped if the worker ends first.
    void post(std::move_only_function<void()> job);

private:
    /// Connects a waiting task with its job; either may end first.
    template <class T>
    struct Ticket {
        std::mutex mutex;
        Loop* loop = nullptr;  // null once the task has ended
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
    post([ticket = claim.ticket, job = std::move(job)]() mutable {
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
