#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gantry/client.hpp"
#include "surface/cli/offers.hpp"
#include "surface/cli/options.hpp"

namespace gantry::cli {

/// What the command line asks of the program it is part of: running gateways and configuration files. Unset functions
/// mean that there are none.
struct Surroundings {
    /// The URL at which the running gateway of Options::state_dir serves MCP.
    std::function<Result<std::string>(const Options& options)> gateway_url = {};
    /// Connects to the server Options::server_name of a configuration, with the secrets and the isolation it has there.
    /// `connect` holds everything but the server.
    std::function<Result<Client>(const Options& options, ConnectOptions connect)> connect_configured = {};
    /// Offers::names of the running gateway, for completion. Quick, and empty on any failure.
    std::function<std::vector<std::string>(const Offers& offers)> names = {};
};

}  // namespace gantry::cli
