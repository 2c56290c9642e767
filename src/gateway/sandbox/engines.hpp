#pragma once

#include <string>
#include <vector>

#include "gateway/sandbox/levels.hpp"

namespace gantry::gateway::sandbox {

/// The container engine that a client program such as `docker` talks to.
struct Engine {
    std::vector<std::string> sockets;  // paths the client needs access to; other servers get none
    std::string address;               // for DOCKER_HOST; empty: the client finds the engine itself
};

/// The engine for a server whose program is such a client; empty for all other programs. Looked up in this order: the
/// one DOCKER_HOST names, the machine's, the user's own (rootless, Docker Desktop), which the client would look up in
/// the user's home.
Engine engine_of(const process::Command& command, const Places& places);

/// Removes `shown` from the hidden paths; if a hidden folder contains it, everything else in that folder is hidden
/// instead.
void show_in_hidden(std::vector<std::string>& hide, const std::string& shown);

}  // namespace gantry::gateway::sandbox
