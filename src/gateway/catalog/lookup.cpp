#include "gateway/catalog/impl.hpp"
#include "gateway/catalog/names.hpp"

namespace gantry::gateway {

using Found = Catalog::Found;

bool Catalog::Impl::permitted(std::uint32_t source, std::string_view own_name) const {
    return permits(permitted_[source], own_name);
}

Found Catalog::Impl::unlisted(std::uint32_t source, std::string_view own_uri) const {
    return {.source = sources_[source].source, .item = nullptr, .own_name = std::string(own_uri)};
}

std::optional<Found> Catalog::Impl::find(ItemKind kind, const Scope& scope, std::string_view name) const {
    auto listed = find_listed(kind, scope, name);
    if (listed || kind != ItemKind::kResource) return listed;
    if (scope.kind == Scope::Kind::kServer) return find_in_source(scope.sources.front(), name);
    if (const std::string_view tag = tag_of(name); !tag.empty() && rules_.on_collision == OnCollision::kSuffix) {
        const auto source = source_by_tag_.find(tag);
        if (source != source_by_tag_.end()) {
            if (!scope.has_source(source->second)) return std::nullopt;
            return find_in_source(source->second, name.substr(tag.size()));
        }
    }
    if (auto covered = find_by_template(scope, name)) return covered;
    return find_lone(scope, name);
}

std::optional<Found> Catalog::Impl::find_listed(ItemKind kind, const Scope& scope, std::string_view name) const {
    const auto k = static_cast<std::size_t>(kind);
    const NameIndex& index =
        scope.kind == Scope::Kind::kServer ? stock_.by_own[scope.sources.front()][k] : stock_.by_name[k];
    const auto place = index.find(name);
    if (place == index.end()) return std::nullopt;
    const Entry& entry = stock_.entries[k][place->second];
    if (!scope.has(kind, place->second, entry)) return std::nullopt;
    return Found{.source = sources_[entry.source].source, .item = entry.item, .own_name = entry.item->name};
}

std::optional<Found> Catalog::Impl::find_in_source(std::uint32_t source, std::string_view own_uri) const {
    const auto& listed = stock_.by_own[source][static_cast<std::size_t>(ItemKind::kResource)];
    if (const auto place = listed.find(own_uri); place != listed.end()) {
        const ItemPtr& item = entries(ItemKind::kResource)[place->second].item;
        return Found{.source = sources_[source].source, .item = item, .own_name = item->name};
    }
    // No need to check its templates: no other source can be meant.
    if (!offers(source, ItemKind::kResource) || !permitted(source, own_uri)) return std::nullopt;
    return unlisted(source, own_uri);
}

std::optional<Found> Catalog::Impl::find_by_template(const Scope& scope, std::string_view uri) const {
    const auto& all = entries(ItemKind::kTemplate);
    const Entry* best = nullptr;
    for (const std::uint32_t e : scope.listing(ItemKind::kTemplate).order) {
        const Entry& entry = all[e];
        // Renamed templates produce renamed URIs, which were handled above.
        if (!entry.pattern || entry.renamed()) continue;
        if (best != nullptr && best->pattern->literal_size() >= entry.pattern->literal_size()) continue;
        if (entry.pattern->matches(uri) && permitted(entry.source, uri)) best = &entry;
    }
    return best == nullptr ? std::nullopt : std::optional(unlisted(best->source, uri));
}

std::optional<Found> Catalog::Impl::find_lone(const Scope& scope, std::string_view uri) const {
    std::optional<std::uint32_t> lone;
    for (const std::uint32_t source : scope.sources) {
        if (!offers(source, ItemKind::kResource)) continue;
        if (lone) return std::nullopt;
        lone = source;
    }
    if (!lone || !permitted(*lone, uri)) return std::nullopt;
    return unlisted(*lone, uri);
}

std::string Catalog::Impl::public_uri(std::string_view source_name, std::string_view own_uri) const {
    const auto found = source_by_name_.find(source_name);
    if (found == source_by_name_.end()) return {};
    const std::uint32_t source = found->second;
    const auto& listed = stock_.by_own[source][static_cast<std::size_t>(ItemKind::kResource)];
    if (const auto place = listed.find(own_uri); place != listed.end()) {
        return entries(ItemKind::kResource)[place->second].name;  // empty when hidden
    }
    if (!permitted(source, own_uri)) return {};
    // An unlisted resource keeps its URI if that resolves to the same source.
    const auto back = find(ItemKind::kResource, scopes_.front(), own_uri);
    if (back && back->source == sources_[source].source) return std::string(own_uri);
    if (rules_.on_collision != OnCollision::kSuffix || !offers(source, ItemKind::kResource)) return {};
    return uri_tag(source_name) + std::string(own_uri);
}

}  // namespace gantry::gateway
