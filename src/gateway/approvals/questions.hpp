#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/model/approval.hpp"
#include "gateway/ports/output.hpp"

// How a person at the calling program is asked, in both eras, and what the answers mean.

namespace gantry::gateway {

/// Params of elicitation/create: names the tool and shows the arguments; nothing to fill in.
std::string elicitation_of(const PendingApproval& approval);
/// Its result: true for accept, false for decline and cancel; empty: not an answer.
std::optional<bool> read_elicited(std::string_view result);

/// The same as a round of input of 2026-07-28. Its state names the question.
Output approval_round(const PendingApproval& approval);
bool is_approval_state(std::string_view state) noexcept;
/// The question's id.
std::string approval_in(std::string_view state);
/// inputResponses of that round; empty: it has no answer.
std::optional<bool> read_round(std::string_view responses);

/// Why the call was not made.
Error not_approved(const PendingApproval& approval, bool by_somebody, std::string_view reason);

}  // namespace gantry::gateway
