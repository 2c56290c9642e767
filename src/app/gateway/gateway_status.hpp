#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/redact/redactor.hpp"
#include "gantry/json.hpp"
#include "gateway/events/source_stats.hpp"
#include "gateway/pipeline/costly_checks.hpp"
#include "gateway/registry/registry.hpp"
#include "gateway/resilience/gates.hpp"
#include "mcp/server/http_endpoint.hpp"

namespace gantry::app {

/// The parts that the status is collected from.
struct StatusParts {
    const gateway::Registry& registry;
    const gateway::Gates& gates;
    const mcp::HttpEndpoint& endpoint;
    const gateway::events::SourceStats& stats;
    const gateway::CostlyChecks& costly;
    std::string url;
    /// The configuration file; empty: none.
    std::string config;
    Duration up{};
    Duration config_age{};
    std::string waiting = {};  // why a change to it has not been applied; empty: none pending
    const Redactor& redactor;
    /// Warnings about the configuration.
    std::vector<std::string> warnings = {};
};

/// The state of the gateway and each of its servers, as returned by GET /v1/status. Contains no secrets.
Json gateway_status(const StatusParts& parts);

}  // namespace gantry::app
