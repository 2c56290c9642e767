#include "app/gateway/logging_observer.hpp"

#include <string>

namespace gantry::app {

void LoggingObserver::breaker_changed(const gateway::BreakerChange& change) noexcept {
    std::string text(change.source);
    switch (change.to) {
        case gateway::BreakerState::kOpen:
            text += ": " + std::to_string(change.failures) +
                    " calls failed in a row; circuit breaker open, retrying in " +
                    std::to_string(std::chrono::ceil<seconds>(change.retry_in).count()) + " s";
            break;
        case gateway::BreakerState::kHalfOpen: text += ": circuit breaker half-open; testing with a few calls"; break;
        case gateway::BreakerState::kClosed: text += ": circuit breaker closed; the server answers again"; break;
    }
    note_(change.source, text);
}

// Arguments may contain data that must not be logged: they are shown only where the question is answered.

void LoggingObserver::approval_requested(const gateway::ApprovalRequested& event) noexcept {
    const auto& asked = event.approval;
    note_(asked.source, "approval " + asked.id + " is needed: '" + asked.tool + "' on server '" + asked.source +
                            "' for " + asked.principal + "; gantry approvals show " + asked.id +
                            ", then --approve or --reject it");
}

void LoggingObserver::approval_answered(const gateway::ApprovalAnswered& event) noexcept {
    std::string text = "approval " + event.approval.id + (event.approved ? " was given" : " was refused");
    if (!event.who.empty()) text.append(" by ").append(event.who);
    note_(event.approval.source, text);
}

void LoggingObserver::tool_descriptor_flagged(const gateway::ToolDescriptorFlagged& event) noexcept {
    std::string text(event.source);
    text.append(": tool '").append(event.tool).append("' ").append(event.what);
    if (event.quarantined) text += "; it is hidden until an operator accepts it";
    note_(event.source, text);
}

}  // namespace gantry::app
