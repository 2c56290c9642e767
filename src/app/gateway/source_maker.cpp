#include "app/gateway/source_maker.hpp"

#include <algorithm>

#include "app/gateway/reload_plan.hpp"
#include "gateway/sources/builtin/builtin_source.hpp"
#include "gateway/sources/mcp/source.hpp"

namespace gantry::app {
namespace {

constexpr const char* kDemo = "demo";

gateway::Registered registered(std::shared_ptr<gateway::Source> source, const gateway::McpServerSpec& spec) {
    return {.source = std::move(source),
            .prefix = spec.prefix.value_or(spec.name),
            .allow = spec.allow,
            .deny = spec.deny,
            .required = spec.on_connect_error == gateway::OnConnectError::kFail};
}

}  // namespace

std::shared_ptr<gateway::Source> SourceMaker::kept(const gateway::McpServerSpec& spec) const {
    const auto found = std::ranges::find_if(
        kept_, [&spec](const Kept& one) { return one.spec.name == spec.name && same_connections(one.spec, spec); });
    return found == kept_.end() ? nullptr : found->source;
}

SourceMaker::Made SourceMaker::make(const Config& next) const {
    Made made;
    const auto add = [&made](std::shared_ptr<gateway::Source> known, auto make_new, const auto& describe) {
        const bool fresh = !known;
        if (fresh) known = make_new();
        if (fresh) made.fresh.push_back(known);
        made.all.push_back(describe(std::move(known)));
    };
    if (next.demo_tools) {
        add(
            demo_, [] { return std::make_shared<gateway::BuiltinSource>(kDemo, gateway::demo_tools()); },
            [](auto source) { return gateway::Registered{.source = std::move(source), .prefix = kDemo}; });
    }
    for (const auto& spec : next.servers) {
        add(
            kept(spec), [&] { return std::make_shared<gateway::McpSource>(loop_, spec, options_); },
            [&spec](auto source) { return registered(std::move(source), spec); });
    }
    return made;
}

void SourceMaker::keep(const Config& config, const Made& made) {
    auto at = made.all.begin();
    demo_ = config.demo_tools ? (at++)->source : nullptr;
    kept_.clear();
    for (const auto& spec : config.servers) {
        const auto& source = (at++)->source;
        if (auto* server = dynamic_cast<gateway::McpSource*>(source.get())) server->set_retry(spec.limits.retry);
        kept_.push_back({.spec = spec, .source = source});
    }
}

void SourceMaker::forget(std::string_view server) {
    std::erase_if(kept_, [server](const Kept& one) { return one.spec.name == server; });
}

}  // namespace gantry::app
