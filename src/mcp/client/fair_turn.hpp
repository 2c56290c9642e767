#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "io/steps.hpp"
#include "mcp/client/fair_share.hpp"

namespace gantry::mcp {

/// Decides when the reader of a peer's messages has to yield, by the loop time they took.
class FairTurn {
public:
    /// Longest time one peer is read without yielding. A pipe that is always full never suspends its reader.
    static constexpr Duration kLongest = milliseconds(2);

    struct GiveWay {
        Duration pause = {};  // over its share: do not read for this long
        bool yield = false;   // within its share, but other work has waited long enough
    };

    /// Charges a processed message that answers nothing and arrived at `arrived`.
    GiveWay charge(std::size_t bytes, TimePoint arrived) noexcept {
        const TimePoint now = SteadyClock::now();
        // If nothing else ran since the previous message, the time since then was spent on reading this one.
        const std::uint64_t steps = loop_steps();
        if (std::exchange(steps_, steps) != steps) began_ = last_ = arrived;
        const Duration pause = share_.charge(bytes, now - std::exchange(last_, now), now);
        return {.pause = pause, .yield = pause == Duration::zero() && now - began_ >= kLongest};
    }

    /// An answer was read in between; answers are not charged.
    void pass() noexcept { steps_ = 0; }

private:
    FairShare share_;
    std::uint64_t steps_ = 0;  // loop steps at the previous message
    TimePoint began_ = {};     // start of the current run of messages with nothing else in between
    TimePoint last_ = {};      // when the latest of them had been processed
};

}  // namespace gantry::mcp
