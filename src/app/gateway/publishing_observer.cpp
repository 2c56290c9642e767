#include "app/gateway/publishing_observer.hpp"

namespace gantry::app {
namespace {

std::string_view type_of(gateway::BreakerState state) noexcept {
    switch (state) {
        case gateway::BreakerState::kOpen: return gateway::event_type::kBreakerOpened;
        case gateway::BreakerState::kHalfOpen: return gateway::event_type::kBreakerHalfOpened;
        case gateway::BreakerState::kClosed: break;
    }
    return gateway::event_type::kBreakerClosed;
}

/// The subject of a question, without its arguments, which only approvers may see.
JsonObject about(const gateway::PendingApproval& approval) {
    return {{"id", approval.id},
            {"server", approval.source},
            {"tool", approval.tool},
            {"principal", approval.principal},
            {"request_id", approval.request_id}};
}

std::string_view name_of(gateway::AnswerChannel channel) noexcept {
    using enum gateway::AnswerChannel;
    switch (channel) {
        case kOperator: return "operator";
        case kCaller: return "caller";
        case kWebhook: return "webhook";
        case kNobody: break;
    }
    return "nobody";
}

}  // namespace

void PublishingObserver::approval_requested(const gateway::ApprovalRequested& event) noexcept {
    watching_.events().publish({.type = gateway::event_type::kApprovalRequested,
                                .subject = event.approval.tool,
                                .correlation_id = event.approval.request_id,
                                .data = about(event.approval)});
}

void PublishingObserver::approval_answered(const gateway::ApprovalAnswered& event) noexcept {
    JsonObject data = about(event.approval);
    data.set("approved", event.approved);
    data.set("channel", name_of(event.channel));
    data.set("who", event.who);
    if (!event.reason.empty()) data.set("reason", event.reason);
    watching_.events().publish({.type = gateway::event_type::kApprovalAnswered,
                                .subject = event.approval.tool,
                                .correlation_id = event.approval.request_id,
                                .data = std::move(data)});
}

void PublishingObserver::tool_descriptor_flagged(const gateway::ToolDescriptorFlagged& event) noexcept {
    watching_.events().publish(
        {.type = gateway::event_type::kToolDescriptorFlagged,
         .subject = event.tool,
         .data = {{"server", event.source}, {"what", event.what}, {"quarantined", event.quarantined}}});
}

void PublishingObserver::breaker_changed(const gateway::BreakerChange& change) noexcept {
    const auto retry_ms = std::chrono::duration_cast<milliseconds>(change.retry_in).count();
    watching_.events().publish({.type = type_of(change.to),
                                .subject = change.source,
                                .data = {{"failures", change.failures}, {"retry_in_ms", retry_ms}}});
}

}  // namespace gantry::app
