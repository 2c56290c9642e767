#pragma once

#include <set>
#include <string>

#include "app/config/config.hpp"
#include "gateway/approvals/approvals.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/resilience/gates.hpp"
#include "gateway/runtime/call_settings.hpp"
#include "mcp/server/http_endpoint.hpp"

// Derives each part's options from the configuration, at the start and again at every reload.

namespace gantry::app {

/// Gantry's name and version, sent to clients and servers.
const mcp::Implementation& self();

/// What the configuration says about calls.
gateway::CallSettingsPtr call_settings(const Config& config, std::shared_ptr<gateway::Tracer> tracer);
gateway::CatalogRules catalog_rules(const Config& config);
/// Servers whose changed tools are hidden until an operator accepts them.
std::set<std::string> quarantined(const Config& config);
gateway::GateOptions gate_options(const Config& config, gateway::Observer& observer);
mcp::HttpEndpointOptions endpoint_options(const Config& config, mcp::Revocations& revoked);

}  // namespace gantry::app
