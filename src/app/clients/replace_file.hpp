#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// Puts `content` in the place of a file, whole or not at all, with the rights it had. What was there is kept beside
/// it; the name of that copy is returned, empty when there was nothing. A link is followed.
Result<std::filesystem::path> replace_with_backup(const std::filesystem::path& file, std::string_view content);

/// Writes a file that must not exist yet; kInvalidArgument when it does. Leaves nothing behind when the disk is full.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view content);

/// Writes a generated file, whole or not at all; one that is there is replaced without a copy.
Result<void> replace_whole(const std::filesystem::path& file, std::string_view content);

}  // namespace gantry::app
