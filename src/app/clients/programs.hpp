#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::app {

enum class Format : std::uint8_t { kJson, kYaml, kToml };

/// A program that keeps a list of MCP servers in a file of its own.
struct ClientProgram {
    std::string_view id;     // "cursor"
    std::string_view title;  // "Cursor"
    /// Relative to the home folder; our entry goes into the first.
    std::vector<std::string_view> home_files;
    /// Relative to the project folder.
    std::vector<std::string_view> project_files = {};
    Format format = Format::kJson;
    /// The path to the servers in such a file.
    std::vector<std::string> servers = {"mcpServers"};
    /// Its key for a server's URL; empty: it only starts programs.
    std::string_view url_key = "url";
    /// The value of its transport key beside the URL.
    std::string_view url_type = {};
    /// The unit of `timeout`, if it has one.
    std::string_view timeout_unit = "s";
};

std::span<const ClientProgram> client_programs();
/// Null: unknown program.
const ClientProgram* find_program(std::string_view id);

/// The servers of a program's file: a map from names. If the program is unknown, it is detected from the file's
/// content.
struct ForeignFile {
    const ClientProgram* program = nullptr;
    JsonObject servers;
};
Result<ForeignFile> read_foreign_file(const std::filesystem::path& file, const ClientProgram* program = nullptr);
Result<ForeignFile> read_foreign_text(std::string_view text, Format format, const ClientProgram* program = nullptr);

/// The usual files that exist.
struct FoundFile {
    const ClientProgram* program;
    std::filesystem::path file;
};
std::vector<FoundFile> usual_files(const std::filesystem::path& home, const std::filesystem::path& project);

}  // namespace gantry::app
