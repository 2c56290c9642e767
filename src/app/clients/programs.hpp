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
    /// Below the home folder; the first is where an entry of ours goes.
    std::vector<std::string_view> home_files;
    /// Below the folder one works in.
    std::vector<std::string_view> project_files = {};
    Format format = Format::kJson;
    /// The way to the servers in such a file.
    std::vector<std::string> servers = {"mcpServers"};
    /// How it calls a server's URL; empty: it only starts programs.
    std::string_view url_key = "url";
    /// What it says about the transport beside the URL.
    std::string_view url_type = {};
    /// The unit of `timeout`, where it has one.
    std::string_view timeout_unit = "s";
};

std::span<const ClientProgram> client_programs();
/// Null: not known.
const ClientProgram* find_program(std::string_view id);

/// The servers of a file as its program keeps them: a map from names. The program that fits is found by what is in
/// there when it is not known.
struct ForeignFile {
    const ClientProgram* program = nullptr;
    JsonObject servers;
};
Result<ForeignFile> read_foreign_file(const std::filesystem::path& file, const ClientProgram* program = nullptr);
Result<ForeignFile> read_foreign_text(std::string_view text, Format format, const ClientProgram* program = nullptr);

/// Those of the usual files that are there.
struct FoundFile {
    const ClientProgram* program;
    std::filesystem::path file;
};
std::vector<FoundFile> usual_files(const std::filesystem::path& home, const std::filesystem::path& project);

}  // namespace gantry::app
