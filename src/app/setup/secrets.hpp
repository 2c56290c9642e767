#pragma once

#include <istream>
#include <string>

#include "gantry/error.hpp"
#include "gateway/secrets/vault.hpp"
#include "surface/cli/extra_command.hpp"

namespace gantry::app {

/// `gantry secrets set|get|list|delete`.
cli::ExtraCommand secrets_command();

/// Reads a whole pipe, without its trailing newline; at most 64 KB, not empty, no null characters.
Result<std::string> read_secret(std::istream& in);

/// What may be shown of a secret: that it exists, and its length.
std::string mask_of(std::string_view secret);

}  // namespace gantry::app
