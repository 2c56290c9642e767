#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>

#include "io/context.hpp"
#include "io/fd.hpp"
#include "io/loop.hpp"
#include "io/waiter.hpp"

namespace gantry {

/// One non-blocking file descriptor and its readiness.
///
/// Readiness is edge-triggered (epoll): the kernel reports each change once, and the state is kept until an operation
/// returns EAGAIN and the user says so. A descriptor that is never waited for costs the loop nothing.
///
///     while (descriptor.may_read()) { … read(2) …; on EAGAIN: descriptor.read_dry(); }
///     GANTRY_CO_CHECK(co_await descriptor.readable(ctx));
///
/// At most one task may wait to read and one to write.
class Descriptor {
public:
    class Wait;

    Descriptor(Loop& loop, Fd fd) noexcept : loop_(loop), fd_(std::move(fd)) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const noexcept { return fd_.get(); }
    bool is_open() const noexcept { return static_cast<bool>(fd_); }
    Loop& loop() const noexcept { return loop_; }

    bool may_read() const noexcept { return may_read_; }
    /// Everything available has been read: may_read() is false until the kernel reports more. After a hang-up the
    /// descriptor stays readable.
    void read_dry() noexcept { may_read_ = hung_up_; }
    /// The kernel's buffer is full.
    void write_full() noexcept { may_write_ = false; }
    /// The peer disconnected or will send nothing more, as far as reported; the kernel reports only while a task waits.
    bool hung_up() const noexcept { return hung_up_; }

    /// Awaitable: completes when it can be read or written, or with the context's error. kConnection if it is or gets
    /// closed, and if the kernel cannot watch more descriptors. A plain file is always ready.
    Wait readable(const Context& ctx) noexcept;
    Wait writable(const Context& ctx) noexcept;
    /// Completes when the kernel reports anything new for reading, even if earlier bytes are still unread.
    Wait stirred(const Context& ctx) noexcept;

    /// Wakes waiting tasks. May be called twice.
    void close() noexcept;
    /// Releases ownership. Precondition: no task waits for it.
    Fd release() noexcept;

    /// Called by the loop with the epoll events.
    void on_event(std::uint32_t events) noexcept;

private:
    enum class Side : std::uint8_t { kRead, kWrite };

    /// Registers with epoll. Returns zero or the errno of the failure.
    int enlist() noexcept;
    void delist() noexcept;
    bool& may(Side side) noexcept { return side == Side::kRead ? may_read_ : may_write_; }
    Wait*& waiter(Side side) noexcept { return side == Side::kRead ? reader_ : writer_; }

    Loop& loop_;
    Fd fd_;
    // Assume readiness until an operation says otherwise.
    bool may_read_ = true;
    bool may_write_ = true;
    bool hung_up_ = false;
    bool enlisted_ = false;
    Wait* reader_ = nullptr;
    Wait* writer_ = nullptr;
};

/// Awaitable returned by readable() and its like; lives in the awaiting frame, without a frame of its own.
class [[nodiscard]] Descriptor::Wait {
public:
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait();

    bool await_ready();
    void await_suspend(std::coroutine_handle<> task);
    Result<void> await_resume() const;

private:
    friend class Descriptor;
    Wait(Descriptor& descriptor, Side side, bool only_news, const Context& ctx) noexcept
        : descriptor_(&descriptor), ctx_(ctx), side_(side), only_news_(only_news), waiter_(descriptor.loop()) {}

    Descriptor* descriptor_;  // null once it is closed
    const Context& ctx_;
    Side side_;
    bool only_news_;
    int refused_ = 0;  // errno of a failed registration
    Waiter waiter_;
    std::optional<Loop::Busy> busy_;  // while waiting
};

inline Descriptor::Wait Descriptor::readable(const Context& ctx) noexcept {
    return {*this, Side::kRead, false, ctx};
}

inline Descriptor::Wait Descriptor::writable(const Context& ctx) noexcept {
    return {*this, Side::kWrite, false, ctx};
}

inline Descriptor::Wait Descriptor::stirred(const Context& ctx) noexcept {
    return {*this, Side::kRead, true, ctx};
}

}  // namespace gantry
