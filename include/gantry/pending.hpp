#pragma once

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "gantry/error.hpp"

namespace gantry {

/// An operation in flight on Gantry's own thread. A program may wait for it in either way:
///
///     Result<CallToolResult> a = client.call_async("echo", args).get();      // blocks this thread
///     Result<CallToolResult> b = co_await client.call_async("echo", args);   // any coroutine type
///
/// An awaiting coroutine resumes on Gantry's thread: it may start further operations there but must not
/// block. Destroying a Pending before it is done cancels the operation. The result can be taken once.
template <class T>
class [[nodiscard]] Pending {
public:
    /// Shared by both ends. Created and settled by Gantry.
    class State {
    public:
        void settle(Result<T> result) {
            std::coroutine_handle<> waiter;
            {
                std::lock_guard lock(mutex_);
                if (result_) return;
                result_.emplace(std::move(result));
                cancel_ = nullptr;
                waiter = std::exchange(waiter_, nullptr);
            }
            ready_.notify_all();
            if (waiter) waiter.resume();
        }

        /// `cancel` runs at most once, on the cancelling thread; immediately if cancel() was called before.
        void on_cancel(std::function<void()> cancel) {
            {
                std::lock_guard lock(mutex_);
                if (result_) return;
                if (!cancelled_) {
                    cancel_ = std::move(cancel);
                    return;
                }
            }
            cancel();
        }

    private:
        friend class Pending;
        std::mutex mutex_;
        std::condition_variable ready_;
        std::optional<Result<T>> result_;
        std::coroutine_handle<> waiter_;
        std::function<void()> cancel_;
        bool cancelled_ = false;
    };

    explicit Pending(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
    Pending(Pending&&) noexcept = default;
    Pending& operator=(Pending&& other) noexcept {
        if (this != &other) {
            cancel();
            state_ = std::move(other.state_);
        }
        return *this;
    }
    ~Pending() { cancel(); }

    bool ready() const {
        std::lock_guard lock(state_->mutex_);
        return state_->result_.has_value();
    }

    /// Blocks until done. Must not be called on Gantry's thread (from a handler or an awaiting coroutine).
    Result<T> get() {
        std::unique_lock lock(state_->mutex_);
        state_->ready_.wait(lock, [this] { return state_->result_.has_value(); });
        return *std::move(state_->result_);
    }

    /// Asks the operation to stop; its result is then usually kCancelled. May be called at any time.
    void cancel() {
        if (!state_) return;
        std::function<void()> cancel;
        {
            std::lock_guard lock(state_->mutex_);
            state_->cancelled_ = true;
            cancel = std::exchange(state_->cancel_, nullptr);
        }
        if (cancel) cancel();
    }

    /// Detaches: the operation continues, its result is discarded.
    void leave() && { state_.reset(); }

#if defined(__clang__) || __GNUC__ >= 13
    // g++ 12 miscompiles co_await expressions; with it a Pending has get() only.
    bool await_ready() const { return ready(); }
    bool await_suspend(std::coroutine_handle<> waiter) {
        std::lock_guard lock(state_->mutex_);
        if (state_->result_) return false;
        state_->waiter_ = waiter;
        return true;
    }
    Result<T> await_resume() {
        std::lock_guard lock(state_->mutex_);
        return *std::move(state_->result_);
    }
#endif

private:
    std::shared_ptr<State> state_;
};

}  // namespace gantry
