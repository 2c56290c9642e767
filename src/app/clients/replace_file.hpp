#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// Replaces a file's content atomically, keeping its permissions. The previous content is saved beside it; returns the
/// name of that copy, empty if there was no file. A symbolic link is followed.
Result<std::filesystem::path> replace_with_backup(const std::filesystem::path& file, std::string_view content);

/// Creates a file; kInvalidArgument when it exists. Leaves nothing behind when the disk is full.
Result<void> write_new_file(const std::filesystem::path& file, std::string_view content);

/// Writes a generated file atomically; an existing one is replaced without a backup.
Result<void> replace_whole(const std::filesystem::path& file, std::string_view content);

}  // namespace gantry::app
