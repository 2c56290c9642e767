#include "gateway/model/resilience.hpp"

#include <string_view>

namespace gantry::gateway {

std::string_view to_string(BreakerState state) noexcept {
    switch (state) {
        case BreakerState::kClosed: return "closed";
        case BreakerState::kOpen: return "open";
        case BreakerState::kHalfOpen: return "half-open";
    }
    return {};
}

}  // namespace gantry::gateway
