#include "app/clients/connect.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/clients/jsonc.hpp"
#include "app/clients/replace_file.hpp"
#include "app/clients/toml.hpp"
#include "app/config/config.hpp"
#include "app/config/yaml.hpp"
#include "base/try.hpp"
#include "surface/cli/exit_code.hpp"

namespace gantry::app {
namespace {

struct Asked {
    std::string client;
    std::string name = "gantry";
    std::string url;
    std::string config = "gantry.yaml";
    std::string file;
    bool stdio = false;
    bool write = false;
};

Json entry_of(const ClientProgram& program, const Door& door) {
    JsonObject entry;
    if (program.id == "goose") {
        entry = {{"name", door.name}, {"enabled", true}, {"timeout", 300}};
        entry.set("type", door.url.empty() ? Json("stdio") : Json(program.url_type));
    }
    if (!door.url.empty()) {
        if (!program.url_type.empty()) entry.set("type", program.url_type);
        entry.set(std::string(program.url_key), door.url);
        return entry;
    }
    JsonArray args{"stdio", "--config", door.config};
    if (program.id == "opencode") {
        args.insert(args.begin(), door.program);
        entry.set("type", "local");
        entry.set("command", std::move(args));
        return entry;
    }
    if (program.id == "vscode") entry.set("type", "stdio");
    entry.set(program.id == "goose" ? "cmd" : "command", door.program);
    entry.set("args", std::move(args));
    return entry;
}

/// TOML and YAML both read JSON's texts, numbers and lists.
std::string toml_text(const ClientProgram& program, const Door& door) {
    std::string text = "[" + program.servers.front() + "." + Json(door.name).dump() + "]\n";
    const Json entry = entry_of(program, door);
    for (const auto& [key, value] : *entry.if_object()) text += key + " = " + value.dump() + "\n";
    return text;
}
std::string yaml_entry(const ClientProgram& program, const Door& door) {
    std::string text = "  " + Json(door.name).dump() + ":\n";
    const Json entry = entry_of(program, door);
    for (const auto& [key, value] : *entry.if_object()) text += "    " + key + ": " + value.dump() + "\n";
    return text;
}

Result<Json> tree_of(std::string_view text, Format format) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json(JsonObject());
    if (format == Format::kToml) return parse_toml(text);
    if (format == Format::kJson) return parse_jsonc(text);
    auto document = parse_yaml(text);
    if (!document)
        return fail(ErrorCode::kParse,
                    "line " + std::to_string(document.error().at.line) + ": " + document.error().what);
    return document->tree.is_null() ? Json(JsonObject()) : std::move(document->tree);
}

Result<std::string> edited(std::string_view text, const ClientProgram& program, const Door& door) {
    std::string out(text);
    if (program.format == Format::kJson) {
        std::vector<std::string> path = program.servers;
        path.push_back(door.name);
        return put_member(text, path, entry_of(program, door));
    }
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    if (program.format == Format::kToml) return out + (out.empty() ? "" : "\n") + toml_text(program, door);
    const std::string head = program.servers.front() + ":\n";
    const auto at = out.starts_with(head) ? 0 : out.find("\n" + head);
    if (at == std::string::npos) return out + head + yaml_entry(program, door);
    return out.insert(at + (at == 0 ? 0 : 1) + head.size(), yaml_entry(program, door));
}

std::filesystem::path self() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path("gantry") : path;
}

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    return static_cast<int>(cli::ExitCode::kUsage);
}

/// Where the configuration says that it listens, as seen from this machine.
Result<std::string> url_of(const std::string& file) {
    Config config;
    std::error_code error;
    if (std::filesystem::exists(file, error)) {
        GANTRY_TRY(config, load_config(file));
    }
    std::string listen = config.listen;
    for (const std::string_view everywhere : {"0.0.0.0:", "[::]:"}) {
        if (listen.starts_with(everywhere)) listen.replace(0, everywhere.size(), "127.0.0.1:");
    }
    return "http://" + listen + config.path;
}

Result<Door> door_of(const Asked& asked, const ClientProgram& program) {
    Door door{.name = asked.name};
    if (asked.stdio || program.url_key.empty()) {
        if (!asked.url.empty())
            return fail(ErrorCode::kInvalidArgument,
                        std::string(program.title) + " only starts programs: leave out --url");
        door.program = self().string();
        door.config = std::filesystem::absolute(asked.config).string();
        return door;
    }
    door.url = asked.url;
    if (door.url.empty()) {
        GANTRY_TRY(door.url, url_of(asked.config));
    }
    return door;
}

Result<std::filesystem::path> file_of(const Asked& asked, const ClientProgram& program) {
    if (!asked.file.empty()) return std::filesystem::path(asked.file);
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/')
        return fail(ErrorCode::kInvalidArgument, "there is no home folder; say --file");
    return std::filesystem::path(home) / program.home_files.front();
}

Result<int> write(const Asked& asked, const ClientProgram& program, const Door& door) {
    GANTRY_TRY(const std::filesystem::path file, file_of(asked, program));
    std::ifstream in(file, std::ios::binary);
    const std::string text = in.is_open() ? (std::ostringstream() << in.rdbuf()).str() : std::string();
    auto changed = with_entry(text, program, door);
    if (!changed) return fail(changed.error().within(file.string()));
    if (*changed == text) {
        std::cout << file.string() << " has it already" << std::endl;
        return 0;
    }
    GANTRY_TRY(const std::filesystem::path copy, replace_with_backup(file, *changed));
    std::cout << program.title << " finds Gantry as '" << door.name << "' in " << file.string();
    if (!copy.empty()) std::cout << "; what it was before is in " << copy.string();
    std::cout << "\nRestart " << program.title << (door.url.empty() ? "." : " while `gantry serve` runs.") << std::endl;
    return 0;
}

int run(const Asked& asked) {
    const ClientProgram* program = find_program(asked.client);
    if (program == nullptr) return report(Error(ErrorCode::kInvalidArgument, "not known: " + asked.client));
    const auto door = door_of(asked, *program);
    if (!door) return report(door.error());
    if (asked.write) {
        const auto written = write(asked, *program, *door);
        return written ? *written : report(written.error());
    }
    std::cout << entry_text(*program, *door) << std::flush;
    if (const auto file = file_of(asked, *program)) {
        std::cerr << "for " << file->string() << "; --write puts it there" << std::endl;
    }
    return 0;
}

}  // namespace

std::string entry_text(const ClientProgram& program, const Door& door) {
    if (program.format == Format::kToml) return toml_text(program, door);
    if (program.format == Format::kYaml) return program.servers.front() + ":\n" + yaml_entry(program, door);
    Json json = JsonObject{{door.name, entry_of(program, door)}};
    for (std::size_t i = program.servers.size(); i-- > 0;) json = JsonObject{{program.servers[i], std::move(json)}};
    return json.pretty() + "\n";
}

Result<std::string> with_entry(std::string_view text, const ClientProgram& program, const Door& door) {
    GANTRY_TRY(Json wanted, tree_of(text, program.format));
    Json* at = &wanted;
    for (const std::string& key : program.servers) {
        if (at->if_object() == nullptr)
            return fail(ErrorCode::kInvalidArgument, "is not of the form this program uses");
        if (!at->if_object()->contains(key)) at->if_object()->set(key, JsonObject());
        at = at->find(key);
    }
    if (at->if_object() == nullptr) return fail(ErrorCode::kInvalidArgument, "is not of the form this program uses");
    const Json entry = entry_of(program, door);
    if (const Json* there = at->find(door.name)) {
        if (*there == entry) return std::string(text);
        if (program.format != Format::kJson) {
            return fail(ErrorCode::kInvalidArgument,
                        "has another '" + door.name + "' already: remove it, or choose another --name");
        }
    }
    at->if_object()->set(door.name, entry);
    GANTRY_TRY(std::string out, edited(text, program, door));
    // Nothing is written that would not read as the same file with one entry more.
    if (const auto after = tree_of(out, program.format); !after || *after != wanted) {
        return fail(ErrorCode::kUnsupported,
                    "is laid out in a way Gantry does not dare to edit; add by hand:\n" + entry_text(program, door));
    }
    return out;
}

cli::ExtraCommand connect_command() {
    const auto asked = std::make_shared<Asked>();
    return {
        .name = "connect",
        .description = "Print or write the entry that points another program at Gantry",
        .example = "gantry connect cursor\n  gantry connect claude-desktop --config gantry.yaml --write",
        .describe =
            [asked](CLI::App& command) {
                std::vector<std::string> known;
                for (const ClientProgram& program : client_programs()) known.emplace_back(program.id);
                std::string names;
                for (const std::string& id : known) names.append(names.empty() ? "" : ", ").append(id);
                command.add_option("client", asked->client, names)
                    ->required()
                    ->check(CLI::IsMember(known).description(""))
                    ->type_name("CLIENT");
                command.add_flag("--write", asked->write, "Write it into the program's file; a copy is kept beside it");
                command.add_option("--url", asked->url,
                                   "Where gantry serve listens; default: what the configuration says");
                command.add_flag("--stdio", asked->stdio, "Let the program start gantry stdio itself");
                command.add_option("-c,--config", asked->config, "Configuration; default gantry.yaml")
                    ->type_name("FILE");
                command.add_option("--name", asked->name, "What the entry is called; default gantry");
                command.add_option("--file", asked->file, "The program's file, if it is elsewhere")->type_name("FILE");
            },
        .run = [asked] { return run(*asked); }};
}

}  // namespace gantry::app
