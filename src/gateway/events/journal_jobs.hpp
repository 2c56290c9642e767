#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "gateway/events/bell.hpp"
#include "gateway/events/journal.hpp"
#include "io/loop.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Work for the thread that owns the journal, which runs it between two batches, in FIFO order.
class JournalJobs {
public:
    /// The journal is null while it cannot be opened.
    using Job = std::move_only_function<void(Journal*)>;

    JournalJobs(Loop& loop, Bell& bell) : loop_(loop), bell_(bell) {}

    // On the loop.

    void push(Job job);
    /// Runs `job` and returns its result. kInternal while the journal cannot be opened. Precondition: the thread runs,
    /// and has not been told to stop.
    template <class T>
    Task<Result<T>> ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job);

    // On the thread.

    std::deque<Job> take();
    bool empty();

private:
    Loop& loop_;
    Bell& bell_;
    std::mutex mutex_;
    std::deque<Job> jobs_;
};

template <class T>
Task<Result<T>> JournalJobs::ask(const Context& ctx, std::move_only_function<Result<T>(Journal&)> job) {
    struct Answer {
        Event done;
        std::optional<Result<T>> value;
    };
    const auto answer = std::make_shared<Answer>();
    push([loop = &loop_, answer, job = std::move(job)](Journal* journal) mutable {
        Result<T> value =
            journal != nullptr ? job(*journal) : fail(ErrorCode::kInternal, "the journal cannot be opened");
        loop->post([answer, value = std::move(value)]() mutable {
            answer->value = std::move(value);
            answer->done.set();
        });
    });
    if (auto waited = co_await answer->done.wait(ctx); !waited) co_return std::unexpected(waited.error());
    co_return *std::move(answer->value);
}

}  // namespace gantry::gateway::events
