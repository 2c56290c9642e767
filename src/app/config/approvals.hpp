#pragma once

#include "app/config/faults.hpp"
#include "gateway/model/approval.hpp"

namespace gantry::app {

/// Reads `approvals:`, the rules for calls that need a person's approval.
void read_approvals(const Node& node, gateway::ApprovalOptions& approvals);

}  // namespace gantry::app
