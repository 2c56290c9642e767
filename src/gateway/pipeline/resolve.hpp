#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "gateway/catalog/catalog.hpp"
#include "gateway/model/call.hpp"
#include "gateway/pipeline/seals.hpp"

namespace gantry::gateway {

/// A source by its name, whether or not the catalog shows anything of it now; null when there is none.
using FindSource = std::function<std::shared_ptr<Source>(std::string_view name)>;

/// Finds what a call is about. Waits for nothing. What the caller may not see is not found, in the same words as what
/// does not exist. kNotFound; kInvalidArgument for a state or task id that is not this caller's; kRpc for a task verb
/// the caller has not declared, or nobody here offers.
/// `call` is moved from on success; of a tool call it stays as it was on failure.
Result<ResolvedCall> resolve(const Catalog& catalog, const FindSource& find_source, Seals& seals, IdentifiedCall& call);

}  // namespace gantry::gateway
