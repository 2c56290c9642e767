#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::app {

/// Where `${NAME}` leads. Empty: there is none of that name.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
/// This process's environment.
Lookup environment();

/// `text` with every `${NAME}` or `${env:NAME}` replaced; `${NAME:-instead}` for what may be missing, `$${` for `${`
/// itself. kNotFound names the missing ones, never a value.
Result<std::string> expand(std::string_view text, const Lookup& lookup = environment());

/// The same in everything of a server that may hold a secret: command, arguments, environment, folder, URL, headers.
/// To be done when connecting, so that a changed secret counts from then on.
Result<gateway::McpServerSpec> expand(const gateway::McpServerSpec& server, const Lookup& lookup = environment());

}  // namespace gantry::app
