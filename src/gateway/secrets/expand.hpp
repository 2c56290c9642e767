#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// `${NAME}` in a text: where to look, and for what.
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

    /// As it was written, without the braces: "keyring:NAME".
    std::string text() const;
};

/// What a reference stands for; empty: there is none of that name. An error is told as it is, and must hold no value.
using Lookup = std::function<Result<std::optional<std::string>>(const Reference&)>;

/// This process's environment alone.
Lookup environment();

/// `text` with every reference replaced; `${NAME:-instead}` for what may be missing, `$${` for `${` itself.
/// kNotFound names the missing ones, each once; never a value.
Result<std::string> expand(std::string_view text, const Lookup& lookup);

/// The same in everything of a server that may hold a secret: command, arguments, environment, folder, URL, headers.
Result<McpServerSpec> expand(const McpServerSpec& server, const Lookup& lookup);

/// The paths of all `${file:PATH}` of a server.
std::vector<std::string> files_of(const McpServerSpec& server);

/// Whether there is anything to replace.
bool has_references(std::string_view text);
bool has_references(const McpServerSpec& server);
/// Whether a reference is opened and never closed.
bool has_open_reference(std::string_view text);

}  // namespace gantry::gateway
