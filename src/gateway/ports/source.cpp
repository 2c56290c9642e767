#include "gateway/ports/source.hpp"

namespace gantry::gateway {

std::string_view to_string(SourceState state) noexcept {
    switch (state) {
        case SourceState::kIdle: return "idle";
        case SourceState::kStarting: return "starting";
        case SourceState::kReady: return "ready";
        case SourceState::kAsleep: return "asleep";
        case SourceState::kDown: return "down";
    }
    return "down";
}

}  // namespace gantry::gateway
