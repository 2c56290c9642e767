#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/control/control_client.hpp"

namespace CLI {
class App;
}

namespace gantry::app {

/// Selects a running gateway and the output format.
struct GatewayChoice {
    std::string state_dir;
    int pid = 0;
    bool shared = false;  // about state shared by all gateways of the folder: any of them will do
    bool json = false;
};

/// Adds --state-dir and --pid.
void add_choice(CLI::App& command, GatewayChoice& choice);

Result<ControlClient> client_for(const GatewayChoice& choice);

/// Sends one request and prints the answer: as received, or formatted by `show`. Returns the exit code.
int ask(const GatewayChoice& choice, const std::string& method, const std::string& target,
        const std::function<std::string(const Json&)>& show, const Json& body = {});

/// Percent-encodes a part of a path or a query.
std::string encoded(std::string_view text);

}  // namespace gantry::app
