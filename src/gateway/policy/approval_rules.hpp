#pragma once

#include <string_view>
#include <vector>

#include "gateway/model/approval.hpp"
#include "gateway/model/item.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// Whether a person has to agree to a call of this tool. Where rules disagree `always` holds, unless `never_wins`.
/// `public_name` is what the caller says; groups may go by it.
bool needs_approval(const ApprovalOptions& options, const std::vector<GroupSpec>& groups, std::string_view source,
                    const Item& tool, std::string_view public_name) noexcept;

/// The same rules from a server's `require_approval` lists.
std::vector<ApprovalRule> rules_of(const McpServerSpec& server);

}  // namespace gantry::gateway
