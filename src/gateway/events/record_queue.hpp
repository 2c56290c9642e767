#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "gateway/events/bell.hpp"
#include "gateway/events/record.hpp"
#include "gateway/events/ring.hpp"

namespace gantry::gateway::events {

/// Carries records from the loop to the thread that stores them. Bounded in bytes: what does not fit is counted
/// instead.
class RecordQueue {
public:
    RecordQueue(std::size_t bytes, Bell& bell) : ring_(bytes), bell_(bell) {}

    /// On the loop. False: there was no room, and the record is lost.
    bool put(const Record& record) noexcept;

    /// Records lost so far. Any thread.
    std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

    /// For the storing thread.
    Ring& ring() noexcept { return ring_; }
    bool empty() const noexcept { return ring_.empty(); }

private:
    Ring ring_;
    Bell& bell_;
    std::atomic<std::uint64_t> dropped_ = 0;
};

}  // namespace gantry::gateway::events
