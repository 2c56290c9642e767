#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry {

/// Lets tasks of one loop wait for another task of the same loop.
/// set() wakes all waiters in FIFO order; they resume on a later turn of the loop,
/// never inside set().
class Event {
public:
    Event() = default;
    /// Asserts that there are no waiters, except while the loop itself is being destroyed.
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void set() noexcept;
    void reset() noexcept { set_ = false; }
    bool is_set() const noexcept { return set_; }
    /// Returns at once if set; otherwise waits for set() or fails with the context's error.
    Task<Result<void>> wait(const Context& ctx);
    /// Wakes the current waiters without staying set.
    void pulse() noexcept;

private:
    struct Entry;
    Entry* first_ = nullptr;
    Entry* last_ = nullptr;
    bool set_ = false;
};

/// A bounded queue between tasks of one loop. Closing keeps the queued items:
/// pop() drains them and then returns empty.
template <class T>
class Queue {
public:
    explicit Queue(std::size_t capacity) : capacity_(capacity) {}

    /// False if full or closed; `value` is then unchanged.
    bool try_push(T& value) {
        if (closed_ || items_.size() >= capacity_) return false;
        items_.push_back(std::move(value));
        changed_.pulse();
        return true;
    }

    /// Waits for room. kCancelled if the queue is closed.
    Task<Result<void>> push(const Context& ctx, T value) {
        while (!try_push(value)) {
            if (closed_) co_return fail(ErrorCode::kCancelled, "queue closed");
            if (auto waited = co_await changed_.wait(ctx); !waited) co_return std::unexpected(waited.error());
        }
        co_return Result<void>();
    }

    std::optional<T> try_pop() {
        if (items_.empty()) return std::nullopt;
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        changed_.pulse();
        return item;
    }

    /// Waits for an item. Empty means closed and drained.
    Task<Result<std::optional<T>>> pop(const Context& ctx) {
        for (;;) {
            if (auto item = try_pop()) co_return Result<std::optional<T>>(std::move(item));
            if (closed_) co_return Result<std::optional<T>>(std::nullopt);
            if (auto waited = co_await changed_.wait(ctx); !waited) co_return std::unexpected(waited.error());
        }
    }

    void close() noexcept {
        closed_ = true;
        changed_.pulse();
    }
    bool closed() const noexcept { return closed_; }
    std::size_t size() const noexcept { return items_.size(); }

private:
    std::size_t capacity_;
    std::deque<T> items_;
    Event changed_;
    bool closed_ = false;
};

/// Exclusive, FIFO; may be held across co_await.
class AsyncMutex {
public:
    class [[nodiscard]] Guard {
    public:
        explicit Guard(AsyncMutex* mutex) noexcept : mutex_(mutex) {}
        Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
        Guard& operator=(Guard&&) = delete;
        ~Guard() {
            if (mutex_) mutex_->unlock();
        }

    private:
        AsyncMutex* mutex_;
    };

    Task<Result<Guard>> lock(const Context& ctx) {
        const std::size_t ticket = next_ticket_++;
        waiting_.push_back(ticket);
        while (locked_ || waiting_.front() != ticket) {
            if (auto waited = co_await changed_.wait(ctx); !waited) {
                std::erase(waiting_, ticket);
                changed_.pulse();
                co_return std::unexpected(waited.error());
            }
        }
        waiting_.pop_front();
        locked_ = true;
        co_return Result<Guard>(Guard(this));
    }

private:
    void unlock() noexcept {
        locked_ = false;
        changed_.pulse();
    }

    bool locked_ = false;
    std::size_t next_ticket_ = 0;
    std::deque<std::size_t> waiting_;
    Event changed_;
};

}  // namespace gantry
