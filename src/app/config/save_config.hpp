#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// Replaces the text of a configuration file atomically: a new file is written beside it, flushed to disk and renamed.
/// Mode and owner are kept; a symbolic link is kept too, and its target is replaced.
///
/// Nothing is written when `after` is not a valid configuration (kInvalidArgument, kParse), or when the file's content
/// is no longer `before` (kDenied), because another program has changed it. A missing file is created if `before` is
/// empty.
Result<void> save_config(const std::filesystem::path& file, std::string_view before, std::string_view after);

}  // namespace gantry::app
