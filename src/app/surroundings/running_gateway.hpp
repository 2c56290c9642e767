#pragma once

#include <string>
#include <vector>

#include "gantry/error.hpp"
#include "surface/cli/offers.hpp"
#include "surface/cli/options.hpp"

namespace gantry::app {

/// The URL at which the running gateway of this state folder serves MCP, as seen from this machine. kNotFound: none is
/// running; kUnsupported: it has no URL, as with `gantry stdio`.
Result<std::string> running_gateway_url(const cli::Options& options);

/// The servers of the running gateway, or its tools, for shell completion. Empty on any failure, within about a second.
std::vector<std::string> running_gateway_names(const cli::Offers& offers);

}  // namespace gantry::app
