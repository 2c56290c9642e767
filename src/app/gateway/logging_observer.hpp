#pragma once

#include <functional>
#include <string_view>

#include "gateway/ports/observer.hpp"

namespace gantry::app {

/// Reports changes other than calls to the operator, one line each.
class LoggingObserver final : public gateway::Observer {
public:
    using Note = std::function<void(std::string_view server, std::string_view text)>;
    explicit LoggingObserver(Note note) : note_(std::move(note)) {}

    void breaker_changed(const gateway::BreakerChange& change) noexcept override;
    void approval_requested(const gateway::ApprovalRequested& event) noexcept override;
    void approval_answered(const gateway::ApprovalAnswered& event) noexcept override;
    void tool_descriptor_flagged(const gateway::ToolDescriptorFlagged& event) noexcept override;

private:
    Note note_;
};

}  // namespace gantry::app
