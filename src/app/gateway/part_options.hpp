#pragma once

#include <set>
#include <string>

#include "app/config/config.hpp"
#include "gateway/approvals/approvals.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/pipeline/guard.hpp"
#include "gateway/policy/rules.hpp"
#include "gateway/resilience/gates.hpp"
#include "mcp/server/http_endpoint.hpp"

// Derives each part's options from the configuration, at the start and again at every reload.

namespace gantry::app {

/// Gantry's name and version, sent to clients and servers.
const mcp::Implementation& self();

gateway::StaticPolicy policy_of(const Config& config);
gateway::CatalogRules catalog_rules(const Config& config);
/// The rules for all servers, then each server's own.
gateway::ApprovalOptions approval_options(const Config& config);
/// Servers whose changed tools are hidden until an operator accepts them.
std::set<std::string> quarantined(const Config& config);
gateway::GateOptions gate_options(const Config& config, gateway::Observer& observer);
gateway::GuardLimits guard_limits(const Config& config);
mcp::HttpEndpointOptions endpoint_options(const Config& config, mcp::Revocations& revoked);

}  // namespace gantry::app
