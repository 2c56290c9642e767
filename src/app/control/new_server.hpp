#pragma once

#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace CLI {
class App;
}

namespace gantry::app {

/// A server as `gantry add` is given it.
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

/// Its settings as the configuration has them. kInvalidArgument says what is missing or does not fit together.
/// Paths become absolute, since the gateway may run in another folder.
Result<JsonObject> settings_of(const NewServer& server);

/// Names of headers and variables whose values sound like secrets and would stand in the file in plain text.
std::vector<std::string> plain_secrets(const NewServer& server);

}  // namespace gantry::app
