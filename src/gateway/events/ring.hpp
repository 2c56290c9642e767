#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace gantry::gateway::events {

/// Single-producer, single-consumer ring of byte frames, lock-free and without allocation. A taken frame keeps its
/// place until it is released, so that a consumer that fails to store it can take it again.
class Ring {
public:
    /// Capacity is `bytes`, rounded up to a power of two.
    explicit Ring(std::size_t bytes);

    /// A frame of at most this many bytes fits an empty ring.
    std::size_t largest() const noexcept { return capacity_ / 4; }

    // Producer thread.

    /// Returns where to write a frame of `size` bytes, or null when there is no room. publish() follows.
    char* claim(std::size_t size) noexcept;
    /// Publishes the claimed frame.
    void publish() noexcept;

    // Consumer thread.

    /// The next frame not taken yet; empty: none. Valid until released.
    std::optional<std::string_view> take() noexcept;
    /// Frees the space of everything taken.
    void release() noexcept;
    /// Makes everything taken since the last release() available again.
    void rewind() noexcept { cursor_ = tail_.load(std::memory_order_relaxed); }
    bool empty() const noexcept { return head_.load(std::memory_order_seq_cst) == cursor_; }

private:
    // Each frame begins with its length; a frame never wraps, the rest of the ring is skipped instead.
    using Length = std::uint64_t;
    static constexpr Length kSkip = ~Length{0};

    std::size_t place(std::uint64_t position) const noexcept { return position & (capacity_ - 1); }
    char* at(std::uint64_t position) noexcept { return bytes_.get() + place(position); }

    std::size_t capacity_;
    std::unique_ptr<char[]> bytes_;
    alignas(64) std::atomic<std::uint64_t> head_ = 0;  // written by the producer
    std::uint64_t claimed_ = 0;
    std::uint64_t seen_tail_ = 0;
    alignas(64) std::atomic<std::uint64_t> tail_ = 0;  // written by the consumer
    std::uint64_t cursor_ = 0;
};

}  // namespace gantry::gateway::events
