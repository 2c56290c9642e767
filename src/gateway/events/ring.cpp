#include "gateway/events/ring.hpp"

#include <bit>
#include <cassert>
#include <cstring>

namespace gantry::gateway::events {
namespace {

constexpr std::size_t kSmallest = 4096;

constexpr std::size_t rounded(std::size_t size) noexcept {
    return (size + 7) & ~std::size_t{7};
}

}  // namespace

Ring::Ring(std::size_t bytes)
    : capacity_(std::bit_ceil(std::max(bytes, kSmallest))),
      // Uninitialised, so that pages are not touched before they are used: an idle gateway does not pay for them.
      bytes_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

char* Ring::claim(std::size_t size) noexcept {
    if (size > largest()) return nullptr;
    const std::size_t needed = sizeof(Length) + rounded(size);
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    const std::size_t to_end = capacity_ - place(head);
    const std::size_t skipped = to_end < needed ? to_end : 0;
    if (head + skipped + needed - seen_tail_ > capacity_) {
        seen_tail_ = tail_.load(std::memory_order_acquire);
        if (head + skipped + needed - seen_tail_ > capacity_) return nullptr;
    }
    if (skipped != 0) std::memcpy(at(head), &kSkip, sizeof kSkip);
    const std::uint64_t start = head + skipped;
    const Length length = size;
    std::memcpy(at(start), &length, sizeof length);
    claimed_ = start + needed;
    return at(start) + sizeof(Length);
}

void Ring::publish() noexcept {
    // Sequentially consistent: a consumer that goes to sleep announces it first and then checks head_ once more.
    head_.store(claimed_, std::memory_order_seq_cst);
}

std::optional<std::string_view> Ring::take() noexcept {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    if (cursor_ == head) return std::nullopt;
    Length length = 0;
    std::memcpy(&length, at(cursor_), sizeof length);
    if (length == kSkip) {
        cursor_ += capacity_ - place(cursor_);
        assert(cursor_ != head && "a skip is followed by a frame");
        std::memcpy(&length, at(cursor_), sizeof length);
    }
    const std::string_view frame(at(cursor_) + sizeof(Length), length);
    cursor_ += sizeof(Length) + rounded(length);
    return frame;
}

void Ring::release() noexcept {
    tail_.store(cursor_, std::memory_order_release);
}

}  // namespace gantry::gateway::events
