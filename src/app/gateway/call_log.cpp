#include "app/gateway/call_log.hpp"

#include <string>

namespace gantry::app {

void CallLog::record(const gateway::Outcome& outcome) noexcept {
    ++calls_;
    if (outcome.error != nullptr) ++failures_;
    if (!line_) return;
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(outcome.took).count();
    std::string text(outcome.correlation_id);
    text.append(" ").append(gateway::method_of(outcome.verb)).append(" ").append(outcome.name);
    text.append(" by ").append(outcome.principal);
    if (!outcome.source.empty()) text.append(" at ").append(outcome.source);
    text.append(" took ").append(std::to_string(micros)).append(" us: ");
    if (outcome.error != nullptr) {
        text.append(to_string(outcome.error->code()));
    } else {
        text.append(outcome.asked_back ? "asks back" : "ok");
    }
    line_(text);
}

}  // namespace gantry::app
