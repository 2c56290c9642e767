#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// A `${NAME}` in a text: where to look it up, and the name.
struct Reference {
    enum class Place : std::uint8_t {
        kAnywhere,  ///< ${NAME}: keyring, encrypted file, env file, environment
        kKeyring,   ///< ${keyring:NAME}
        kSecrets,   ///< ${secrets:NAME}: what `gantry secrets set` stores: keyring, encrypted file; env file
        kEnv,       ///< ${env:NAME}: env file, environment
        kFile,      ///< ${file:PATH}: the file's content
    };
    Place place = Place::kAnywhere;
    std::string name;

    /// As written, without the braces: "keyring:NAME".
    std::string text() const;
};

/// Returns the value of a reference; empty: there is none of that name. Errors are passed on unchanged and must not
/// contain a value.
using Lookup = std::function<Result<std::optional<std::string>>(const Reference&)>;

/// Looks only in this process's environment.
Lookup environment();

/// `text` with every reference replaced; supports `${NAME:-instead}` for optional values and `$${` for a literal `${`.
/// kNotFound names each missing reference once, never a value.
Result<std::string> expand(std::string_view text, const Lookup& lookup);

/// Expands every field of a server that may hold a secret: command, arguments, environment, folder, URL, headers.
Result<McpServerSpec> expand(const McpServerSpec& server, const Lookup& lookup);

/// The paths of all `${file:PATH}` references of a server.
std::vector<std::string> files_of(const McpServerSpec& server);

/// Whether `text` contains a reference.
bool has_references(std::string_view text);
bool has_references(const McpServerSpec& server);
/// Whether a reference is opened but not closed.
bool has_open_reference(std::string_view text);

}  // namespace gantry::gateway
