#include "app/clients/connect.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "app/clients/duplicates.hpp"
#include "app/clients/replace_file.hpp"
#include "app/config/config.hpp"
#include "base/try.hpp"
#include "base/url.hpp"
#include "surface/cli/exit_code.hpp"
#include "surface/cli/print.hpp"

namespace gantry::app {
namespace {

struct Args {
    std::string client;
    std::string name = "gantry";
    std::string url;
    std::string config = "gantry.yaml";
    std::string file;
    bool stdio = false;
    bool write = false;
    bool replace = false;
    bool undo = false;
};

std::filesystem::path self() {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::filesystem::path("gantry") : path;
}

int report(const Error& error) {
    std::cerr << "gantry: " << error.message() << std::endl;
    const bool missing = error.code() == ErrorCode::kNotFound;
    return static_cast<int>(missing ? cli::ExitCode::kConnection : cli::ExitCode::kUsage);
}

/// The configured listen address, as seen from this machine.
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

Result<Door> door_of(const Args& args, const ClientProgram& program) {
    Door door{.name = args.name};
    if (args.stdio || program.url_key.empty()) {
        if (!args.url.empty())
            return fail(ErrorCode::kInvalidArgument,
                        std::string(program.title) + " only starts programs: leave out --url");
        door.program = self().string();
        door.config = std::filesystem::absolute(args.config).string();
        return door;
    }
    if (!args.url.empty()) {
        if (const auto url = Url::parse(args.url); !url)
            return fail(ErrorCode::kInvalidArgument,
                        "--url must be an http or https URL, e.g. "
                        "http://127.0.0.1:8090/mcp: " +
                            url.error().message());
    }
    door.url = args.url;
    if (door.url.empty()) {
        GANTRY_TRY(door.url, url_of(args.config));
    }
    return door;
}

Result<std::filesystem::path> file_of(const Args& args, const ClientProgram& program) {
    if (!args.file.empty()) return std::filesystem::path(args.file);
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home != '/')
        return fail(ErrorCode::kInvalidArgument, "no home folder found; name the program's file with --file");
    return std::filesystem::path(home) / program.home_files.front();
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return in.is_open() ? (std::ostringstream() << in.rdbuf()).str() : std::string();
}

std::string list_of(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out.append(out.empty() ? "" : ", ").append(name);
    return out;
}

/// Servers of the program that the gateway also serves: their tools would appear twice.
std::vector<std::string> duplicates(const Args& args, const ClientProgram& program, const std::string& text) {
    std::error_code error;
    if (!std::filesystem::exists(args.config, error)) return {};
    const auto config = load_config(args.config);
    return config ? served_twice(text, program, config->servers) : std::vector<std::string>();
}

Result<int> write(const Args& args, const ClientProgram& program, const Door& door) {
    GANTRY_TRY(const std::filesystem::path file, file_of(args, program));
    const std::string text = text_of(file);
    auto changed = with_entry(text, program, door);
    if (!changed) return fail(changed.error().within(file.string()));
    const std::vector<std::string> twice = duplicates(args, program, text);
    if (args.replace) {
        for (const std::string& name : twice) {
            changed = without_entry(*changed, program, name);
            if (!changed) return fail(changed.error().within(file.string()));
        }
    }
    if (*changed == text) {
        std::cout << file.string() << " is up to date" << std::endl;
    } else {
        GANTRY_TRY(const std::filesystem::path copy, replace_with_backup(file, *changed));
        std::cout << program.title << " finds Gantry as '" << door.name << "' in " << file.string() << '\n';
        if (args.replace && !twice.empty())
            std::cout << "removed there, because Gantry serves them: " << list_of(twice) << '\n';
        if (!copy.empty())
            std::cout << "the previous file is " << copy.string() << "; `gantry connect " << program.id
                      << " --undo` restores it\n";
        std::cout << "Restart " << program.title << (door.url.empty() ? "." : " while `gantry serve` runs.")
                  << std::endl;
    }
    if (!args.replace && !twice.empty()) {
        std::cerr << "note: " << file.string() << " also starts " << cli::counted(twice.size(), "server")
                  << " that Gantry serves (" << list_of(twice)
                  << "), so their tools appear twice; --replace removes them there" << std::endl;
    }
    return 0;
}

/// The latest backup that replace_with_backup() made, if there is one.
std::filesystem::path newest_copy(const std::filesystem::path& file) {
    std::filesystem::path newest;
    std::error_code error;
    for (int n = 1; n < 1000; ++n) {
        const std::filesystem::path copy = file.string() + ".before-gantry" + (n == 1 ? "" : "-" + std::to_string(n));
        if (!std::filesystem::exists(copy, error)) break;
        newest = copy;
    }
    return newest;
}

Result<int> undo(const Args& args, const ClientProgram& program) {
    GANTRY_TRY(const std::filesystem::path named, file_of(args, program));
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(named, error);
    const std::filesystem::path& file = error ? named : real;
    const std::filesystem::path copy = newest_copy(file);
    if (copy.empty()) {
        // There was no file before: only our entry has to be removed.
        auto changed = without_entry(text_of(file), program, args.name);
        if (!changed) return fail(changed.error().within(file.string()));
        GANTRY_CHECK(replace_whole(file, *changed));
        std::cout << "removed '" << args.name << "' from " << file.string() << std::endl;
        return 0;
    }
    const std::string before = text_of(copy);
    const std::string now = text_of(file);
    GANTRY_CHECK(replace_whole(file, before));
    GANTRY_CHECK(replace_whole(file.string() + ".before-undo", now));
    std::filesystem::remove(copy, error);
    std::cout << file.string() << " is restored to its state before `gantry connect`; the replaced file is "
              << file.string() << ".before-undo" << std::endl;
    return 0;
}

int run(const Args& args) {
    const ClientProgram* program = find_program(args.client);
    if (program == nullptr) return report(Error(ErrorCode::kInvalidArgument, "unknown client: " + args.client));
    if (args.undo) {
        const auto undone = undo(args, *program);
        return undone ? *undone : report(undone.error());
    }
    const auto door = door_of(args, *program);
    if (!door) return report(door.error());
    if (args.write || args.replace) {
        const auto written = write(args, *program, *door);
        return written ? *written : report(written.error());
    }
    std::cout << entry_text(*program, *door) << std::flush;
    if (const auto file = file_of(args, *program)) {
        std::cerr << "for " << file->string() << "; --write puts it there" << std::endl;
    }
    return 0;
}

}  // namespace

cli::ExtraCommand connect_command() {
    const auto args = std::make_shared<Args>();
    return {
        .name = "connect",
        .description = "Print or write the entry that points another program at Gantry",
        .example = "gantry connect cursor\n  gantry connect claude-desktop --config gantry.yaml --replace",
        .describe =
            [args](CLI::App& command) {
                std::vector<std::string> known;
                for (const ClientProgram& program : client_programs()) known.emplace_back(program.id);
                std::string names;
                for (const std::string& id : known) names.append(names.empty() ? "" : ", ").append(id);
                command.add_option("client", args->client, names)
                    ->required()
                    ->check(CLI::IsMember(known).description(""))
                    ->type_name("CLIENT");
                command.add_flag("--write", args->write, "Write it into the program's file; a copy is kept beside it");
                command.add_flag("--replace", args->replace,
                                 "Write it, and remove the servers there that Gantry serves now");
                command.add_flag("--undo", args->undo, "Restore the program's file as it was before");
                command.add_option("--url", args->url,
                                   "Where gantry serve listens; default: what the configuration says");
                command.add_flag("--stdio", args->stdio, "Let the program start gantry stdio itself");
                command.add_option("-c,--config", args->config, "Configuration; default gantry.yaml")
                    ->type_name("FILE");
                command.add_option("--name", args->name, "Name of the entry; default gantry");
                command.add_option("--file", args->file, "The program's file, if it is elsewhere")->type_name("FILE");
            },
        .run = [args] { return run(*args); }};
}

}  // namespace gantry::app
