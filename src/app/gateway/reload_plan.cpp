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
    like_a.limits = a.limits;
    like_a.on_connect_error = a.on_connect_error;
    like_a.on_tool_change = a.on_tool_change;
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
    for (SettingRecord::Change& change : SettingRecord::changes(now.settings, next.settings)) {
        auto& keys = change.reload == Reload::kNextStart ? plan.later : plan.settings;
        keys.push_back(std::move(change.key));
    }
    return plan;
}

}  // namespace gantry::app
