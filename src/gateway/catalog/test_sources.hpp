#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gantry/json.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/plan.hpp"

// Test support: sources with nothing behind them. The catalog knows sources by number and never looks inside.

namespace gantry::gateway::test {

/// What a source brings to a catalog in a test.
struct SourceEntry {
    std::string source_name;
    InventoryPtr inventory;
    std::string prefix = {};
    std::vector<std::string> allow = {};
    std::vector<std::string> deny = {};
};

inline CatalogPlanPtr plan_of(const std::vector<SourceEntry>& sources, std::vector<GroupSpec> groups,
                              CatalogRules rules) {
    std::vector<PlannedSource> planned;
    for (const SourceEntry& source : sources)
        planned.push_back(
            {.name = source.source_name, .prefix = source.prefix, .allow = source.allow, .deny = source.deny});
    return std::make_shared<const CatalogPlan>(std::move(planned), std::move(groups), std::move(rules));
}
inline std::vector<InventoryPtr> inventories_of(const std::vector<SourceEntry>& sources) {
    std::vector<InventoryPtr> all;
    for (const SourceEntry& source : sources) all.push_back(source.inventory);
    return all;
}
inline CatalogPtr make_catalog(const std::vector<SourceEntry>& sources, std::vector<GroupSpec> groups,
                               CatalogRules rules, NameBook& names) {
    return Catalog::build(plan_of(sources, std::move(groups), std::move(rules)), inventories_of(sources), names);
}

inline ItemPtr item(ItemKind kind, std::string name, std::string text, mcp::Revision revision = mcp::kLatestRevision) {
    return std::make_shared<const Item>(
        Item{.kind = kind, .name = std::move(name), .text = std::move(text), .revision = revision});
}
inline ItemPtr tool(const std::string& name, mcp::Revision revision = mcp::kLatestRevision) {
    return item(
        ItemKind::kTool, name,
        Json(JsonObject{
                 {"description", "does " + name}, {"name", name}, {"inputSchema", JsonObject{{"type", "object"}}}})
            .dump(),
        revision);
}
inline ItemPtr prompt(const std::string& name) {
    return item(ItemKind::kPrompt, name, Json(JsonObject{{"name", name}}).dump());
}
inline ItemPtr resource(const std::string& uri) {
    return item(ItemKind::kResource, uri, Json(JsonObject{{"uri", uri}, {"name", "r"}}).dump());
}
inline ItemPtr uri_template(const std::string& pattern) {
    return item(ItemKind::kTemplate, pattern, Json(JsonObject{{"uriTemplate", pattern}, {"name", "t"}}).dump());
}

inline mcp::ServerCapabilities everything() {
    mcp::ServerCapabilities all;
    all.tools.emplace();
    all.prompts.emplace();
    all.resources.emplace();
    return all;
}

/// A source under the default prefix, its own name.
inline SourceEntry source(const std::string& name, std::vector<ItemPtr> items) {
    Inventory inventory{.items = std::move(items), .capabilities = everything()};
    return {.source_name = name, .inventory = std::make_shared<const Inventory>(std::move(inventory)), .prefix = name};
}
inline SourceEntry bare(const std::string& name, std::vector<ItemPtr> items) {
    SourceEntry made = source(name, std::move(items));
    made.prefix.clear();
    return made;
}
inline SourceEntry down(const std::string& name, std::string prefix = {}) {
    return {.source_name = name, .inventory = std::make_shared<const Inventory>(), .prefix = std::move(prefix)};
}
template <class Change>
SourceEntry with(SourceEntry source, const Change& change) {
    Inventory inventory = *source.inventory;
    change(inventory);
    source.inventory = std::make_shared<const Inventory>(std::move(inventory));
    return source;
}

inline Json page(const Catalog& catalog, ItemKind kind, std::string_view scope = "",
                 mcp::Revision revision = mcp::kLatestRevision, std::optional<std::string_view> cursor = {}) {
    const auto text = catalog.list(kind, scope, revision, cursor);
    return text ? Json::parse(**text).value_or(Json("not JSON")) : Json(text.error().message());
}
inline std::vector<std::string> names(const Json& result, std::string_view list = "tools",
                                      std::string_view key = "name") {
    std::vector<std::string> out;
    if (const Json* entries = result.find(list)) {
        for (const Json& entry : *entries->if_array()) out.emplace_back(entry.string_at(key));
    }
    return out;
}
inline std::vector<std::string> tools_of(const Catalog& catalog, std::string_view scope = "") {
    return names(page(catalog, ItemKind::kTool, scope));
}

}  // namespace gantry::gateway::test
