#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// Puts `content` in the place of a file, whole or not at all, with the rights it had. What was there is kept beside
/// it; the name of that copy is returned, empty when there was nothing. A link is followed.
Result<std::filesystem::path> replace_with_backup(const std::filesystem::path& file, std::string_view content);

/// Makes a file with this content. kInvalidArgument when there is one already.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view content);

}  // namespace gantry::app
