#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// Replaces the text of a configuration file, whole or not at all: a new file is written beside it, flushed to the disk
/// and renamed. Mode and owner stay; a symbolic link stays one, and what it leads to is replaced.
///
/// Nothing is written when `after` is not a valid configuration (kInvalidArgument, kParse), or when the file no longer
/// reads as `before` (kDenied): another program changed it meanwhile. A file that does not exist is made where `before`
/// is empty.
Result<void> save_config(const std::filesystem::path& file, std::string_view before, std::string_view after);

}  // namespace gantry::app
