#include "gateway/registry/registry.hpp"

#include <algorithm>
#include <ranges>
#include <span>

#include "base/try.hpp"
#include "io/loop.hpp"

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

/// A source that has a hand in the list says that it changed.
bool says_so(const Catalog& catalog, const std::map<std::string, Kinds>& announced, const std::string& scope,
             CatalogChange::Kind kind) {
    for (const auto& [source, kinds] : announced) {
        for (const ItemKind item : items_of(kind)) {
            if (kinds.test(static_cast<std::size_t>(item)) && catalog.draws_on(scope, item, source)) return true;
        }
    }
    return false;
}

/// It is known by now whether it can be reached.
bool has_tried(SourceState state) noexcept {
    return state != SourceState::kIdle && state != SourceState::kStarting;
}

Task<void> stop_source(std::shared_ptr<Source> source) {
    co_await source->stop();
}

}  // namespace

Registry::Registry(std::vector<Registered> sources, RegistryOptions options)
    : sources_(std::move(sources)), options_(std::move(options)), scope_(Context::background()) {
    rebuild();
}

Registry::~Registry() = default;

void Registry::start() {
    for (const Registered& entry : sources_) {
        unsettled_.insert(entry.source->name());
        entry.source->watch(
            [this, name = entry.source->name()](const SourceChange& change) { on_change(name, change); });
    }
    for (const Registered& entry : sources_) entry.source->start();
    scope_.spawn(rebuild_loop());
    if (unsettled_.empty()) settled_.set();
}

Task<void> Registry::stop() {
    scope_.cancel();
    co_await scope_.join();
    Scope stopping(Context::background());
    for (const Registered& entry : std::views::reverse(sources_)) {
        entry.source->watch({});
        stopping.spawn(stop_source(entry.source));
    }
    co_await stopping.join();
    settled_.set();
    moved_.pulse();
}

std::vector<std::shared_ptr<Source>> Registry::replace(std::vector<Registered> sources, std::vector<GroupSpec> groups,
                                                       CatalogRules rules) {
    const auto has = [](const std::vector<Registered>& in, const std::shared_ptr<Source>& source) {
        return std::ranges::find(in, source, &Registered::source) != in.end();
    };
    std::vector<std::shared_ptr<Source>> gone;
    for (const Registered& entry : sources_) {
        if (has(sources, entry.source)) continue;
        entry.source->watch({});
        unsettled_.erase(entry.source->name());
        gone.push_back(entry.source);
    }
    for (const Registered& entry : sources) {
        if (has(sources_, entry.source)) continue;
        entry.source->watch(
            [this, name = entry.source->name()](const SourceChange& change) { on_change(name, change); });
        left_behind_.insert(entry.source->name());  // what is followed there has to be said to the newcomer
    }
    sources_ = std::move(sources);
    options_.groups = std::move(groups);
    options_.rules = std::move(rules);
    reported_.clear();
    const CatalogPtr before = rebuild();
    tell_lists(*before, {});
    dirty_.set();
    return gone;
}

std::shared_ptr<Source> Registry::find(std::string_view name) const {
    const auto found = std::ranges::find(
        sources_, name, [](const Registered& entry) -> std::string_view { return entry.source->name(); });
    return found == sources_.end() ? nullptr : found->source;
}

Task<Result<void>> Registry::settled(const Context& ctx) {
    return settled_.wait(ctx);
}

Task<Result<void>> Registry::require(const Context& ctx) {
    std::string missing;
    for (const Registered& entry : sources_) {
        if (!entry.required) continue;
        const auto source = entry.source;
        while (!has_tried(source->state())) GANTRY_CO_CHECK(co_await moved_.wait(ctx));
        if (source->state() != SourceState::kDown) continue;
        missing += (missing.empty() ? "" : "; ") + source->name() + ": " + source->trouble();
    }
    if (missing.empty()) co_return Result<void>();
    co_return fail(ErrorCode::kConnection, "a server with on_connect_error: fail cannot be reached: " + missing);
}

std::vector<Standing> Registry::standing() const {
    std::vector<Standing> all;
    for (const Registered& entry : sources_) {
        const Source& source = *entry.source;
        const SourceState state = source.state();
        // One that is being reconnected keeps its things in the lists for a while.
        const bool offered = state == SourceState::kStarting && !source.inventory()->items.empty();
        all.push_back({.name = source.name(),
                       .state = state,
                       .active = state == SourceState::kReady || state == SourceState::kAsleep || offered,
                       .connected = source.connected(),
                       .trouble = source.trouble()});
    }
    return all;
}

std::size_t Registry::reconnect() {
    std::size_t hurried = 0;
    for (const Registered& entry : sources_) {
        if (entry.source->connected() || entry.source->state() == SourceState::kAsleep) continue;
        entry.source->hurry();
        ++hurried;
    }
    return hurried;
}

void Registry::refresh() {
    outdated_ = true;
    dirty_.set();
}

InventoryPtr Registry::shown(const std::string& source, InventoryPtr offered) const {
    return options_.inspect ? options_.inspect(source, std::move(offered)) : offered;
}

void Registry::on_change(const std::string& source, const SourceChange& change) {
    if (change.kind == SourceChange::Kind::kResourceUpdated) return tell_updated(source, change);
    if (change.kind == SourceChange::Kind::kTask) return tell_task(source, change);
    publish_change(source, change);
    if (change.kind == SourceChange::Kind::kState) moved_.pulse();
    if (change.kind == SourceChange::Kind::kAnnounced) {
        announced_[source] |= change.kinds;
    } else {
        outdated_ = true;
    }
    dirty_.set();
}

void Registry::publish_change(const std::string& source, const SourceChange& change) const {
    if (options_.events == nullptr || !options_.events->listening()) return;
    const std::shared_ptr<Source> from = find(source);
    if (!from) return;  // it was taken out meanwhile
    if (change.kind == SourceChange::Kind::kState) {
        JsonObject data{{"state", to_string(from->state())}};
        if (const std::string trouble = from->trouble(); !trouble.empty()) data.set("trouble", trouble);
        options_.events->publish({.type = event_type::kSourceState, .subject = source, .data = std::move(data)});
    } else if (change.kind == SourceChange::Kind::kInventory) {
        options_.events->publish({.type = event_type::kSourceInventory,
                                  .subject = source,
                                  .data = {{"items", from->inventory()->items.size()}}});
    }
}

void Registry::publish_catalog(const Catalog& before) const {
    if (options_.events == nullptr || !options_.events->listening()) return;
    const bool changed = std::ranges::any_of(
        kListKinds, [&](CatalogChange::Kind kind) { return list_differs(before, *catalog_, "", kind); });
    if (!changed) return;
    options_.events->publish({.type = event_type::kCatalogChanged,
                              .subject = "catalog",
                              .data = {{"tools", catalog_->size(ItemKind::kTool, "")},
                                       {"prompts", catalog_->size(ItemKind::kPrompt, "")},
                                       {"resources", catalog_->size(ItemKind::kResource, "")},
                                       {"templates", catalog_->size(ItemKind::kTemplate, "")}}});
}

void Registry::tell_updated(const std::string& source, const SourceChange& change) {
    const std::string uri = catalog_->public_uri(source, change.uri);
    // A copy: telling may end a watch.
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    for (Watch* watch : watches) {
        if (!watches_.contains(watch)) continue;
        for (const auto& [public_uri, place] : watch->by_uri_) {
            if (place.first != source) continue;
            // The change may be of a part of what is followed.
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
        // The same task may be known by several ids: each sealing gives another.
        const auto known = watches_.contains(watch) ? watch->by_task_ : std::map<std::string, Watch::TaskPlace>();
        for (const auto& [id, followed] : known) {
            if (followed != place || !watches_.contains(watch)) continue;
            Json task = change.task;
            task.if_object()->set("taskId", id);
            watch->tell_({.kind = CatalogChange::Kind::kTask, .task = std::move(task)});
        }
    }
}

Task<void> Registry::rebuild_loop() {
    const Context ctx = scope_.context();
    const TimePoint began = SteadyClock::now();
    while (true) {
        const Context waiting = settled_.is_set() ? ctx : ctx.until(Deadline::after(options_.settle, began));
        if (auto woken = co_await dirty_.wait(waiting); !woken) {
            if (ctx.cancel().cancelled()) co_return;
            settled_.set();  // whoever is not there by now is listed when it comes
            continue;
        }
        if (auto gathered = co_await sleep_for(ctx, options_.gather); !gathered) co_return;
        dirty_.reset();
        CatalogPtr before = catalog_;
        if (std::exchange(outdated_, false)) {
            before = rebuild();
            publish_catalog(*before);
            note_settling();
        }
        tell_lists(*before, std::exchange(announced_, {}));
        co_await let_go(ctx);
    }
}

/// Watches end without waiting; what only they followed is let go here.
Task<void> Registry::let_go(const Context& ctx) {
    const auto sources = std::exchange(left_behind_, {});
    for (const std::string& source : sources) {
        co_await follow_at(ctx.within(kFollowLimit), source);
        co_await follow_tasks_at(ctx.within(kFollowLimit), source);
    }
}

void Registry::note_settling() {
    std::erase_if(unsettled_, [this](const std::string& name) {
        const auto source = find(name);
        return !source || has_tried(source->state());
    });
    if (unsettled_.empty()) settled_.set();
}

CatalogPtr Registry::rebuild() {
    std::vector<Shelf> shelves;
    for (const Registered& entry : sources_) {
        shelves.push_back({.source_name = entry.source->name(),
                           .source = entry.source,
                           .inventory = shown(entry.source->name(), entry.source->inventory()),
                           .prefix = entry.prefix,
                           .allow = entry.allow,
                           .deny = entry.deny});
    }
    CatalogPtr before =
        std::exchange(catalog_, Catalog::build(std::move(shelves), options_.groups, options_.rules, options_.names));
    if (options_.save_names && std::exchange(saved_edition_, options_.names.edition()) != options_.names.edition())
        options_.save_names(options_.names);
    for (const CatalogProblem& problem : catalog_->problems()) {
        if (reported_.size() < 10'000 && reported_.insert(problem.source + '\n' + problem.what).second &&
            options_.on_problem)
            options_.on_problem(problem);
    }
    return before;
}

void Registry::tell_lists(const Catalog& before, const Announced& announced) {
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    for (const auto kind : kListKinds) {
        std::map<std::string, bool> differs;
        for (Watch* watch : watches) {
            if (!watches_.contains(watch)) continue;
            const auto [known, fresh] = differs.try_emplace(watch->scope_, false);
            if (fresh)
                known->second = list_differs(before, *catalog_, watch->scope_, kind) ||
                                says_so(*catalog_, announced, watch->scope_, kind);
            if (known->second) watch->tell_({.kind = kind});
        }
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

Registry::Watch::Watch(Registry& registry, std::string scope, Tell tell)
    : registry_(registry), scope_(std::move(scope)), tell_(std::move(tell)) {
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
    const auto found = registry_.catalog_->find(ItemKind::kResource, scope_, uri);
    if (!found) co_return fail(ErrorCode::kNotFound, "unknown resource");
    const std::pair place(found->source->name(), found->own_name);
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
