#include "gateway/catalog/impl.hpp"
#include "gateway/catalog/names.hpp"

namespace gantry::gateway {

using Found = Catalog::Found;

namespace {

Found listed(const Entry& entry) {
    return {.source = entry.source, .item = entry.item.get(), .own_name = entry.item->name};
}

}  // namespace

std::optional<Found> Catalog::Impl::find(ItemKind kind, const Scope& scope, std::string_view name) const {
    auto found = find_listed(kind, scope, name);
    if (found || kind != ItemKind::kResource) return found;
    if (scope.kind == Scope::Kind::kServer) return find_in_source(scope.sources.front(), name);
    if (const std::string_view tag = tag_of(name);
        !tag.empty() && plan_->rules().on_collision == OnCollision::kSuffix) {
        if (const auto source = plan_->source_tagged(tag)) {
            if (!scope.has_source(*source)) return std::nullopt;
            return find_in_source(*source, name.substr(tag.size()));
        }
    }
    if (auto covered = find_by_template(scope, name)) return covered;
    return find_lone(scope, name);
}

std::optional<Found> Catalog::Impl::find_listed(ItemKind kind, const Scope& scope, std::string_view name) const {
    const EntryTable& all = table(kind);
    const auto e = scope.kind == Scope::Kind::kServer ? all.own(scope.sources.front(), name) : all.named(name);
    if (!e || !scope.has(kind, *e, *all.entries[*e])) return std::nullopt;
    return listed(*all.entries[*e]);
}

std::optional<Found> Catalog::Impl::find_in_source(SourceNumber source, std::string_view own_uri) const {
    const EntryTable& resources = table(ItemKind::kResource);
    if (const auto e = resources.own(source, own_uri)) return listed(*resources.entries[*e]);
    // No need to check its templates: no other source can be meant.
    if (!declares(*inventories_[source], ItemKind::kResource) || !plan_->permits(source, own_uri)) return std::nullopt;
    return Found{.source = source, .own_name = own_uri};
}

std::optional<Found> Catalog::Impl::find_by_template(const Scope& scope, std::string_view uri) const {
    const auto& all = table(ItemKind::kTemplate).entries;
    const Entry* best = nullptr;
    for (const std::uint32_t e : scope.listing(ItemKind::kTemplate).order) {
        const Entry& entry = *all[e];
        // Renamed templates produce renamed URIs, which were handled above.
        if (!entry.pattern || entry.renamed()) continue;
        if (best != nullptr && best->pattern->literal_size() >= entry.pattern->literal_size()) continue;
        if (entry.pattern->matches(uri) && plan_->permits(entry.source, uri)) best = &entry;
    }
    if (best == nullptr) return std::nullopt;
    return Found{.source = best->source, .own_name = uri};
}

std::optional<Found> Catalog::Impl::find_lone(const Scope& scope, std::string_view uri) const {
    std::optional<SourceNumber> lone;
    for (const SourceNumber source : scope.sources) {
        if (!declares(*inventories_[source], ItemKind::kResource)) continue;
        if (lone) return std::nullopt;
        lone = source;
    }
    if (!lone || !plan_->permits(*lone, uri)) return std::nullopt;
    return Found{.source = *lone, .own_name = uri};
}

std::string Catalog::Impl::public_uri(std::string_view source_name, std::string_view own_uri) const {
    const auto source = plan_->source_named(source_name);
    if (!source) return {};
    const EntryTable& resources = table(ItemKind::kResource);
    if (const auto e = resources.own(*source, own_uri)) return resources.entries[*e]->name;  // empty when hidden
    if (!plan_->permits(*source, own_uri)) return {};
    // An unlisted resource keeps its URI if that resolves to the same source.
    const auto back = find(ItemKind::kResource, scopes_.front(), own_uri);
    if (back && back->source == *source) return std::string(own_uri);
    const bool tagged = plan_->rules().on_collision == OnCollision::kSuffix;
    if (!tagged || !declares(*inventories_[*source], ItemKind::kResource)) return {};
    return uri_tag(source_name) + std::string(own_uri);
}

}  // namespace gantry::gateway
