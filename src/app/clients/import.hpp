#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/clients/convert.hpp"
#include "gateway/secrets/vault.hpp"
#include "surface/cli/extra_command.hpp"

namespace gantry::app {

struct ImportRequest {
    /// Empty: the usual files of all programs that are known.
    std::string file = {};
    std::string client = {};
    /// Empty: standard output.
    std::string output = {};
    /// An existing configuration to add the servers to; excludes `output`.
    std::string merge = {};
    /// Put credentials that were in plain text into the store.
    bool store = false;
};

/// What the usual files, or the one that is named, have. Files that cannot be read are notes where nobody named them.
Result<Converted> collect(const ImportRequest& asked, const std::filesystem::path& home,
                          const std::filesystem::path& project);

/// The whole configuration; a server our own reader would refuse is left out with a note. No secret is in it.
std::string configuration_text(Converted& converted);

/// `gantry import`.
cli::ExtraCommand import_command();

}  // namespace gantry::app
