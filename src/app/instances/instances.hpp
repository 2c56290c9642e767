#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::app {

/// A running gateway, as found in its state folder.
struct Instance {
    int pid = 0;
    std::filesystem::path socket;
};

/// The control socket of the gateway with this process id.
std::filesystem::path control_socket(const std::filesystem::path& state_dir, int pid);

/// The running gateways, by process id. Stale sockets of killed ones are removed. kDenied: the folder or the gateways
/// in it belong to another user.
Result<std::vector<Instance>> find_instances(const std::filesystem::path& state_dir);
/// The same, or empty when they cannot be determined.
std::vector<Instance> running_instances(const std::filesystem::path& state_dir);

/// Selects a gateway: with `pid` 0 the only one there is. kNotFound when none is running, kInvalidArgument when there
/// are several; both say what to do.
Result<Instance> choose_instance(const std::filesystem::path& state_dir, int pid);
/// The same for state that all of them share: with `pid` 0 any will do.
Result<Instance> choose_any_instance(const std::filesystem::path& state_dir, int pid);

}  // namespace gantry::app
