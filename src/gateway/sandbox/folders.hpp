#pragma once

#include <string>
#include <vector>

namespace gantry::gateway::sandbox {

/// What programs need to run at all and nobody has to keep secret.
std::vector<std::string> system_folders();
/// Where people and programs keep their keys, tokens, histories and browser profiles, under `home` and beyond it: also
/// the sockets whose owners do as they are told (container engines, session bus).
std::vector<std::string> secret_places(const std::string& home);
/// Every folder directly under the root that is not the system's.
std::vector<std::string> data_folders();

}  // namespace gantry::gateway::sandbox
