#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gantry::http {

/// How much of all request bodies is read in one turn of the loop. Hundreds of large bodies that arrive at once would
/// otherwise be read one whole receive buffer after the other, and every other request would wait for all of them.
class BodyPace {
public:
    /// About a tenth of a millisecond of copying.
    static constexpr std::size_t kPerTurn = 256u << 10;

    /// Whether up to `bytes` may be read in this `turn`. False: ask again in the next.
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
