#include "app/gateway/gateway_status.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/version.hpp"

namespace gantry::app {
namespace {

std::int64_t seconds_of(Duration duration) {
    return std::chrono::duration_cast<seconds>(duration).count();
}

std::string_view name_of(gateway::SourceState state) noexcept {
    using enum gateway::SourceState;
    switch (state) {
        case kIdle: return "idle";
        case kStarting: return "starting";
        case kReady: return "ready";
        case kAsleep: return "asleep";
        case kDown: break;
    }
    return "down";
}

/// The connection's state says little if calls keep failing.
std::string_view health_of(const gateway::Source& source, const gateway::Gates& gates) {
    const auto health = source.health();
    if (health == gateway::SourceHealth::kHealthy && gates.failing(source.name())) return "server_failing";
    return gateway::to_string(health);
}

/// What clients see of it: after allow, deny and limits.
std::array<std::size_t, gateway::kItemKinds> count_items(const gateway::Catalog& catalog, const std::string& server) {
    std::array<std::size_t, gateway::kItemKinds> counts{};
    for (std::size_t kind = 0; kind < counts.size(); ++kind)
        counts[kind] = catalog.size(static_cast<gateway::ItemKind>(kind), "servers/" + server);
    return counts;
}

/// What works, but perhaps not as the operator expects.
JsonArray warnings_of(const StatusParts& parts, const gateway::Source& source) {
    JsonArray warnings;
    const gateway::LeftOut left_out = parts.registry.catalog()->left_out(source.name());
    constexpr std::array<std::string_view, gateway::kItemKinds> kWords = {"tools", "prompts", "resources",
                                                                          "resource templates"};
    for (std::size_t kind = 0; kind < kWords.size(); ++kind) {
        if (left_out[kind] == 0) continue;
        warnings.emplace_back(std::to_string(left_out[kind]) + " " + std::string(kWords[kind]) +
                              " are left out: the catalog is full" + (kind == 0 ? " (max_tools)" : ""));
    }
    std::size_t faults = 0;
    std::string named;
    for (const auto& item : source.inventory()->items) {
        if (item->schema_fault.empty()) continue;
        if (++faults <= 3) named += (faults == 1 ? "" : ", ") + item->name.substr(0, 64);
    }
    if (faults != 0) {
        warnings.emplace_back("arguments of " + std::to_string(faults) + (faults == 1 ? " tool" : " tools") +
                              " are not validated because the schema is unusable: " + named +
                              (faults > 3 ? ", …" : ""));
    }
    const auto costly = parts.costly.counts(source.name());
    if (costly.too_costly != 0) {
        warnings.emplace_back(std::to_string(costly.too_costly) +
                              (costly.too_costly == 1 ? " call was refused" : " calls were refused") +
                              " because its arguments took too many steps to validate (limits.validation_steps)");
    }
    return warnings;
}

std::size_t offered_tools(const gateway::Inventory& inventory) {
    return static_cast<std::size_t>(std::ranges::count_if(
        inventory.items, [](const auto& item) { return item->kind == gateway::ItemKind::kTool; }));
}

}  // namespace

Json gateway_status(const StatusParts& parts) {
    std::map<std::string, gateway::GateStatus> gates;
    for (auto& gate : parts.gates.status()) gates.emplace(gate.source, gate);
    JsonArray servers;
    const auto standing = parts.registry.standing();
    for (const gateway::Registered& entry : parts.registry.sources()) {
        const std::string& name = entry.source->name();
        const auto stands = std::ranges::find(standing, name, &gateway::Standing::name);
        const auto counts = count_items(*parts.registry.catalog(), name);
        JsonObject server{{"name", name},
                          {"state", name_of(entry.source->state())},
                          {"active", stands != standing.end() && stands->active},
                          {"connected", stands != standing.end() && stands->connected},
                          {"health", health_of(*entry.source, parts.gates)},
                          {"tools", counts[0]},
                          {"tool_count", counts[0]},
                          {"tools_offered", offered_tools(*entry.source->inventory())},
                          {"prompts", counts[1]},
                          {"resources", counts[2]},
                          {"templates", counts[3]}};
        const auto since = entry.source->connected_since();
        server.set("uptime_seconds", since ? Json(seconds_of(SteadyClock::now() - *since)) : Json());
        const auto gate = gates.find(name);
        server.set("breaker", gate == gates.end() ? "closed" : gateway::to_string(gate->second.breaker));
        server.set("breaker_failures", gate == gates.end() ? 0 : gate->second.failures);
        server.set("breaker_cause", gate == gates.end() || gate->second.cause.empty()
                                        ? Json()
                                        : Json(parts.redactor.masked(gate->second.cause)));
        server.set("breaker_retry_seconds", gate == gates.end() || gate->second.breaker != gateway::BreakerState::kOpen
                                                ? Json()
                                                : Json(std::chrono::ceil<seconds>(gate->second.retry_in).count()));
        server.set("running", gate == gates.end() ? 0 : gate->second.running);
        server.set("waiting", gate == gates.end() ? 0 : gate->second.waiting);
        const auto figures = parts.stats.of(name);
        server.set("calls", figures.calls);
        server.set("failed", figures.failed);
        server.set("p50_ms", figures.p50_ms);
        server.set("p99_ms", figures.p99_ms);
        const std::string trouble = entry.source->trouble();
        server.set("trouble", trouble.empty() ? Json() : Json(parts.redactor.masked(trouble)));
        JsonArray warnings = warnings_of(parts, *entry.source);
        if (!warnings.empty()) server.set("warnings", std::move(warnings));
        servers.emplace_back(std::move(server));
    }
    return JsonObject{{"pid", ::getpid()},
                      {"version", kVersion},
                      {"url", parts.url.empty() ? Json() : Json(parts.url)},
                      {"config", parts.config.empty() ? Json() : Json(parts.config)},
                      {"uptime_seconds", seconds_of(parts.up)},
                      {"config_age_seconds", seconds_of(parts.config_age)},
                      {"config_waiting", parts.waiting.empty() ? Json() : Json(parts.redactor.masked(parts.waiting))},
                      {"tools", parts.registry.catalog()->size(gateway::ItemKind::kTool, "")},
                      {"sessions", parts.endpoint.counts().sessions},
                      {"servers", std::move(servers)},
                      {"warnings", JsonArray(parts.warnings.begin(), parts.warnings.end())}};
}

}  // namespace gantry::app
