#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>

#include "io/context.hpp"
#include "io/fd.hpp"
#include "io/loop.hpp"
#include "io/waiter.hpp"

namespace gantry {

/// One non-blocking descriptor and what the loop knows of it.
///
/// The kernel speaks up once whenever something changes (edge-triggered epoll); what it said holds until an
/// operation comes up empty and its user says so. A descriptor nobody ever waits for costs the loop nothing.
///
///     while (descriptor.may_read()) { … read(2) …; on EAGAIN: descriptor.read_dry(); }
///     GANTRY_CO_CHECK(co_await descriptor.readable(ctx));
///
/// At most one task waits to read and one to write.
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
    /// Everything that was there has been read: the next may_read() is true once the kernel has told of more. An end
    /// that was told already stays readable.
    void read_dry() noexcept { may_read_ = hung_up_; }
    /// The kernel takes no more for now.
    void write_full() noexcept { may_write_ = false; }
    /// The peer has gone or will send nothing more, as far as the kernel has told; it tells only those who wait.
    bool hung_up() const noexcept { return hung_up_; }

    /// Awaited: until it may be read or written, or the context's error. kConnection when it is or gets closed, and
    /// when the kernel cannot watch any more. A plain file is always ready.
    Wait readable(const Context& ctx) noexcept;
    Wait writable(const Context& ctx) noexcept;
    /// Until the kernel has anything new to tell about reading, also while bytes that were told of lie unread.
    Wait stirred(const Context& ctx) noexcept;

    /// Wakes who waits. May be called twice.
    void close() noexcept;
    /// Gives the descriptor away; nobody waits for it.
    Fd release() noexcept;

    /// The loop's: what epoll says.
    void on_event(std::uint32_t events) noexcept;

private:
    enum class Side : std::uint8_t { kRead, kWrite };

    /// Tells the kernel whom to wake. Zero, or why it will not.
    int enlist() noexcept;
    void delist() noexcept;
    bool& may(Side side) noexcept { return side == Side::kRead ? may_read_ : may_write_; }
    Wait*& waiter(Side side) noexcept { return side == Side::kRead ? reader_ : writer_; }

    Loop& loop_;
    Fd fd_;
    // Unknown is worth a try.
    bool may_read_ = true;
    bool may_write_ = true;
    bool hung_up_ = false;
    bool enlisted_ = false;
    Wait* reader_ = nullptr;
    Wait* writer_ = nullptr;
};

/// What readable() and its like return; lives in the awaiting frame, which needs no other for it.
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

    Descriptor* descriptor_;  // none once it is closed
    const Context& ctx_;
    Side side_;
    bool only_news_;
    int refused_ = 0;  // by the kernel
    Waiter waiter_;
    std::optional<Loop::Busy> busy_;  // while it waits
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
