#pragma once

#include "base/redact/redactor.hpp"
#include "gantry/error.hpp"
#include "gateway/ports/output.hpp"

namespace gantry::surface {

/// The same error without secrets: a server's refusal may repeat values from its configuration.
Error without_secrets(const Error& error, const Redactor* redactor);

/// The same for a tool that reported an error. Results of successful calls belong to the caller and are not changed.
gateway::Output without_secrets(gateway::Output output, const Redactor* redactor);

}  // namespace gantry::surface
