#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "io/steps.hpp"
#include "mcp/client/fair_share.hpp"

namespace gantry::mcp {

/// Decides when whoever reads a peer's messages has to give way, by the loop's time they took.
class FairTurn {
public:
    /// How long one peer is read in a row while others wait. A pipe that is always full never suspends its reader.
    static constexpr Duration kLongest = milliseconds(2);

    struct GiveWay {
        Duration pause = {};  // beyond its share: read nothing for so long
        bool yield = false;   // within its share, but others have waited long enough
    };

    /// Charges a message that answers nothing, which arrived at `arrived` and has been dealt with.
    GiveWay charge(std::size_t bytes, TimePoint arrived) noexcept {
        const TimePoint now = SteadyClock::now();
        // If nothing else ran since the message before, the time since then went into reading this one.
        const std::uint64_t steps = loop_steps();
        if (std::exchange(steps_, steps) != steps) began_ = last_ = arrived;
        const Duration pause = share_.charge(bytes, now - std::exchange(last_, now), now);
        return {.pause = pause, .yield = pause == Duration::zero() && now - began_ >= kLongest};
    }

    /// An answer was read in between, which is not charged.
    void pass() noexcept { steps_ = 0; }

private:
    FairShare share_;
    std::uint64_t steps_ = 0;  // of the loop, at the message before
    TimePoint began_ = {};     // of the messages read while nothing else ran
    TimePoint last_ = {};      // when the latest of them had been dealt with
};

}  // namespace gantry::mcp
