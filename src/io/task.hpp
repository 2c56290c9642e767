#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/frame_pool.hpp"

namespace gantry {

template <class T>
class Task;

namespace detail {

/// Common base of task promises: a task starts when awaited, and its awaiter resumes when it ends.
class TaskPromise {
public:
    static void* operator new(std::size_t size) { return FramePool::take(size); }
    static void operator delete(void* frame, std::size_t size) noexcept { FramePool::give(frame, size); }

    struct Finish {
        bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
            return ended.promise().awaiter_;
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() const noexcept { return {}; }
    Finish final_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { escaped_ = std::current_exception(); }

    void awaited_by(std::coroutine_handle<> awaiter) noexcept { awaiter_ = awaiter; }

protected:
    void rethrow_escaped() {
        if (escaped_) [[unlikely]]
            std::rethrow_exception(std::move(escaped_));
    }

private:
    std::coroutine_handle<> awaiter_;
    std::exception_ptr escaped_;
};

template <class T>
class TaskPromiseOf final : public TaskPromise {
public:
    Task<T> get_return_object() noexcept;

    template <class U = T>
        requires std::is_constructible_v<T, U&&>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }
    T take() {
        rethrow_escaped();
        return *std::move(value_);
    }

private:
    std::optional<T> value_;
};

template <>
class TaskPromiseOf<void> final : public TaskPromise {
public:
    Task<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() { rethrow_escaped(); }
};

}  // namespace detail

/// A lazy coroutine: nothing runs until it is awaited or spawned into a Scope.
///
/// A reference parameter of a Task function must outlive the await; a spawned task takes
/// its parameters by value. Lambdas with captures must not be coroutines.
///
/// Awaiting runs the task immediately, like a call, and its end resumes the awaiter the same way (symmetric
/// transfer): neither passes through the loop or deepens the stack. Belongs to one loop, like its awaiter.
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromiseOf<T>;
    using Frame = std::coroutine_handle<promise_type>;

    explicit Task(Frame frame) noexcept : frame_(frame) {}
    Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(frame_, other.frame_);
        return *this;
    }
    ~Task() {
        if (frame_) frame_.destroy();
    }

    auto operator co_await() && noexcept {
        struct Awaiter {
            Frame frame;
            bool await_ready() const noexcept { return false; }
            std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) const noexcept {
                frame.promise().awaited_by(awaiter);
                return frame;
            }
            T await_resume() const { return frame.promise().take(); }
        };
        return Awaiter{frame_};
    }

private:
    Frame frame_;
};

template <class T>
Task<T> detail::TaskPromiseOf<T>::get_return_object() noexcept {
    return Task<T>(std::coroutine_handle<TaskPromiseOf>::from_promise(*this));
}

inline Task<void> detail::TaskPromiseOf<void>::get_return_object() noexcept {
    return Task<void>(std::coroutine_handle<TaskPromiseOf>::from_promise(*this));
}

}  // namespace gantry
