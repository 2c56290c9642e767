#pragma once

#include <string>

#include "base/redact/redactor.hpp"
#include "gantry/json.hpp"
#include "gateway/registry/registry.hpp"

namespace gantry::app {

/// Has the server's lists read anew, or those of all where `server` is empty, side by side. The answer says what each
/// offers now, or why it could not be asked; the catalog has it when this returns. kNotFound: there is no such server.
Task<Result<Json>> refresh_lists(const Context& ctx, gateway::Registry& registry, const Redactor& redactor,
                                 std::string server);

}  // namespace gantry::app
