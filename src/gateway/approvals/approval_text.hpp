#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/approvals/approval_store.hpp"

// How a question and what became of it stand on disk.

namespace gantry::gateway {

/// Of no other letters than base64url's, and short: it becomes the name of a file.
bool is_approval_id(std::string_view id) noexcept;

std::string to_text(const StoredApproval& stored);
/// kParse: not one of ours, or damaged.
Result<StoredApproval> approval_from(std::string_view text);

/// `approvals.json` of earlier versions: all questions in one file.
Result<std::vector<StoredApproval>> old_approvals_from(std::string_view text);

}  // namespace gantry::gateway
