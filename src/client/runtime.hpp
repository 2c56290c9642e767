#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "gantry/pending.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry {

/// Gantry's thread in a program without an event loop. A single one serves every client of the process;
/// it starts with the first client and ends with the process.
class Runtime {
public:
    /// Created by the first call, destroyed with the process's statics: tasks running on it may refer to it.
    static Runtime& shared();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    ~Runtime();

    Loop& loop() noexcept { return *loop_; }

    /// Runs `operation` on the runtime's thread. Its context is cancelled when the Pending is destroyed.
    template <class T>
    Pending<T> start(std::function<Task<Result<T>>(Context ctx)> operation) {
        auto state = std::make_shared<typename Pending<T>::State>();
        loop_->post([self = this, state, operation = std::move(operation)]() mutable {
            self->scope_->spawn(run<T>(*self->loop_, std::move(state), std::move(operation)));
        });
        return Pending<T>(std::move(state));
    }

    /// Runs a blocking function on a thread of its own and waits for it. If the context ends first the
    /// thread is abandoned: user code cannot be interrupted, and the caller must not wait for it.
    template <class T>
    Task<Result<T>> offload(Context ctx, std::function<Result<T>()> function);

private:
    Runtime();

    template <class T>
    static Task<void> run(Loop& loop, std::shared_ptr<typename Pending<T>::State> state,
                          std::function<Task<Result<T>>(Context ctx)> operation) {
        const Stop stop;
        state->on_cancel([&loop, shared = stop.shared] {
            loop.post([shared] {
                if (*shared) (*shared)->cancel();
            });
        });
        auto result = co_await operation(Context::background().stopped_by(**stop.shared));
        state->settle(std::move(result));
    }

    /// Handle of an operation's cancel source for other threads: the source itself is destroyed where it was created,
    /// on the loop's thread, however long the handle lives.
    struct Stop {
        Stop() : shared(std::make_shared<std::optional<CancelSource>>(std::in_place)) {}
        Stop(const Stop&) = delete;
        Stop& operator=(const Stop&) = delete;
        ~Stop() { shared->reset(); }
        std::shared_ptr<std::optional<CancelSource>> shared;
    };

    /// Lets abandoned threads post to the loop as long as there is one.
    struct Gate {
        std::mutex mutex;
        Loop* loop = nullptr;  // guarded by mutex
    };

    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
    std::unique_ptr<Loop> loop_;
    std::unique_ptr<Scope> scope_;
    std::unique_ptr<Event> stop_;
    std::thread thread_;
};

template <class T>
Task<Result<T>> Runtime::offload(Context ctx, std::function<Result<T>()> function) {
    struct Shared {
        Event done;
        std::optional<Result<T>> result;
    };
    auto shared = std::make_shared<Shared>();
    std::thread([gate = gate_, shared, function = std::move(function)]() mutable {
        Result<T> result = function();
        const std::lock_guard lock(gate->mutex);
        if (gate->loop == nullptr) return;
        gate->loop->post([shared = std::move(shared), result = std::move(result)]() mutable {
            shared->result.emplace(std::move(result));
            shared->done.set();
        });
    }).detach();
    if (auto waited = co_await shared->done.wait(ctx); !waited) co_return std::unexpected(waited.error());
    co_return *std::move(shared->result);
}

}  // namespace gantry
