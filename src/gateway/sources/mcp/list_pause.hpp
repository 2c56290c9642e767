#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Changes of lists that arrive together are one listing.
inline constexpr Duration kListPause = milliseconds(20);

/// The pause before a list of this many items is read again. A server with long lists that keeps announcing changes is
/// read less often, so that reading them takes less than a hundredth of the time.
inline Duration list_pause(std::size_t items) noexcept {
    return std::max<Duration>(kListPause, std::chrono::microseconds(500) * static_cast<int>(items));
}

}  // namespace gantry::gateway
