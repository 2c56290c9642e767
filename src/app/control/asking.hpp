#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/control/control_client.hpp"

namespace CLI {
class App;
}

namespace gantry::app {

/// Which running gateway is meant, and how to say what it answers.
struct GatewayChoice {
    std::string state_dir;
    int pid = 0;
    bool shared = false;  // about what all gateways of the folder share: any will do
    bool json = false;
};

/// --state-dir and --pid.
void add_choice(CLI::App& command, GatewayChoice& choice);

Result<ControlClient> client_for(const GatewayChoice& choice);

/// Asks once and shows the answer: as it came, or as `show` puts it. Gives the exit code.
int ask(const GatewayChoice& choice, const std::string& method, const std::string& target,
        const std::function<std::string(const Json&)>& show, const Json& body = {});

/// As a part of a path or a query.
std::string encoded(std::string_view text);

}  // namespace gantry::app
