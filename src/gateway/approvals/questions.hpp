#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gantry/error.hpp"
#include "gateway/model/approval.hpp"
#include "gateway/ports/output.hpp"

// How approval questions are put to the person at the calling program, in both eras, and how the answers are read.

namespace gantry::gateway {

/// Params of elicitation/create: names the tool and shows the arguments; the form has no fields.
std::string elicitation_of(const PendingApproval& approval);
/// Reads its result: true for accept, false for decline and cancel; empty: not an answer.
std::optional<bool> read_elicited(std::string_view result);

/// The same question as an input round of 2026-07-28, whose state names the question.
Output approval_round(const PendingApproval& approval);
bool is_approval_state(std::string_view state) noexcept;
/// The question's id.
std::string approval_in(std::string_view state);
/// Reads the inputResponses of that round; empty: they hold no answer.
std::optional<bool> read_round(std::string_view responses);

/// The error for a call that was not approved.
Error not_approved(const PendingApproval& approval, bool by_somebody, std::string_view reason);

}  // namespace gantry::gateway
