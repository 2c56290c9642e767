#pragma once

#include <string>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "io/process/process.hpp"

namespace gantry::gateway::sandbox {

/// Locations on this machine.
struct Places {
    std::string state;        // the gateway's state folder
    std::string homes;        // one folder per server
    std::string home;         // the user's home
    std::string cwd;          // the gateway's working directory
    std::string engine = {};  // the gateway's DOCKER_HOST
    /// Other paths to hide from every server: the gateway's files, sockets of agents.
    std::vector<std::string> secrets = {};
    /// Folders, without symbolic links, whose files the gateway reads again: a server that could write there, or rename
    /// an ancestor, could substitute its own files.
    std::vector<std::string> locked = {};
};

/// The fully resolved rules for one server.
struct Rules {
    bool strict = false;
    NetworkAccess network = NetworkAccess::kOpen;
    std::vector<std::string> hosts;
    /// Strict: everything it can read. Standard: exceptions from what is hidden.
    std::vector<std::string> read;
    std::vector<std::string> write;
    std::vector<std::string> hide;
    /// Not writable, except for the folders in them.
    std::vector<std::string> locked;
    /// Folders that can be neither renamed nor removed.
    std::vector<std::string> fixed;
    /// Read-only even inside a writable folder.
    std::vector<std::string> read_only;
    /// Further writable paths inside locked folders.
    std::vector<std::string> open;
    std::vector<std::string> env;
    std::string home;
    std::string engine;          // DOCKER_HOST, for a client that would not find its engine itself
    bool marks_sockets = false;  // so that the gateway recognises its connections
    std::size_t memory = 0;      // 0: unlimited
    std::size_t tasks = 0;
};

/// Resolves the level and its overrides for this start. Paths are absolute; paths that do not exist are harmless.
Rules rules_of(const McpServerSpec& server, const process::Command& command, const Places& places);

/// Expands "~/x" with the user's home; returns other paths unchanged.
std::string expand_home(const std::string& path, const std::string& home);
/// Whether `path` is `folder` or inside it; both absolute and without "..".
bool is_in(const std::string& path, const std::string& folder);

}  // namespace gantry::gateway::sandbox
