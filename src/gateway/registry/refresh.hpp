#pragma once

#include <string>

#include "base/redact/redactor.hpp"
#include "gantry/json.hpp"
#include "gateway/registry/registry.hpp"

namespace gantry::gateway {

/// Refreshes the server's lists, or those of all servers concurrently if `server` is empty. The answer says what each
/// offers now, or why it failed; the catalog is up to date on return. kNotFound: there is no such server.
Task<Result<Json>> refresh_lists(const Context& ctx, Registry& registry, const Redactor& redactor, std::string server);

}  // namespace gantry::gateway
