#pragma once

#include "app/config/faults.hpp"
#include "gateway/model/approval.hpp"

namespace gantry::app {

/// `approvals:`, the rules for calls a person has to agree to.
void read_approvals(const Node& node, gateway::ApprovalOptions& approvals);

}  // namespace gantry::app
