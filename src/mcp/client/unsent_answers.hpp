#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/clock.hpp"
#include "io/sync.hpp"

namespace gantry::mcp {

/// Bounds on answers to a peer's own requests that the peer has not read yet.
struct UnsentLimits {
    std::size_t count = 256;
    std::size_t bytes = 4u << 20;
    /// How long a peer may stay at the bound before its connection is closed.
    Duration stall = seconds(30);

    /// Timeout for writing one answer: longer than the stall timeout, so that the latter triggers first.
    Duration write_limit() const noexcept { return 2 * stall; }
};

/// Counts answers to a peer's requests from the arrival of the request until the answer is written, except while a
/// handler works on it. A reader stops reading while full() and resumes after room(), so a peer that sends requests
/// without reading the answers is throttled to its own pace.
class UnsentAnswers {
public:
    explicit UnsentAnswers(UnsentLimits limits) : limits_(limits) {}

    /// One answer; not counted while suspended.
    class Entry {
    public:
        Entry(UnsentAnswers& owner, std::size_t bytes) : owner_(&owner), bytes_(bytes) { owner.add(bytes_); }
        Entry(Entry&& other) noexcept : owner_(std::exchange(other.owner_, nullptr)), bytes_(other.bytes_) {}
        Entry& operator=(Entry&&) = delete;
        ~Entry() { suspend(); }

        std::size_t bytes() const noexcept { return bytes_; }
        void suspend() {
            if (auto* owner = std::exchange(owner_, nullptr)) owner->remove(bytes_);
        }
        /// Counts again, now with the size of the answer.
        void resume(UnsentAnswers& owner, std::size_t bytes) {
            suspend();
            owner_ = &owner;
            bytes_ = bytes;
            owner.add(bytes);
        }

    private:
        UnsentAnswers* owner_;
        std::size_t bytes_;
    };

    bool full() const noexcept { return count_ >= limits_.count || bytes_ >= limits_.bytes; }
    /// Waits until the peer has read enough. kTimeout if it does not within the stall timeout.
    Task<Result<void>> room(const Context& ctx) {
        const Context limited = ctx.within(limits_.stall);
        while (full()) {
            if (auto waited = co_await drained_.wait(limited); !waited) co_return waited;
        }
        co_return Result<void>();
    }

    std::size_t count() const noexcept { return count_; }
    std::size_t bytes() const noexcept { return bytes_; }
    /// Peak of bytes(), for tests and diagnostics.
    std::size_t peak_bytes() const noexcept { return peak_bytes_; }
    const UnsentLimits& limits() const noexcept { return limits_; }

private:
    void add(std::size_t bytes) noexcept {
        ++count_;
        bytes_ += bytes;
        peak_bytes_ = std::max(peak_bytes_, bytes_);
    }
    void remove(std::size_t bytes) noexcept {
        const bool was_full = full();
        --count_;
        bytes_ -= bytes;
        if (was_full && !full()) drained_.pulse();
    }

    UnsentLimits limits_;
    std::size_t count_ = 0;
    std::size_t bytes_ = 0;
    std::size_t peak_bytes_ = 0;
    Event drained_;
};

}  // namespace gantry::mcp
