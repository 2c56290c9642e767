#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// The first line of every configuration: editors that speak to yaml-language-server complete and check by it.
inline constexpr std::string_view kEditorLine = "# yaml-language-server: $schema=";

/// A configuration to begin with, everything explained.
std::string_view starter();

/// The same for a file of that name: JSON for .json, else YAML. kInvalidArgument for a format Gantry does not read.
Result<std::string> starter_for(const std::filesystem::path& file);

/// Writes `file`, and the schema beside it for editors; returns whether the schema is new there. kInvalidArgument when
/// the file exists: nothing is ever overwritten. On failure neither is left behind half written.
Result<bool> write_starter(const std::filesystem::path& file);

/// What the schema of `file` is called: gantry.schema.json in its folder.
std::filesystem::path schema_file_of(const std::filesystem::path& file);

}  // namespace gantry::app
