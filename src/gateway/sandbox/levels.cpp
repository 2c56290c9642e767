#include "gateway/sandbox/levels.hpp"

#include <algorithm>
#include <filesystem>

#include "gateway/sandbox/folders.hpp"
#include "io/process/spawn.hpp"

namespace gantry::gateway::sandbox {

namespace {

namespace fs = std::filesystem;

// Enough for a browser under a server under a package runner.
constexpr std::size_t kStandardTasks = 4096;
constexpr std::size_t kStrictTasks = 256;
constexpr std::size_t kStrictMemory = std::size_t{1} << 30;

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return path.starts_with('/') && fs::exists(path, ignored);
}

/// Where an installed program keeps the rest of itself: the folder above its `bin` (or a version manager's `shims`), if
/// that is no more than its own.
std::string installation_of(const std::string& file, const std::string& home) {
    const fs::path folder = fs::path(file).parent_path();
    const fs::path above = folder.parent_path();
    const bool too_much = above == above.root_path() || above == home || above == fs::path(home) / ".local";
    const bool has_rest = folder.filename() == "bin" || folder.filename() == "shims";
    return has_rest && !too_much ? above.string() : folder.string();
}

/// The program and what it was installed with, by its name and by what that name leads to.
std::vector<std::string> program_places(const process::Command& command, const Places& places) {
    std::vector<std::string> found;
    const auto program = process::find_program(command);
    if (!program || !exists(*program)) return found;
    std::error_code ignored;
    for (const fs::path& file : {fs::path(*program), fs::canonical(*program, ignored)}) {
        if (file.empty()) continue;
        const std::string installation = installation_of(file.string(), places.home);
        // A program that lies in the home itself does not open it.
        found.push_back(installation == places.home ? file.string() : installation);
    }
    return found;
}

/// What the command line names: a script with the packages beside it, a file, a folder.
std::vector<std::string> named_places(const process::Command& command) {
    std::vector<std::string> found;
    for (const std::string& argument : command.args) {
        if (!exists(argument) || argument == "/") continue;
        const auto packages = argument.find("/node_modules/");
        found.push_back(packages == std::string::npos ? argument : argument.substr(0, packages) + "/node_modules");
    }
    return found;
}

std::vector<std::string> expanded(const std::vector<std::string>& paths, const std::string& home) {
    std::vector<std::string> out;
    for (const std::string& path : paths) out.push_back(fs::path(expand_home(path, home)).lexically_normal().string());
    return out;
}

/// What the operator names stays visible, and so does the way to it.
void show_named(Rules& rules) {
    std::erase_if(rules.hide, [&rules](const std::string& hidden) {
        const auto named = [&hidden](const std::string& path) { return is_in(path, hidden); };
        return std::ranges::any_of(rules.read, named) || std::ranges::any_of(rules.write, named);
    });
}

}  // namespace

std::string expand_home(const std::string& path, const std::string& home) {
    return path == "~" || path.starts_with("~/") ? home + path.substr(1) : path;
}

bool is_in(const std::string& path, const std::string& folder) {
    return path == folder || folder == "/" || path.starts_with(folder + "/");
}

Rules rules_of(const McpServerSpec& server, const process::Command& command, const Places& places) {
    const Isolation& wish = server.isolation;
    Rules rules;
    rules.strict = wish.level == IsolationLevel::kStrict;
    rules.network = wish.network.value_or(rules.strict ? NetworkAccess::kNone : NetworkAccess::kOpen);
    rules.hosts = wish.hosts;
    rules.env = wish.env;
    rules.home = wish.home == HomeFolder::kHost ? places.home : places.homes + '/' + server.name;
    rules.memory = wish.memory != 0 ? wish.memory : rules.strict ? kStrictMemory : 0;
    rules.tasks = wish.processes != 0 ? wish.processes : rules.strict ? kStrictTasks : kStandardTasks;
    rules.read = expanded(wish.read, places.home);
    rules.write = expanded(wish.write, places.home);
    rules.hide = secret_places(places.home);
    append(rules.hide, places.secrets);
    show_named(rules);
    rules.hide.push_back(places.state);

    rules.write.push_back(rules.home);
    append(rules.read, program_places(command, places));
    if (!server.cwd.empty()) rules.read.push_back(server.cwd);
    if (rules.strict) {
        append(rules.read, named_places(command));
        append(rules.read, system_folders());
    } else {
        append(rules.write, data_folders());
        append(rules.write, named_places(command));
        rules.write.push_back(server.cwd.empty() ? places.cwd : server.cwd);
    }
    return rules;
}

}  // namespace gantry::gateway::sandbox
