#pragma once

#include "base/redact/redactor.hpp"
#include "gantry/error.hpp"
#include "gateway/ports/output.hpp"

namespace gantry::surface {

/// The same failure without secrets: a server's refusal may repeat what it was started with.
Error without_secrets(const Error& error, const Redactor* redactor);

/// The same for a tool that ran and failed. Results of tools that did what they were asked are the caller's, and stay.
gateway::Output without_secrets(gateway::Output output, const Redactor* redactor);

}  // namespace gantry::surface
