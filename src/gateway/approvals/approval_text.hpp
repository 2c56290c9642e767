#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/approvals/approval_store.hpp"

// The on-disk format of questions and their answers.

namespace gantry::gateway {

/// Only base64url's letters, and short: the id becomes a file name.
bool is_approval_id(std::string_view id) noexcept;

std::string to_text(const StoredApproval& stored);
/// kParse: not in this format, or damaged.
Result<StoredApproval> approval_from(std::string_view text);

/// `approvals.json` of earlier versions: all questions in one file.
Result<std::vector<StoredApproval>> old_approvals_from(std::string_view text);

}  // namespace gantry::gateway
