#pragma once

#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace CLI {
class App;
}

namespace gantry::app {

/// The server described by the arguments of `gantry add`.
struct NewServer {
    std::string name;
    std::string url;
    std::vector<std::string> command;
    std::vector<std::string> env;      // NAME=VALUE
    std::vector<std::string> headers;  // NAME: VALUE
    std::string cwd;
    std::string transport;
    std::string prefix;
    std::string timeout;
    std::vector<std::string> allow;
    std::vector<std::string> deny;
    bool disabled = false;
};

void add_server_settings(CLI::App& command, NewServer& server);

/// Its settings in configuration form. kInvalidArgument says what is missing or contradictory. Paths become absolute,
/// since the gateway may run in another folder.
Result<JsonObject> settings_of(const NewServer& server);

/// Names of headers and variables whose values look like secrets and would be stored in plain text.
std::vector<std::string> plain_secrets(const NewServer& server);

}  // namespace gantry::app
