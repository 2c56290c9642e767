#pragma once

#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// Folders that programs need in order to run and that hold nothing secret.
std::vector<std::string> system_folders();
/// Where users and programs keep keys, tokens, histories and browser profiles, in `home` and elsewhere; includes
/// sockets that give control over their owner (container engines, session bus).
std::vector<std::string> secret_places(const std::string& home);
/// Locations in `home` from which shells, desktops, editors and version control run code automatically: a file planted
/// there later runs with all of the user's rights.
std::vector<std::string> startup_places(const std::string& home);
/// The user's home; for root, also those of all other users.
std::vector<std::string> all_homes(const std::string& home);
/// `folders` without the dot files of `homes`, and without the right to create anything directly in a home: a folder
/// that contains a home is replaced by the folders and files in it.
std::vector<std::string> without_dot_files(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& homes);
/// Folders every program writes to: never locked, whatever they contain.
const std::vector<std::string>& shared_folders();
/// Every top-level folder that is not a system folder, plus the few system folders that all programs use.
std::vector<std::string> data_folders();

}  // namespace gantry::gateway::sandbox
