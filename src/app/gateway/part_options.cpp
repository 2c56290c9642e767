#include "app/gateway/part_options.hpp"

#include "base/version.hpp"
#include "gateway/pipeline/static_rules.hpp"
#include "gateway/policy/approval_rules.hpp"

namespace gantry::app {

const mcp::Implementation& self() {
    static const mcp::Implementation value{.name = "gantry", .version = std::string(kVersion)};
    return value;
}

namespace {

gateway::StaticPolicy policy_of(const Config& config) {
    std::map<std::string, gateway::Rules, std::less<>> rules;
    for (const auto& server : config.servers) {
        if (!server.allow.empty() || !server.deny.empty())
            rules.emplace(server.name, gateway::Rules{.allow = server.allow, .deny = server.deny});
    }
    return gateway::StaticPolicy(std::move(rules));
}

/// The rules for all servers, then each server's own.
gateway::ApprovalOptions approval_options(const Config& config) {
    gateway::ApprovalOptions options = config.approvals;
    for (const auto& server : config.servers) {
        for (auto& rule : gateway::rules_of(server)) options.rules.push_back(std::move(rule));
    }
    return options;
}

}  // namespace

gateway::CallSettingsPtr call_settings(const Config& config, std::shared_ptr<gateway::Tracer> tracer) {
    return std::make_shared<const gateway::CallSettings>(gateway::CallSettings{
        .policy = std::make_shared<const gateway::StaticRules>(policy_of(config)),
        .limits = {.validate_arguments = config.validate_arguments, .max_steps = config.validation_steps},
        .approvals = approval_options(config),
        .groups = config.groups,
        .tracer = std::move(tracer)});
}

gateway::CatalogRules catalog_rules(const Config& config) {
    return {.on_collision = config.on_collision,
            .page_size = config.list_page_size,
            .max_tools = config.max_tools == 0 ? gateway::CatalogRules().max_tools : config.max_tools,
            .self = self(),
            .instructions = config.instructions};
}

std::set<std::string> quarantined(const Config& config) {
    std::set<std::string> names;
    for (const auto& server : config.servers) {
        if (server.on_tool_change == gateway::OnToolChange::kQuarantine) names.insert(server.name);
    }
    return names;
}

gateway::GateOptions gate_options(const Config& config, gateway::Observer& observer) {
    gateway::GateOptions options{.principal_rate = config.principal_rate, .observer = &observer};
    for (const auto& server : config.servers) options.sources.emplace(server.name, server.limits);
    return options;
}

mcp::HttpEndpointOptions endpoint_options(const Config& config, mcp::Revocations& revoked) {
    return {.stateless = config.stateless,
            .json_only = config.json_response,
            .allowed_hosts = config.allowed_hosts,
            .allowed_origins = config.allowed_origins,
            .max_body_bytes = config.max_request_bytes,
            .max_sessions = config.max_sessions,
            .revocations = &revoked,
            .max_streams = config.max_streams};
}

}  // namespace gantry::app
