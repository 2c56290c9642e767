#pragma once

#include <string_view>
#include <vector>

#include "gateway/model/approval.hpp"
#include "gateway/model/item.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// Whether a call of this tool needs a person's approval. Where rules conflict `always` wins, unless `never_wins`.
/// `public_name` is the name the caller uses; groups may select by it.
bool needs_approval(const ApprovalOptions& options, const std::vector<GroupSpec>& groups, std::string_view source,
                    const Item& tool, std::string_view public_name) noexcept;

/// The same rules from a server's `require_approval` lists.
std::vector<ApprovalRule> rules_of(const McpServerSpec& server);

}  // namespace gantry::gateway
