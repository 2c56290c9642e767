#include "app/gateway/reload_plan.hpp"

#include <algorithm>

namespace gantry::app {
namespace {

using gateway::McpServerSpec;

const McpServerSpec* named(const Config& config, const std::string& name) {
    const auto found = std::ranges::find(config.servers, name, &McpServerSpec::name);
    return found == config.servers.end() ? nullptr : &*found;
}

void compare_settings(const Config& now, const Config& next, ReloadPlan& plan) {
    const auto at_once = [&plan](const char* key, bool same) {
        if (!same) plan.settings.emplace_back(key);
    };
    const auto at_start = [&plan](const char* key, bool same) {
        if (!same) plan.later.emplace_back(key);
    };
    at_once("listen", now.listen == next.listen);
    at_once("path", now.path == next.path);
    at_start("state_dir", now.state_dir == next.state_dir);
    at_start("ready_timeout", now.ready_timeout == next.ready_timeout);
    at_once("stateless", now.stateless == next.stateless);
    at_once("json_response", now.json_response == next.json_response);
    at_once("allowed_hosts", now.allowed_hosts == next.allowed_hosts);
    at_once("allowed_origins", now.allowed_origins == next.allowed_origins);
    at_once("secrets", now.secrets == next.secrets);
    at_once("limits.max_request_bytes", now.max_request_bytes == next.max_request_bytes);
    at_once("limits.max_connections", now.max_connections == next.max_connections);
    at_start("limits.max_streams", now.max_streams == next.max_streams);
    at_start("limits.max_sessions", now.max_sessions == next.max_sessions);
    at_start("limits.max_list_entries", now.max_list_entries == next.max_list_entries);
    at_once("limits.validation_steps", now.validation_steps == next.validation_steps);
    at_once("limits.max_unfinished_request_bytes",
            now.max_unfinished_request_bytes == next.max_unfinished_request_bytes);
    at_once("approvals.webhook", now.approvals.webhook == next.approvals.webhook);
    const auto& audit = now.events.audit;
    const auto& other = next.events.audit;
    if (audit.mode == gateway::AuditMode::kOff || other.mode == gateway::AuditMode::kOff) {
        at_start("audit.mode", audit.mode == other.mode);
    } else {
        at_once("audit.mode", audit.mode == other.mode);
    }
    at_once("audit.on_failure", audit.on_failure == other.on_failure);
    at_once("audit.arguments", audit.arguments == other.arguments);
    at_once("audit.retain_days", audit.retain == other.retain);
    at_once("audit.retain_entries", audit.retain_entries == other.retain_entries);
    at_once("audit.gather", audit.gather == other.gather);
    at_start("audit.queue_bytes", audit.queue_bytes == other.queue_bytes);
    at_once("webhooks", now.events.webhooks == next.events.webhooks);
    at_once("feed", now.events.feed == next.events.feed);
    at_once("metrics", now.events.metrics == next.events.metrics);
    at_once("traces", now.events.traces == next.events.traces);
    at_once("log", now.events.log == next.events.log);
}

}  // namespace

bool same_connections(const McpServerSpec& a, const McpServerSpec& b) {
    McpServerSpec like_a = b;
    like_a.prefix = a.prefix;
    like_a.allow = a.allow;
    like_a.deny = a.deny;
    like_a.limits.breaker = a.limits.breaker;
    like_a.limits.concurrency = a.limits.concurrency;
    like_a.limits.rate = a.limits.rate;
    like_a.limits.tool_rates = a.limits.tool_rates;
    like_a.on_connect_error = a.on_connect_error;
    like_a.require_approval = a.require_approval;
    return like_a == a;
}

ReloadPlan plan_reload(const Config& now, const Config& next) {
    ReloadPlan plan;
    for (const McpServerSpec& server : next.servers) {
        const McpServerSpec* const before = named(now, server.name);
        if (before == nullptr) {
            plan.added.push_back(server.name);
        } else if (*before != server) {
            plan.changed.push_back(server.name);
        }
    }
    for (const McpServerSpec& server : now.servers) {
        if (named(next, server.name) == nullptr) plan.removed.push_back(server.name);
    }
    compare_settings(now, next, plan);
    return plan;
}

}  // namespace gantry::app
