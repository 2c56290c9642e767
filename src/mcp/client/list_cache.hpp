#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace gantry::mcp {

/// The last complete answer to one list request and how long it is fresh.
///
/// A modern answer is fresh for its ttl. A legacy one is fresh until the server reports a change, and only if the
/// server declared that it would. A list that changes while being fetched is stored as stale.
template <class Item>
class ListCache {
public:
    /// Longer ttls are capped.
    static constexpr Duration kLongest = std::chrono::hours(24);

    const std::vector<Item>* fresh(TimePoint now = SteadyClock::now()) const noexcept {
        return items_ && now < expires_ ? items_.get() : nullptr;
    }
    /// The last answer, fresh or not: header mirroring needs schemas even with a ttl of 0. A holder keeps its copy when
    /// a newer one is stored.
    const std::shared_ptr<const std::vector<Item>>& latest() const noexcept { return items_; }

    std::uint64_t generation() const noexcept { return generation_; }
    void store(std::vector<Item> items, Duration ttl, std::uint64_t fetched_at_generation,
               TimePoint now = SteadyClock::now()) {
        items_ = std::make_shared<const std::vector<Item>>(std::move(items));
        expires_ = fetched_at_generation == generation_ ? now + std::min(ttl, kLongest) : now;
    }
    void invalidate() noexcept {
        ++generation_;
        expires_ = TimePoint::min();
    }

private:
    std::shared_ptr<const std::vector<Item>> items_;
    TimePoint expires_ = TimePoint::min();
    std::uint64_t generation_ = 0;
};

}  // namespace gantry::mcp
