#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "gateway/secrets/expand.hpp"

namespace gantry::gateway {

/// Whether what a reference led to has to be kept secret. All of keyring, store and files; of the environment
/// everything but what is known to be harmless (PATH, HOME, …) and short values of names that do not sound like a
/// secret.
bool is_confidential(const Reference& reference, std::string_view value);

/// What a server's own configuration holds in confidence without a reference: values of headers, of variables and
/// options whose names sound like a secret, passwords and keys in the URL.
std::vector<std::string> confidential_values(const McpServerSpec& server);

/// token, key, password, …
bool sounds_secret(std::string_view name);
/// Long and of mixed characters, as nobody would write by hand.
bool looks_random(std::string_view value);

}  // namespace gantry::gateway
