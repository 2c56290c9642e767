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

std::string_view to_string(SourceHealth health) noexcept {
    switch (health) {
        case SourceHealth::kNotInitialized: return "not_initialized";
        case SourceHealth::kTaskMissing: return "server_task_missing";
        case SourceHealth::kCancelled: return "server_cancelled";
        case SourceHealth::kCrashed: return "server_crashed";
        case SourceHealth::kExited: return "server_exited";
        case SourceHealth::kHealthy: break;
    }
    return "healthy";
}

SourceHealth Source::health() const noexcept {
    switch (state()) {
        case SourceState::kIdle:
        case SourceState::kStarting: return SourceHealth::kNotInitialized;
        case SourceState::kDown: return SourceHealth::kCrashed;
        case SourceState::kReady:
        case SourceState::kAsleep: break;
    }
    return SourceHealth::kHealthy;
}

}  // namespace gantry::gateway
