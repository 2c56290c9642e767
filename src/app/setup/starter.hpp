#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::app {

/// The first line of every configuration: editors with yaml-language-server use it for completion and validation.
inline constexpr std::string_view kEditorLine = "# yaml-language-server: $schema=";

/// A sample configuration with explanations.
std::string_view starter();

/// The same in the format of that file name: JSON for .json, otherwise YAML. kInvalidArgument for an unsupported
/// format.
Result<std::string> starter_for(const std::filesystem::path& file);

/// Writes `file`, and beside it the schema for editors; returns whether the schema is new. kInvalidArgument when the
/// file exists: nothing is ever overwritten. On failure neither is left half written.
Result<bool> write_starter(const std::filesystem::path& file);

/// The schema's file name for `file`: gantry.schema.json in its folder.
std::filesystem::path schema_file_of(const std::filesystem::path& file);

}  // namespace gantry::app
