#pragma once

#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// What programs need to run at all and nobody has to keep secret.
std::vector<std::string> system_folders();
/// Where people and programs keep their keys, tokens, histories and browser profiles, under `home` and beyond it: also
/// the sockets whose owners do as they are told (container engines, session bus).
std::vector<std::string> secret_places(const std::string& home);
/// Where shells, desktops, editors and version control find what they run unasked, under `home`: what stands there runs
/// with all the user's rights later.
std::vector<std::string> startup_places(const std::string& home);
/// The user's home, and for root those of all others.
std::vector<std::string> all_homes(const std::string& home);
/// `folders` without the dot files of `homes`, nor anything new directly in a home: what is left of a folder that holds
/// a home are the folders and files in it.
std::vector<std::string> without_dot_files(const std::vector<std::string>& folders,
                                           const std::vector<std::string>& homes);
/// Folders every program writes to: never locked, whatever lies in them.
const std::vector<std::string>& shared_folders();
/// Every folder directly under the root that is not the system's, and the few of the system's that all programs use.
std::vector<std::string> data_folders();

}  // namespace gantry::gateway::sandbox
