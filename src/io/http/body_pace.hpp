#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gantry::http {

/// Limits how many request body bytes are read per turn of the loop. Otherwise hundreds of large bodies arriving at
/// once would be read one full receive buffer after another, and every other request would wait for all of them.
class BodyPace {
public:
    /// About a tenth of a millisecond of copying.
    static constexpr std::size_t kPerTurn = 256u << 10;

    /// Whether up to `bytes` may be read in this `turn`. False: try again in the next turn.
    bool admit(std::size_t bytes, std::uint64_t turn) noexcept {
        if (turn_ != turn) {
            turn_ = turn;
            left_ = kPerTurn;
        }
        if (left_ == 0) return false;
        left_ -= std::min(left_, bytes);
        return true;
    }

private:
    std::uint64_t turn_ = 0;
    std::size_t left_ = kPerTurn;
};

}  // namespace gantry::http
