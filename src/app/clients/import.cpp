#include "app/clients/import.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "app/clients/merge.hpp"
#include "app/clients/replace_file.hpp"
#include "app/clients/server_text.hpp"
#include "app/config/config.hpp"
#include "app/config/save_config.hpp"
#include "base/try.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/print.hpp"

namespace gantry::app {
namespace {

constexpr std::string_view kHead =
    "# yaml-language-server: $schema=gantry.schema.json\n"
    "# Servers of other programs, imported by `gantry import`. `gantry doctor` tries them.\n\n";

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::ExitCode::kUsage);
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

Result<void> store_secrets(const Converted& converted) {
    gateway::Vault vault;
    for (const auto& [name, value] : converted.secrets) {
        GANTRY_TRY(const std::string_view where, vault.save(name, value));
        std::cerr << "stored " << name << " in the " << (where == "keyring" ? "keyring" : "encrypted file") << '\n';
    }
    return {};
}

void tell_about_secrets(const Converted& converted, bool stored) {
    if (!stored && !converted.secrets.empty()) {
        std::cerr << "These were in plain text; the configuration now refers to them. --store keeps their values, or "
                     "by hand:\n";
        for (const auto& [name, value] : converted.secrets) std::cerr << "  gantry secrets set " << name << '\n';
    }
    for (const std::string& name : converted.wanted) {
        if (!converted.secrets.contains(name)) std::cerr << "needed: gantry secrets set " << name << '\n';
    }
}

/// Writes to the given file, with the schema beside it, or to standard output.
Result<void> write_configuration(const ImportRequest& asked, const std::string& text) {
    if (asked.output.empty()) {
        std::cout << text << std::flush;
        return {};
    }
    GANTRY_CHECK(write_new_file(asked.output, text));
    const auto schema = std::filesystem::path(asked.output).parent_path() / "gantry.schema.json";
    std::error_code error;
    if (std::filesystem::exists(schema, error)) return {};
    GANTRY_CHECK(write_new_file(schema, config_schema().pretty() + "\n"));
    std::cerr << "wrote " << schema.string() << " for editors\n";
    return {};
}

Result<void> merge_into(const std::string& file, Converted& converted) {
    GANTRY_TRY(const std::string before, read_config_file(file));
    auto after = merge_servers(before, converted);
    if (!after) return fail(after.error().within(file));
    if (*after == before) return {};
    return save_config(file, before, *after);
}

int run(const ImportRequest& asked) {
    const char* home = std::getenv("HOME");
    auto converted = collect(asked, home == nullptr ? "" : home, std::filesystem::current_path());
    if (!converted) return report(converted.error());
    const std::string text = configuration_text(*converted);
    const std::size_t found = converted->servers.size();
    auto written = asked.merge.empty() ? write_configuration(asked, text) : merge_into(asked.merge, *converted);
    for (const std::string& note : converted->notes) std::cerr << "note: " << note << '\n';
    if (found == 0) return report(Error(ErrorCode::kNotFound, "no MCP servers found to import"));
    if (!written) return report(written.error());
    if (asked.store) {
        if (auto stored = store_secrets(*converted); !stored) return report(stored.error());
    }
    tell_about_secrets(*converted, asked.store);
    std::cerr << cli::counted(converted->servers.size(), "server")
              << (!asked.merge.empty()   ? " added to " + asked.merge
                  : asked.output.empty() ? ""
                                         : " in " + asked.output)
              << std::endl;
    return 0;
}

}  // namespace

Result<Converted> collect(const ImportRequest& asked, const std::filesystem::path& home,
                          const std::filesystem::path& project) {
    const ClientProgram* program = asked.client.empty() ? nullptr : find_program(asked.client);
    if (!asked.client.empty() && program == nullptr) {
        std::string known;
        for (const ClientProgram& each : client_programs()) known.append(known.empty() ? "" : ", ").append(each.id);
        return fail(ErrorCode::kInvalidArgument, "unknown client '" + asked.client + "'; one of: " + known);
    }
    Converted converted;
    if (!asked.file.empty()) {
        GANTRY_TRY(const ForeignFile file, read_foreign_file(asked.file, program));
        convert(file, converted);
        return converted;
    }
    for (const FoundFile& found : usual_files(home, project)) {
        if (program != nullptr && found.program != program) continue;
        auto file = read_foreign_file(found.file, found.program);
        if (!file) {
            converted.notes.push_back(std::string(found.program->title) + ": " + file.error().message());
            continue;
        }
        if (!file->servers.empty()) {
            converted.notes.push_back(std::string(found.program->title) + ": read " + found.file.string());
        }
        convert(*file, converted);
    }
    return converted;
}

std::string configuration_text(Converted& converted) {
    std::string text(kHead);
    text += "servers:\n";
    std::vector<gateway::McpServerSpec> usable;
    for (const auto& server : converted.servers) {
        const std::string entry = server_text(server);
        if (const auto read = parse_config("servers:\n" + entry, server.name); !read) {
            converted.notes.push_back(server.name + " cannot be imported: " + first_line(read.error().message()));
            continue;
        }
        text += entry;
        usable.push_back(server);
    }
    converted.servers = std::move(usable);
    return text;
}

cli::ExtraCommand import_command() {
    const auto asked = std::make_shared<ImportRequest>();
    return {.name = "import",
            .description = "Import the MCP servers of other programs into a configuration",
            .example = "gantry import --output gantry.yaml\n  gantry import ~/.cursor/mcp.json --merge gantry.yaml",
            .describe =
                [asked](CLI::App& command) {
                    command.add_option("file", asked->file, "Another program's file; default: the usual ones")
                        ->type_name("FILE");
                    command.add_option("--client", asked->client, "Only this program's: cursor, vscode, codex, …")
                        ->type_name("CLIENT");
                    auto* output =
                        command.add_option("-o,--output", asked->output, "New configuration; default: standard output")
                            ->type_name("FILE");
                    command
                        .add_option("--merge", asked->merge,
                                    "Add the servers to this configuration; its comments and order stay")
                        ->type_name("FILE")
                        ->excludes(output);
                    command.add_flag("--store", asked->store,
                                     "Store credentials found in plain text with gantry secrets");
                },
            .run = [asked] { return run(*asked); }};
}

}  // namespace gantry::app
