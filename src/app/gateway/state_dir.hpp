#pragma once

#include <filesystem>
#include <string>

#include "gantry/error.hpp"
#include "gateway/catalog/name_book.hpp"

namespace gantry::app {

/// Where the gateway keeps what must outlive it: under the user's data folder. kInvalidArgument when there is no home.
Result<std::filesystem::path> default_state_dir();

/// The public names given out before. A file that cannot be read is reported, not overwritten.
Result<gateway::NameBook> load_names(const std::filesystem::path& state_dir);
Result<void> save_names(const std::filesystem::path& state_dir, const gateway::NameBook& names);

}  // namespace gantry::app
