#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/clients/convert.hpp"
#include "gateway/secrets/vault.hpp"
#include "surface/cli/extra_command.hpp"

namespace gantry::app {

struct ImportRequest {
    /// Empty: the usual files of all known programs.
    std::string file = {};
    std::string client = {};
    /// Empty: standard output.
    std::string output = {};
    /// An existing configuration to add the servers to; excludes `output`.
    std::string merge = {};
    /// Move plain-text credentials into the secret store.
    bool store = false;
};

/// Collects the servers of the usual files, or of the given one. A usual file that cannot be read becomes a note.
Result<Converted> collect(const ImportRequest& asked, const std::filesystem::path& home,
                          const std::filesystem::path& project);

/// The whole configuration; a server that our own reader would refuse is dropped with a note. Contains no secrets.
std::string configuration_text(Converted& converted);

/// `gantry import`.
cli::ExtraCommand import_command();

}  // namespace gantry::app
