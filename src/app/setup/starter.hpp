#pragma once

#include <filesystem>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// The first line of every configuration: editors that speak to yaml-language-server complete and check by it.
inline constexpr std::string_view kEditorLine = "# yaml-language-server: $schema=";

/// A configuration to begin with, everything explained.
std::string_view starter();

/// Makes `file` with that content, and the schema beside it for editors. kInvalidArgument when the file is there
/// already: nothing is ever overwritten.
Result<void> write_starter(const std::filesystem::path& file);

/// What the schema of `file` is called: gantry.schema.json in its folder.
std::filesystem::path schema_file_of(const std::filesystem::path& file);

}  // namespace gantry::app
