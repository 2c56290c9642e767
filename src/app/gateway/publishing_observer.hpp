#pragma once

#include "app/gateway/observability.hpp"
#include "gateway/ports/observer.hpp"

namespace gantry::app {

/// Publishes what moved beside calls as events.
class PublishingObserver final : public gateway::Observer {
public:
    /// Must outlive this, and have been started before anything moves.
    explicit PublishingObserver(Observability& watching) : watching_(watching) {}

    void breaker_changed(const gateway::BreakerChange& change) noexcept override;
    void approval_requested(const gateway::ApprovalRequested& event) noexcept override;
    void approval_answered(const gateway::ApprovalAnswered& event) noexcept override;
    void tool_noticed(const gateway::ToolNoticed& event) noexcept override;

private:
    Observability& watching_;
};

}  // namespace gantry::app
