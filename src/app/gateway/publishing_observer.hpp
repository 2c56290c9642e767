#pragma once

#include "app/gateway/observability.hpp"
#include "gateway/ports/observer.hpp"

namespace gantry::app {

/// Publishes changes other than calls as events.
class PublishingObserver final : public gateway::Observer {
public:
    /// `watching` must outlive this, and must be started before the first change.
    explicit PublishingObserver(Observability& watching) : watching_(watching) {}

    void breaker_changed(const gateway::BreakerChange& change) noexcept override;
    void approval_requested(const gateway::ApprovalRequested& event) noexcept override;
    void approval_answered(const gateway::ApprovalAnswered& event) noexcept override;
    void tool_descriptor_flagged(const gateway::ToolDescriptorFlagged& event) noexcept override;

private:
    Observability& watching_;
};

}  // namespace gantry::app
