#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "gateway/catalog/catalog.hpp"
#include "gateway/model/call.hpp"
#include "gateway/pipeline/seals.hpp"

namespace gantry::gateway {

/// Finds a source by name, whether or not the catalog currently shows anything of it; null when there is none.
using FindSource = std::function<std::shared_ptr<Source>(std::string_view name)>;

/// Finds the item or task a call is about. Never waits. An item the caller may not see is reported exactly like one
/// that does not exist. kNotFound; kInvalidArgument for a state or task id that is not this caller's; kRpc for a task
/// verb the caller has not declared, or no source here supports. `call` is moved from on success; a tool call is left
/// unchanged on failure.
Result<ResolvedCall> resolve(const Catalog& catalog, const FindSource& find_source, Seals& seals, IdentifiedCall& call);

}  // namespace gantry::gateway
