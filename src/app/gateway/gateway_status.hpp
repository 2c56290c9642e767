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

/// What a look at the running gateway is taken from.
struct StatusParts {
    const gateway::Registry& registry;
    const gateway::Gates& gates;
    const mcp::HttpEndpoint& endpoint;
    const gateway::events::SourceStats& stats;
    const gateway::CostlyChecks& costly;
    std::string url;
    /// The configuration file; empty: there is none.
    std::string config;
    Duration up{};
    Duration config_age{};
    std::string waiting = {};  // why a change of it is not in force; empty: there is none
    const Redactor& redactor;
    /// What is odd about the configuration.
    std::vector<std::string> warnings = {};
};

/// How the gateway and each of its servers stand, as GET /v1/status tells it. Holds no secret.
Json gateway_status(const StatusParts& parts);

}  // namespace gantry::app
