#pragma once

#include <string>
#include <vector>

#include "gateway/model/source_spec.hpp"
#include "io/process/process.hpp"

namespace gantry::gateway::sandbox {

/// Where things are on this machine.
struct Places {
    std::string state;        // the gateway's own folder
    std::string homes;        // one folder per server
    std::string home;         // the user's
    std::string cwd;          // ours
    std::string engine = {};  // our DOCKER_HOST
    /// What else no server should see: files of the gateway's, sockets of agents.
    std::vector<std::string> secrets = {};
    /// Folders without links that hold files the gateway reads again: a server that could write there, or move a folder
    /// above, could put its own files in their place.
    std::vector<std::string> locked = {};
};

/// What one server may do, with nothing left to be decided.
struct Rules {
    bool strict = false;
    NetworkAccess network = NetworkAccess::kOpen;
    std::vector<std::string> hosts;
    /// Strict: all there is. Standard: what stays visible although it would be hidden.
    std::vector<std::string> read;
    std::vector<std::string> write;
    std::vector<std::string> hide;
    /// Cannot be written, except for the folders in them.
    std::vector<std::string> locked;
    /// Folders that can be neither moved nor removed.
    std::vector<std::string> fixed;
    /// Read-only wherever it lies in something that may be written.
    std::vector<std::string> read_only;
    /// What stays writable in locked folders besides.
    std::vector<std::string> open;
    std::vector<std::string> env;
    std::string home;
    std::string engine;          // DOCKER_HOST of a client that would not find its engine by itself
    bool marks_sockets = false;  // so that the gateway knows its connections
    std::size_t memory = 0;      // 0: as much as there is
    std::size_t tasks = 0;
};

/// What the level and its details mean for this start. Paths are absolute; those that do not exist are harmless.
Rules rules_of(const McpServerSpec& server, const process::Command& command, const Places& places);

/// "~/x" with the user's home; other paths as they are.
std::string expand_home(const std::string& path, const std::string& home);
/// Whether `path` is `folder` or lies in it; both absolute and without "..".
bool is_in(const std::string& path, const std::string& folder);

}  // namespace gantry::gateway::sandbox
