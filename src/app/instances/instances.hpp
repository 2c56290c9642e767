#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gantry/error.hpp"

namespace gantry::app {

/// A running gateway as its state folder shows it.
struct Instance {
    int pid = 0;
    std::filesystem::path socket;
};

/// Where the gateway with this process id can be asked.
std::filesystem::path control_socket(const std::filesystem::path& state_dir, int pid);

/// Those that live, by process id. Sockets that a killed one left behind are removed. kDenied: the folder or the
/// gateways in it belong to another user.
Result<std::vector<Instance>> find_instances(const std::filesystem::path& state_dir);
/// The same, empty where they cannot be seen.
std::vector<Instance> running_instances(const std::filesystem::path& state_dir);

/// The one that is meant: with `pid` 0 the only one there is. kNotFound when none runs there, kInvalidArgument when
/// there are several to choose from; both say what to do.
Result<Instance> choose_instance(const std::filesystem::path& state_dir, int pid);
/// The same for what all of them share: with `pid` 0 any will do.
Result<Instance> choose_any_instance(const std::filesystem::path& state_dir, int pid);

}  // namespace gantry::app
