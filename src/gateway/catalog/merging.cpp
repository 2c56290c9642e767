#include <algorithm>

#include "gateway/catalog/impl.hpp"

namespace gantry::gateway {

namespace {

/// Adds the members of `more` that `sum` does not have yet: the first setting of a key wins.
void merge(JsonObject& sum, const JsonObject& more) {
    for (const auto& [key, value] : more) {
        if (!sum.contains(key)) sum.set(key, value);
    }
}
void merge(std::optional<JsonObject>& sum, const std::optional<JsonObject>& more) {
    if (!more) return;
    if (!sum) sum.emplace();
    merge(*sum, *more);
}

/// Neither reached nor restored yet: its capabilities are unknown.
bool is_unknown(const Inventory& inventory) {
    return inventory.items.empty() && inventory.capabilities == mcp::ServerCapabilities();
}

}  // namespace

mcp::ServerCapabilities Catalog::Impl::capabilities(const Scope& scope) const {
    mcp::ServerCapabilities sum;
    // The gateway announces every change, even if the source does not: sources come and go.
    const mcp::ListChangedCapability told{.list_changed = true};
    const auto offer_resources = [&sum](bool subscribe) {
        if (!sum.resources) sum.resources = mcp::ResourcesCapability{.list_changed = true};
        if (subscribe) sum.resources->subscribe = true;
    };
    if (!scope.listing(ItemKind::kTool).parts.empty()) sum.tools = told;
    for (const SourceNumber s : scope.sources) {
        const Inventory& inventory = *inventories_[s];
        const mcp::ServerCapabilities& part = inventory.capabilities;
        if (is_unknown(inventory)) {
            // A legacy client reads this once, maybe before the source is up, and would not ask again.
            sum.tools = told;
            sum.prompts = told;
            offer_resources(false);
        }
        if (part.tools) sum.tools = told;
        if (part.prompts) sum.prompts = told;
        if (part.resources) offer_resources(part.resources->subscribe.value_or(false));
        merge(sum.completions, part.completions);
        merge(sum.logging, part.logging);
        if (part.tasks) {
            if (!sum.tasks) sum.tasks.emplace();
            // Not `list`: the owner of a server's task is known for single ids only.
            merge(sum.tasks->cancel, part.tasks->cancel);
            merge(sum.tasks->requests, part.tasks->requests);
        }
        merge(sum.experimental, part.experimental);
        merge(sum.extensions, part.extensions);
    }
    for (const SourceNumber s : scope.listing(ItemKind::kTool).parts) {
        // Individually selected tools may run as tasks and write logs as well.
        const mcp::ServerCapabilities& part = inventories_[s]->capabilities;
        merge(sum.logging, part.logging);
        if (const Json* tasks = part.extensions.find(mcp::kTasksExtension)) {
            merge(sum.extensions, {{std::string(mcp::kTasksExtension), *tasks}});
        }
    }
    // A source may list items of a kind it never declared.
    if (!scope.listing(ItemKind::kPrompt).order.empty()) sum.prompts = told;
    if (!scope.listing(ItemKind::kResource).order.empty() || !scope.listing(ItemKind::kTemplate).order.empty()) {
        offer_resources(false);
    }
    return sum;
}

std::optional<std::string> Catalog::Impl::instructions(const Scope& scope) const {
    std::vector<SourceNumber> speakers;
    const auto note = [&](SourceNumber s) {
        const auto& text = inventories_[s]->instructions;
        if (text && !text->empty() && std::ranges::find(speakers, s) == speakers.end()) speakers.push_back(s);
    };
    for (const SourceNumber s : scope.sources) note(s);
    for (const SourceNumber s : scope.listing(ItemKind::kTool).parts) note(s);

    std::string merged;
    if (scope.kind != Scope::Kind::kServer && plan_->rules().instructions) merged = *plan_->rules().instructions;
    // The instructions of a lone server are passed on unchanged.
    const bool alone = merged.empty() && speakers.size() == 1 && scope.sources.size() <= 1;
    for (const SourceNumber s : speakers) {
        if (!merged.empty()) merged += "\n\n";
        if (!alone) merged.append("## ").append(name_of(s)).append("\n\n");
        merged += *inventories_[s]->instructions;
    }
    return merged.empty() ? std::nullopt : std::optional(std::move(merged));
}

mcp::Implementation Catalog::Impl::presented_as(const Scope& scope) const {
    mcp::Implementation self = plan_->rules().self;
    if (scope.kind != Scope::Kind::kServer) return self;
    const mcp::Implementation& server = inventories_[scope.sources.front()]->server;
    if (server.title) self.title = server.title;
    if (server.description) self.description = server.description;
    if (server.website_url) self.website_url = server.website_url;
    if (!server.icons.empty()) self.icons = server.icons;
    return self;
}

}  // namespace gantry::gateway
