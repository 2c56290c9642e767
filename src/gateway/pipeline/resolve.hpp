#pragma once

#include "gateway/model/call.hpp"
#include "gateway/pipeline/seals.hpp"

namespace gantry::gateway {

/// Finds the item or task a call is about, in the call's snapshot. Never waits. An item the caller may not see is
/// reported exactly like one that does not exist. kNotFound; kInvalidArgument for a state or task id that is not this
/// caller's; kRpc for a task verb the caller has not declared, or no source here supports. `call` is moved from on
/// success; a tool call is left unchanged on failure.
Result<ResolvedCall> resolve(Seals& seals, IdentifiedCall& call);

}  // namespace gantry::gateway
