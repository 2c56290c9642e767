#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gantry/client.hpp"
#include "surface/cli/offers.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

/// Services the command line needs from the surrounding program: running gateways and configuration files. An unset
/// function means that there are none.
struct Surroundings {
    /// The URL at which the running gateway of Options::state_dir serves MCP.
    std::function<Result<std::string>(const Options& options)> gateway_url = {};
    /// Connects to the server Options::server_name of a configuration, with the secrets and the isolation configured
    /// there. `connect` holds everything but the server.
    std::function<Result<Client>(const Options& options, ConnectOptions connect)> connect_configured = {};
    /// Offers::names of the running gateway, for completion. Fast, and empty on any failure.
    std::function<std::vector<std::string>(const Offers& offers)> names = {};
};

}  // namespace gantry::cli
