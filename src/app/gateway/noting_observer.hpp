#pragma once

#include <functional>
#include <string_view>

#include "gateway/ports/observer.hpp"

namespace gantry::app {

/// Tells the operator in a line what moved beside calls.
class NotingObserver final : public gateway::Observer {
public:
    explicit NotingObserver(std::function<void(std::string_view)> note) : note_(std::move(note)) {}

    void breaker_changed(const gateway::BreakerChange& change) noexcept override;
    void approval_requested(const gateway::ApprovalRequested& event) noexcept override;
    void approval_answered(const gateway::ApprovalAnswered& event) noexcept override;
    void tool_noticed(const gateway::ToolNoticed& event) noexcept override;

private:
    std::function<void(std::string_view)> note_;
};

}  // namespace gantry::app
