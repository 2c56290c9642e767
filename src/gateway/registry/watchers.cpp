// The registry's watches: who is notified of which change, and what the sources follow on their behalf.

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "gateway/registry/registry.hpp"

namespace gantry::gateway {
namespace {

constexpr Duration kFollowLimit = seconds(10);
constexpr std::array kListKinds = {CatalogChange::Kind::kTools, CatalogChange::Kind::kPrompts,
                                   CatalogChange::Kind::kResources};

std::span<const ItemKind> items_of(CatalogChange::Kind kind) noexcept {
    static constexpr std::array kTools = {ItemKind::kTool};
    static constexpr std::array kPrompts = {ItemKind::kPrompt};
    static constexpr std::array kResources = {ItemKind::kResource, ItemKind::kTemplate};
    switch (kind) {
        case CatalogChange::Kind::kTools: return kTools;
        case CatalogChange::Kind::kPrompts: return kPrompts;
        case CatalogChange::Kind::kResources: return kResources;
        case CatalogChange::Kind::kUpdated:
        case CatalogChange::Kind::kTask: break;
    }
    return {};
}

bool list_differs(const Catalog& before, const Catalog& after, const std::string& scope, CatalogChange::Kind kind) {
    return std::ranges::any_of(items_of(kind),
                               [&](ItemKind item) { return before.digest(item, scope) != after.digest(item, scope); });
}

/// Whether a source that contributes to the list announced a change of it.
bool says_so(const Catalog& catalog, const std::map<std::string, Kinds>& announced, const std::string& scope,
             CatalogChange::Kind kind) {
    for (const auto& [source, kinds] : announced) {
        for (const ItemKind item : items_of(kind)) {
            if (kinds.test(static_cast<std::size_t>(item)) && catalog.draws_on(scope, item, source)) return true;
        }
    }
    return false;
}

}  // namespace

void Registry::publish_truncated(const Catalog& before) const {
    for (const Registered& entry : sources_) {
        const LeftOut now = catalog()->left_out(entry.source->name());
        if (now == before.left_out(entry.source->name())) continue;
        const auto of = [&now](ItemKind kind) { return now[static_cast<std::size_t>(kind)]; };
        options_.events->publish({.type = event_type::kCatalogTruncated,
                                  .subject = entry.source->name(),
                                  .data = {{"tools_left_out", of(ItemKind::kTool)},
                                           {"prompts_left_out", of(ItemKind::kPrompt)},
                                           {"resources_left_out", of(ItemKind::kResource)},
                                           {"templates_left_out", of(ItemKind::kTemplate)}}});
    }
}

void Registry::publish_catalog(const Catalog& before) const {
    if (options_.events == nullptr || !options_.events->listening()) return;
    publish_truncated(before);
    const bool changed = std::ranges::any_of(
        kListKinds, [&](CatalogChange::Kind kind) { return list_differs(before, *catalog(), "", kind); });
    if (!changed) return;
    options_.events->publish({.type = event_type::kCatalogChanged,
                              .subject = "catalog",
                              .data = {{"tools", catalog()->size(ItemKind::kTool, "")},
                                       {"prompts", catalog()->size(ItemKind::kPrompt, "")},
                                       {"resources", catalog()->size(ItemKind::kResource, "")},
                                       {"templates", catalog()->size(ItemKind::kTemplate, "")}}});
}

void Registry::tell_lists(const Announced& announced, const std::vector<Whisper>& whispers) {
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    // Most watches have seen and see now the same two catalogs.
    std::map<std::tuple<const Catalog*, const Catalog*, std::string, CatalogChange::Kind>, bool> differs;
    std::vector<CatalogPtr> seen;  // keeps the catalogs alive while they are compared
    for (Watch* watch : watches) {
        if (!watches_.contains(watch)) continue;
        const CatalogPtr now = watch->now();
        const CatalogPtr before = std::exchange(watch->seen_, now);
        seen.push_back(before);
        Announced told = announced;
        for (const Whisper& whisper : whispers) {
            if (watch->viewer_ && whisper.to(watch->viewer_->audience())) told[whisper.source] |= whisper.kinds;
        }
        for (const auto kind : kListKinds) {
            const auto [known, fresh] = differs.try_emplace({before.get(), now.get(), watch->scope_, kind}, false);
            if (fresh) known->second = before != now && list_differs(*before, *now, watch->scope_, kind);
            const bool tells = known->second || says_so(*now, told, watch->scope_, kind);
            // A notification may end any watch, including this one.
            if (tells && watches_.contains(watch)) watch->tell_({.kind = kind});
        }
    }
}

CatalogPtr Registry::Watch::now() const {
    return viewer_ ? registry_.snapshot_for(viewer_->audience())->catalog : registry_.catalog();
}

void Registry::tell_updated(const std::string& source, const SourceChange& change) {
    const std::string uri = catalog()->public_uri(source, change.uri);
    // A copy, because a notification may end a watch.
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    for (Watch* watch : watches) {
        if (!watches_.contains(watch)) continue;
        for (const auto& [public_uri, place] : watch->by_uri_) {
            if (place.first != source) continue;
            // The change may be of a part of the followed resource.
            const bool inside = change.uri == place.second || change.uri.starts_with(place.second + "/");
            if (!inside) continue;
            watch->tell_({.kind = CatalogChange::Kind::kUpdated,
                          .uri = change.uri == place.second ? public_uri
                                 : uri.empty()              ? change.uri
                                                            : uri});
            break;
        }
    }
}

void Registry::tell_task(const std::string& source, const SourceChange& change) {
    const Watch::TaskPlace place{.source = source, .own_id = std::string(change.task.string_at("taskId"))};
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    for (Watch* watch : watches) {
        // A task may be known by several ids: each sealing yields another.
        const auto known = watches_.contains(watch) ? watch->by_task_ : std::map<std::string, Watch::TaskPlace>();
        for (const auto& [id, followed] : known) {
            if (followed != place || !watches_.contains(watch)) continue;
            Json task = change.task;
            task.if_object()->set("taskId", id);
            watch->tell_({.kind = CatalogChange::Kind::kTask, .task = std::move(task)});
        }
    }
}

/// Watches end synchronously; what only they followed is released here.
Task<void> Registry::let_go(const Context& ctx) {
    const auto sources = std::exchange(left_behind_, {});
    for (const std::string& source : sources) {
        co_await follow_at(ctx.within(kFollowLimit), source);
        co_await follow_tasks_at(ctx.within(kFollowLimit), source);
    }
}

std::set<std::string> Registry::wanted_at(const std::string& source) const {
    std::set<std::string> uris;
    for (const Watch* watch : watches_) {
        for (const auto& [name, uri] : watch->followed_) {
            if (name == source) uris.insert(uri);
        }
    }
    return uris;
}

Task<std::set<std::string>> Registry::follow_at(const Context& ctx, std::string source) {
    const auto found = find(source);
    if (!found) co_return std::set<std::string>();
    co_return co_await found->follow(ctx, wanted_at(source));
}

Task<std::set<std::string>> Registry::follow_tasks_at(const Context& ctx, std::string source) {
    const auto found = find(source);
    if (!found) co_return std::set<std::string>();
    std::set<std::string> ids;
    for (const Watch* watch : watches_) {
        for (const auto& [id, place] : watch->by_task_) {
            if (place.source == source) ids.insert(place.own_id);
        }
    }
    co_return co_await found->follow_tasks(ctx, std::move(ids));
}

Registry::Watch::Watch(Registry& registry, std::string scope, Tell tell, std::optional<Viewer> viewer)
    : registry_(registry), scope_(std::move(scope)), tell_(std::move(tell)), viewer_(std::move(viewer)), seen_(now()) {
    registry_.watches_.insert(this);
}

Registry::Watch::~Watch() {
    registry_.watches_.erase(this);
    if (followed_.empty() && by_task_.empty()) return;
    for (const auto& [source, uri] : followed_) registry_.left_behind_.insert(source);
    for (const auto& [id, place] : by_task_) registry_.left_behind_.insert(place.source);
    registry_.dirty_.set();
}

Task<Result<void>> Registry::Watch::follow(const Context& ctx, std::string uri) {
    const SnapshotPtr snapshot = viewer_ ? registry_.snapshot_for(viewer_->audience()) : registry_.snapshot();
    const auto found = snapshot->catalog->find(ItemKind::kResource, scope_, uri);
    if (!found) co_return fail(ErrorCode::kNotFound, "unknown resource");
    const std::pair place((*snapshot->sources)[found->source].name(), std::string(found->own_name));
    followed_.insert(place);
    by_uri_[uri] = place;
    const auto honoured = co_await registry_.follow_at(ctx, place.first);
    if (!honoured.contains(place.second)) {
        followed_.erase(place);
        by_uri_.erase(uri);
        co_return fail(ErrorCode::kNotFound, "its server does not tell about changes of this resource");
    }
    co_return Result<void>();
}

Task<std::set<std::string>> Registry::Watch::follow_tasks(const Context& ctx, std::map<std::string, TaskPlace> by_id) {
    by_task_ = std::move(by_id);
    std::map<std::string, std::set<std::string>> told;  // by source
    for (const auto& [id, place] : by_task_) told.try_emplace(place.source);
    for (auto& [source, own_ids] : told) own_ids = co_await registry_.follow_tasks_at(ctx, source);
    std::erase_if(by_task_, [&told](const auto& entry) {
        const auto& place = entry.second;
        return !told[place.source].contains(place.own_id);
    });
    std::set<std::string> honoured;
    for (const auto& [id, place] : by_task_) honoured.insert(id);
    co_return honoured;
}

Task<void> Registry::Watch::unfollow(const Context& ctx, std::string uri) {
    const auto found = by_uri_.find(uri);
    if (found == by_uri_.end()) co_return;
    const auto place = found->second;
    by_uri_.erase(found);
    const bool still = std::ranges::any_of(by_uri_, [&](const auto& entry) { return entry.second == place; });
    if (!still) followed_.erase(place);
    co_await registry_.follow_at(ctx, place.first);
}

}  // namespace gantry::gateway
