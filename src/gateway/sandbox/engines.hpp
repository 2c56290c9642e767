#pragma once

#include <string>
#include <vector>

#include "gateway/sandbox/levels.hpp"

namespace gantry::gateway::sandbox {

/// The container engine that a client such as `docker` talks to.
struct Engine {
    std::vector<std::string> sockets;  // what the client has to see of it; other servers do not
    std::string address;               // for DOCKER_HOST; empty: the client finds it by itself
};

/// The engine of a server whose program is such a client; nothing for all other programs. The one that DOCKER_HOST
/// names, else the machine's, else the user's own (rootless, Docker Desktop), which the client would look up in the
/// user's home.
Engine engine_of(const process::Command& command, const Places& places);

/// Takes `shown` out of what is hidden; of a hidden folder around it, everything else in it is hidden instead.
void show_in_hidden(std::vector<std::string>& hide, const std::string& shown);

}  // namespace gantry::gateway::sandbox
