#pragma once

#include "gantry/client.hpp"
#include "surface/cli/options.hpp"

namespace gantry::app {

/// Connects to one server of a configuration as the gateway would: with its secrets, headers, environment and
/// isolation. The environment of the command line (--env) is added. kNotFound, with the nearest name, when the
/// configuration has no such server.
Result<Client> connect_configured(const cli::Options& options, ConnectOptions connect);

}  // namespace gantry::app
