#include "gateway/sandbox/levels.hpp"

#include <algorithm>
#include <filesystem>

#include "gateway/sandbox/engines.hpp"
#include "gateway/sandbox/folders.hpp"
#include "gateway/sandbox/guard.hpp"
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

/// The installation folder of a program: the folder above its `bin` (or a version manager's `shims`), if it contains
/// only that installation.
std::string installation_of(const std::string& file, const std::string& home) {
    const fs::path folder = fs::path(file).parent_path();
    const fs::path above = folder.parent_path();
    const bool too_much = above == above.root_path() || above == home || above == fs::path(home) / ".local";
    const bool has_rest = folder.filename() == "bin" || folder.filename() == "shims";
    return has_rest && !too_much ? above.string() : folder.string();
}

/// The program and its installation, by its name and by what that name resolves to.
std::vector<std::string> program_places(const process::Command& command, const Places& places) {
    std::vector<std::string> found;
    const auto program = process::find_program(command);
    if (!program || !exists(*program)) return found;
    std::error_code ignored;
    for (const fs::path& file : {fs::path(*program), fs::canonical(*program, ignored)}) {
        if (file.empty()) continue;
        const std::string installation = installation_of(file.string(), places.home);
        // A program directly in the home must not make the whole home readable.
        found.push_back(installation == places.home ? file.string() : installation);
    }
    return found;
}

/// An argument as a path: "/data", "--root=/data", or relative to the server's working directory. Empty: not a path.
std::string named_by(const std::string& argument, const std::string& cwd) {
    if (exists(argument)) return argument;
    const auto equals = argument.find('=');
    const std::string value = equals == std::string::npos ? argument : argument.substr(equals + 1);
    if (exists(value)) return value;
    if (value.empty() || value.starts_with('-') || cwd.empty()) return {};
    const std::string inside = (fs::path(cwd) / value).lexically_normal().string();
    return exists(inside) ? inside : std::string();
}

/// Paths on the command line: a script with the packages beside it, a file, a folder.
std::vector<std::string> named_places(const process::Command& command, const std::string& cwd) {
    std::vector<std::string> found;
    for (const std::string& text : command.args) {
        std::string argument = named_by(text, cwd);
        if (argument.size() > 1 && argument.ends_with('/')) argument.pop_back();
        if (argument.empty() || argument == "/") continue;
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

/// Paths that the operator lists stay visible, and so do their parents.
void show_named(Rules& rules) {
    std::erase_if(rules.hide, [&rules](const std::string& hidden) {
        const auto named = [&hidden](const std::string& path) { return is_in(path, hidden); };
        return std::ranges::any_of(rules.read, named) || std::ranges::any_of(rules.write, named);
    });
}

std::string real(const std::string& path) {
    std::error_code failed;
    const fs::path found = fs::canonical(path, failed);
    return failed ? path : found.string();
}

/// A server must not write files that later run with the user's rights, unless the operator lists that very path.
void keep_startup_files(Rules& rules, const std::vector<std::string>& homes, const std::vector<std::string>& named) {
    for (const std::string& home : homes)
        for (const std::string& place : startup_places(home)) {
            const auto within = [&place](const std::string& path) { return is_in(path, place); };
            if (exists(place) && std::ranges::none_of(named, within)) rules.read_only.push_back(place);
        }
}

/// Whether servers may write our working directory, in which they start by default: not the root or a top-level folder,
/// and nothing in or above a home, where other rules apply.
bool is_workplace(const std::string& cwd, const std::vector<std::string>& homes) {
    const bool deep = std::ranges::count(cwd, '/') > 1;
    return deep && std::ranges::none_of(
                       homes, [&cwd](const std::string& home) { return is_in(home, cwd) || is_in(cwd, home); });
}

/// Locks the folders the gateway reads from, unless the operator lets this server work there.
void lock_folders(Rules& rules, const Places& places, const std::vector<std::string>& named) {
    std::vector<std::string> works_in;
    for (const std::string& path : named) works_in.push_back(real(path));
    for (const std::string& folder : places.locked) {
        const auto holds = [&folder](const std::string& path) { return is_in(folder, path); };
        const bool shared = std::ranges::find(shared_folders(), folder) != std::end(shared_folders());
        if (!shared && std::ranges::none_of(works_in, holds)) rules.locked.push_back(folder);
    }
    for (const std::string& folder : rules.locked) append(rules.open, rooms_of(folder, all_homes(places.home)));
    for (const std::string& path : works_in) {
        const auto holds = [&path](const std::string& folder) { return path != folder && is_in(path, folder); };
        if (std::ranges::any_of(rules.locked, holds)) rules.open.push_back(path);
    }
    std::erase_if(rules.open, [&rules](const std::string& path) {
        return std::ranges::find(rules.locked, path) != rules.locked.end();
    });
    std::vector<std::string> kept = places.locked;
    append(kept, places.secrets);
    kept.push_back(places.state);
    rules.fixed = folders_above(kept);
    append(rules.fixed, places.locked);
    // A mount of its own, so that the server's home inside is not made read-only by a locked folder around it.
    rules.fixed.push_back(places.state);
    std::ranges::sort(rules.fixed);
    const auto [first, last] = std::ranges::unique(rules.fixed);
    rules.fixed.erase(first, last);
    std::erase(rules.fixed, "/");
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
    rules.marks_sockets = rules.network == NetworkAccess::kOpen && !wish.gateway;
    rules.env = wish.env;
    rules.home = wish.home == HomeFolder::kHost ? places.home : places.homes + '/' + server.name;
    rules.memory = wish.memory != 0 ? wish.memory : rules.strict ? kStrictMemory : 0;
    rules.tasks = wish.processes != 0 ? wish.processes : rules.strict ? kStrictTasks : kStandardTasks;
    rules.read = expanded(wish.read, places.home);
    rules.write = expanded(wish.write, places.home);
    rules.hide = secret_places(places.home);
    append(rules.hide, places.secrets);
    const Engine engine = engine_of(command, places);
    for (const std::string& socket : engine.sockets) show_in_hidden(rules.hide, socket);
    rules.engine = engine.address;
    show_named(rules);
    rules.hide.push_back(places.state);

    rules.write.push_back(rules.home);
    append(rules.read, program_places(command, places));
    if (!server.cwd.empty()) rules.read.push_back(server.cwd);
    // Paths the operator lets this server work on.
    std::vector<std::string> named = rules.write;
    const std::vector<std::string> homes = all_homes(places.home);
    if (rules.strict) {
        append(rules.read, named_places(command, server.cwd));
        append(rules.read, system_folders());
    } else {
        append(named, named_places(command, server.cwd.empty() ? places.cwd : server.cwd));
        if (!server.cwd.empty()) named.push_back(server.cwd);
        rules.write = named;
        append(rules.write, without_dot_files(data_folders(), homes));
        if (server.cwd.empty() && is_workplace(places.cwd, homes)) rules.write.push_back(places.cwd);
    }
    keep_startup_files(rules, homes, named);
    lock_folders(rules, places, named);
    return rules;
}

}  // namespace gantry::gateway::sandbox
