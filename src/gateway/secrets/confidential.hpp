#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "gateway/secrets/expand.hpp"

namespace gantry::gateway {

/// Whether the value of a reference is secret: everything from keyring, store and files; from the environment,
/// everything except variables known to be harmless (PATH, HOME, …) and short values whose names do not suggest a
/// secret.
bool is_confidential(const Reference& reference, std::string_view value);

/// Secrets written directly into a server's configuration: values of headers, values of variables and options whose
/// names suggest a secret, passwords and keys in the URL.
std::vector<std::string> confidential_values(const McpServerSpec& server);

/// Whether a name contains token, key, password, …
bool sounds_secret(std::string_view name);
/// Long and of mixed character classes, unlike hand-written text.
bool looks_random(std::string_view value);

}  // namespace gantry::gateway
