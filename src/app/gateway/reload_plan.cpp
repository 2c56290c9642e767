#include "app/gateway/reload_plan.hpp"

#include <algorithm>

namespace gantry::app {
namespace {

using gateway::McpServerSpec;

const McpServerSpec* named(const Config& config, const std::string& name) {
    const auto found = std::ranges::find(config.servers, name, &McpServerSpec::name);
    return found == config.servers.end() ? nullptr : &*found;
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
    like_a.cache_tools = a.cache_tools;
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
    const auto read_at_start = [&plan](const char* key, bool same) {
        if (!same) plan.later.emplace_back(key);
    };
    read_at_start("path", now.path == next.path);
    read_at_start("state_dir", now.state_dir == next.state_dir);
    read_at_start("stateless", now.stateless == next.stateless);
    read_at_start("json_response", now.json_response == next.json_response);
    read_at_start("allowed_hosts", now.allowed_hosts == next.allowed_hosts);
    read_at_start("allowed_origins", now.allowed_origins == next.allowed_origins);
    read_at_start("secrets", now.secrets == next.secrets);
    read_at_start("limits.max_request_bytes", now.max_request_bytes == next.max_request_bytes);
    read_at_start("limits.max_connections", now.max_connections == next.max_connections);
    read_at_start("approvals.webhook", now.approvals.webhook == next.approvals.webhook);
    return plan;
}

}  // namespace gantry::app
