#include "gateway/registry/registry.hpp"

#include <algorithm>
#include <ranges>

#include "base/try.hpp"
#include "gateway/catalog/plan.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

/// Whether the source was reached, or failed to be, at least once.
bool has_tried(SourceState state) noexcept {
    return state != SourceState::kIdle && state != SourceState::kStarting;
}

Task<void> stop_source(std::shared_ptr<Source> source) {
    co_await source->stop();
}

/// `audience` is borrowed from the task that joins this one.
Task<void> survey_source(Context ctx, std::shared_ptr<Source> source, Audience audience) {
    co_await source->survey(ctx, audience);
}

bool is_same(const Audience& a, const Audience& b) {
    return a.principal == b.principal && a.client.session == b.client.session &&
           a.client.modern() == b.client.modern() && a.client.capabilities_text == b.client.capabilities_text;
}

CatalogPlanPtr plan_of(const std::vector<Registered>& sources, const std::vector<GroupSpec>& groups,
                       const CatalogRules& rules) {
    std::vector<PlannedSource> planned;
    for (const Registered& entry : sources)
        planned.push_back(
            {.name = entry.source->name(), .prefix = entry.prefix, .allow = entry.allow, .deny = entry.deny});
    return std::make_shared<const CatalogPlan>(std::move(planned), groups, rules);
}

std::shared_ptr<const SourceSet> set_of(const std::vector<Registered>& sources) {
    std::vector<std::shared_ptr<Source>> all;
    for (const Registered& entry : sources) all.push_back(entry.source);
    return std::make_shared<const SourceSet>(std::move(all));
}

Views::Inventories inventories_of(const std::vector<Registered>& sources) {
    Views::Inventories all;
    for (const Registered& entry : sources) all.push_back(entry.source->inventory());
    return all;
}

bool contains(const std::vector<Registered>& sources, const std::shared_ptr<Source>& source) {
    return std::ranges::find(sources, source, &Registered::source) != sources.end();
}

bool is_common(const Views::Inventories& offered) {
    return std::ranges::all_of(offered, [](const InventoryPtr& one) { return one == nullptr; });
}

/// What a caller is offered, completed by what all are offered.
Views::Inventories completed(Views::Inventories own, Views::Inventories common) {
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i]) common[i] = std::move(own[i]);
    }
    return common;
}

}  // namespace

Registry::Registry(std::vector<Registered> sources, RegistryOptions options)
    : sources_(std::move(sources)),
      options_(std::move(options)),
      builder_(std::move(options_.building)),
      plan_(plan_of(sources_, options_.groups, options_.rules)),
      source_set_(set_of(sources_)),
      scope_(Context::background()) {
    snapshot_ = make_snapshot(builder_.build(input_for(inventories_of(sources_))), source_set_, options_.settings);
    note_variation();
    report_problems();
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
    if (unsettled_.empty()) settle();
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
    progress_.pulse();
}

Task<Result<PreparedSupply>> Registry::prepare(const Context& ctx, Supply next) {
    PreparedSupply ready{.supply = std::move(next), .snapshot = {}, .from = {}};
    const std::vector<Registered>& sources = ready.supply.sources;
    ready.from = inventories_of(sources);
    CatalogInput input{.plan = plan_of(sources, ready.supply.groups, ready.supply.rules),
                       .inventories = ready.from,
                       .provisional = !settled_.is_set()};
    GANTRY_CO_TRY(CatalogPtr catalog, co_await builder_.build(ctx, std::move(input)));
    ready.snapshot = make_snapshot(std::move(catalog), set_of(sources), ready.supply.settings);
    co_return ready;
}

std::vector<std::shared_ptr<Source>> Registry::commit(PreparedSupply next) {
    const std::vector<Registered> before = std::exchange(sources_, std::move(next.supply.sources));
    std::vector<std::shared_ptr<Source>> gone;
    for (const Registered& entry : before) {
        if (contains(sources_, entry.source)) continue;
        entry.source->watch({});
        unsettled_.erase(entry.source->name());
        gone.push_back(entry.source);
    }
    watch_changes(before);
    options_.groups = std::move(next.supply.groups);
    options_.rules = std::move(next.supply.rules);
    options_.settings = std::move(next.supply.settings);
    plan_ = next.snapshot->catalog->plan();
    source_set_ = next.snapshot->sources;
    reported_.clear();
    SnapshotPtr old = publish(std::move(next.snapshot));
    tell_lists({}, {});
    discard(std::move(old));
    outdated_ = outdated_ || next.from != inventories_of(sources_);
    if (!outdated_) note_settling();  // it may have waited only for removed sources
    moved_.pulse();
    dirty_.set();
    return gone;
}

void Registry::watch_changes(const std::vector<Registered>& before) {
    for (const Registered& entry : sources_) {
        if (contains(before, entry.source)) continue;
        entry.source->watch(
            [this, name = entry.source->name()](const SourceChange& change) { on_change(name, change); });
        left_behind_.insert(entry.source->name());  // a new source of that name has to receive the follow set
    }
}

Supply Registry::supply() const {
    return {.sources = sources_, .groups = options_.groups, .rules = options_.rules, .settings = options_.settings};
}

Task<Result<std::shared_ptr<Source>>> Registry::upsert(const Context& ctx, Registered source) {
    Supply next = supply();
    const auto same = std::ranges::find_if(
        next.sources, [&source](const Registered& entry) { return entry.source->name() == source.source->name(); });
    if (same == next.sources.end()) {
        next.sources.push_back(std::move(source));
    } else {
        *same = std::move(source);
    }
    GANTRY_CO_TRY(PreparedSupply ready, co_await prepare(ctx, std::move(next)));
    auto gone = commit(std::move(ready));
    co_return gone.empty() ? nullptr : gone.front();
}

Task<Result<std::shared_ptr<Source>>> Registry::remove(const Context& ctx, std::string name) {
    Supply next = supply();
    if (std::erase_if(next.sources, [&name](const Registered& entry) { return entry.source->name() == name; }) == 0)
        co_return fail(ErrorCode::kNotFound, "there is no source '" + name + "'");
    GANTRY_CO_TRY(PreparedSupply ready, co_await prepare(ctx, std::move(next)));
    co_return commit(std::move(ready)).front();
}

std::shared_ptr<Source> Registry::find(std::string_view name) const {
    const auto found = std::ranges::find(
        sources_, name, [](const Registered& entry) -> std::string_view { return entry.source->name(); });
    return found == sources_.end() ? nullptr : found->source;
}

Task<Result<void>> Registry::settled(const Context& ctx) {
    return settled_.wait(ctx);
}

Task<Result<void>> Registry::settled(const Context& ctx, std::string_view scope) {
    const std::string waited_for(scope);
    while (!is_settled(waited_for)) GANTRY_CO_CHECK(co_await progress_.wait(ctx));
    co_return Result<void>();
}

bool Registry::is_settled(std::string_view scope) const {
    constexpr std::string_view kServer = "servers/";
    if (settled_.is_set()) return true;
    return scope.starts_with(kServer) && !unsettled_.contains(std::string(scope.substr(kServer.size())));
}

bool Registry::is_ready() const {
    return settled_.is_set() && std::ranges::none_of(sources_, [this](const Registered& entry) {
               return entry.required && unsettled_.contains(entry.source->name());
           });
}

Task<Result<void>> Registry::require(const Context& ctx) {
    std::string missing;
    // A reload may replace the sources meanwhile; removed ones are no longer required.
    const std::vector<Registered> at_start = sources_;
    for (const Registered& entry : at_start) {
        if (!entry.required) continue;
        const auto source = entry.source;
        const auto removed = [&] { return find(source->name()) != source; };
        while (!has_tried(source->state()) && !removed()) GANTRY_CO_CHECK(co_await moved_.wait(ctx));
        if (removed()) continue;
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
        // A source that is reconnecting stays listed for a while.
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
    std::size_t retried = 0;
    for (const Registered& entry : sources_) {
        if (entry.source->connected() || entry.source->state() == SourceState::kAsleep) continue;
        entry.source->retry_now();
        ++retried;
    }
    return retried;
}

void Registry::refresh() {
    outdated_ = true;
    dirty_.set();
}

void Registry::on_change(const std::string& source, const SourceChange& change) {
    if (change.kind == SourceChange::Kind::kResourceUpdated) return tell_updated(source, change);
    if (change.kind == SourceChange::Kind::kTask) return tell_task(source, change);
    publish_change(source, change);
    if (change.kind == SourceChange::Kind::kState) moved_.pulse();
    note_variation();
    if (change.kind == SourceChange::Kind::kAnnounced) {
        announced_[source] |= change.kinds;
    } else if (change.kind == SourceChange::Kind::kAudience) {
        if (change.announced_to)
            whispers_.push_back({.source = source, .kinds = change.kinds, .to = change.announced_to});
    } else {
        outdated_ = true;
    }
    dirty_.set();
}

void Registry::publish_change(const std::string& source, const SourceChange& change) const {
    if (options_.events == nullptr || !options_.events->listening()) return;
    const std::shared_ptr<Source> from = find(source);
    if (!from) return;  // the source was removed meanwhile
    if (change.kind == SourceChange::Kind::kState) {
        JsonObject data{{"state", to_string(from->state())}};
        if (const std::string trouble = from->trouble(); !trouble.empty()) data.set("trouble", trouble);
        options_.events->publish({.type = event_type::kSourceState, .subject = source, .data = std::move(data)});
    } else if (change.kind == SourceChange::Kind::kInventory) {
        const auto& items = from->inventory()->items;
        const auto unchecked =
            std::ranges::count_if(items, [](const ItemPtr& item) { return !item->schema_fault.empty(); });
        options_.events->publish({.type = event_type::kSourceInventory,
                                  .subject = source,
                                  .data = {{"items", items.size()}, {"schemas_not_enforced", unchecked}}});
    }
}

Task<void> Registry::rebuild_loop() {
    const Context ctx = scope_.context();
    const TimePoint began = SteadyClock::now();
    while (true) {
        const Context waiting = settled_.is_set() ? ctx : ctx.until(Deadline::after(options_.settle, began));
        if (auto woken = co_await dirty_.wait(waiting); !woken) {
            if (ctx.cancel().cancelled()) co_return;
            settle();  // late sources are listed when they answer
            progress_.pulse();
            continue;
        }
        if (auto gathered = co_await sleep_for(ctx, options_.gather); !gathered) co_return;
        dirty_.reset();
        co_await catch_up(ctx);
        co_await let_go(ctx);
    }
}

Task<void> Registry::catch_up(const Context& ctx) {
    auto turn = co_await building_.lock(ctx);
    if (!turn) co_return;
    co_await rebuild(ctx);
    co_await prepare_watches(ctx);
    tell_lists(std::exchange(announced_, {}), std::exchange(whispers_, {}));
}

Task<void> Registry::rebuild(const Context& ctx) {
    while (std::exchange(outdated_, false)) {
        const std::uint64_t generation = generation_;
        auto built = co_await builder_.build(ctx, input_for(inventories_of(sources_)));
        if (!built) {
            // Only this caller gives up.
            outdated_ = true;
            dirty_.set();
            co_return;
        }
        if (generation != generation_) {
            // Another configuration came in meanwhile.
            outdated_ = true;
            continue;
        }
        SnapshotPtr before = publish(make_snapshot(*std::move(built), source_set_, options_.settings));
        publish_catalog(*before->catalog);
        discard(std::move(before));
        // A source that answered during the build is settled once its items are in the catalog.
        if (!outdated_) note_settling();
    }
}

CatalogInput Registry::input_for(Views::Inventories offered) const {
    return {.plan = plan_,
            .inventories = std::move(offered),
            .before = snapshot_ ? snapshot_->catalog : nullptr,
            .provisional = !settled_.is_set()};
}

SnapshotPtr Registry::publish(SnapshotPtr next) {
    SnapshotPtr old = std::exchange(snapshot_, std::move(next));
    ++generation_;
    views_.forget_all();
    note_variation();
    report_problems();
    return old;
}

void Registry::discard(SnapshotPtr old) {
    CatalogPtr catalog = old->catalog;
    old.reset();
    builder_.dispose(std::move(catalog));
}

void Registry::report_problems() {
    for (const CatalogProblem& problem : snapshot_->catalog->problems()) {
        if (reported_.size() < 10'000 && reported_.insert(problem.source + '\n' + problem.what).second &&
            options_.on_problem)
            options_.on_problem(problem);
    }
}

void Registry::note_variation() {
    varies_ = std::ranges::any_of(sources_, [](const Registered& entry) { return entry.source->varies(); });
    views_.forget_callers();
}

Views::Inventories Registry::offered_to(const Audience& audience) const {
    Views::Inventories offered;
    for (const Registered& entry : sources_) offered.push_back(entry.source->inventory_for(audience));
    return offered;
}

const SnapshotPtr* Registry::known_snapshot(const Audience& audience) {
    // Names are final only when all sources had their chance to answer; until then all callers share one catalog.
    if (!varies_ || !settled_.is_set()) [[likely]]
        return &snapshot_;
    if (const SnapshotPtr* known = views_.find(audience)) return known;
    const Views::Inventories offered = offered_to(audience);
    if (is_common(offered)) return &views_.keep(audience, snapshot_);
    const SnapshotPtr* made = views_.made_for(offered);
    return made == nullptr ? nullptr : &views_.keep(audience, *made);
}

const SnapshotPtr& Registry::snapshot_for(const Audience& audience) {
    if (const SnapshotPtr* known = known_snapshot(audience)) return *known;
    Views::Inventories offered = offered_to(audience);
    SnapshotPtr made = make_snapshot(builder_.build(input_for(completed(offered, inventories_of(sources_)))),
                                     source_set_, options_.settings);
    return views_.keep(audience, views_.add(std::move(offered), std::move(made)));
}

Task<void> Registry::prepare_for(const Context& ctx, const Audience& audience) {
    while (known_snapshot(audience) == nullptr) {
        const std::uint64_t generation = generation_;
        Views::Inventories offered = offered_to(audience);
        auto built = co_await builder_.build(ctx, input_for(completed(offered, inventories_of(sources_))));
        if (!built) co_return;
        // Another task may have made it, or everything may have changed meanwhile.
        if (generation != generation_ || views_.made_for(offered) != nullptr) continue;
        views_.add(std::move(offered), make_snapshot(*std::move(built), source_set_, options_.settings));
    }
}

Task<void> Registry::prepare_watches(const Context& ctx) {
    if (!varies_) co_return;
    const std::vector<Watch*> watches(watches_.begin(), watches_.end());
    for (Watch* watch : watches) {
        if (!watches_.contains(watch) || !watch->viewer_) continue;
        const Viewer viewer = *watch->viewer_;  // the watch may end meanwhile
        co_await prepare_for(ctx, viewer.audience());
    }
}

bool Registry::is_surveyed(const Audience& audience) const {
    return std::ranges::all_of(sources_, [&](const Registered& entry) { return entry.source->is_surveyed(audience); });
}

Task<void> Registry::survey(const Context& ctx, const Audience& audience) {
    // Concurrently, so that one slow server does not delay the others. A copy, because a reload may replace the
    // sources.
    std::vector<std::shared_ptr<Source>> asked;
    for (const Registered& entry : sources_) {
        if (!entry.source->is_surveyed(audience)) asked.push_back(entry.source);
    }
    if (asked.empty()) co_return;
    Scope surveys(ctx);
    for (const auto& source : asked) surveys.spawn(survey_source(surveys.context(), source, audience));
    co_await surveys.join();
    // The caller is about to see this catalog and needs no notification.
    co_await prepare_for(ctx, audience);
    const CatalogPtr now = snapshot_for(audience)->catalog;
    for (Watch* watch : watches_) {
        if (watch->viewer_ && is_same(watch->viewer_->audience(), audience)) watch->seen_ = now;
    }
}

void Registry::note_settling() {
    std::erase_if(unsettled_, [this](const std::string& name) {
        const auto source = find(name);
        return !source || has_tried(source->state()) || !source->inventory()->items.empty();
    });
    if (unsettled_.empty()) settle();
    progress_.pulse();
}

void Registry::settle() {
    if (settled_.is_set()) return;
    settled_.set();
    builder_.commit_names();
}

}  // namespace gantry::gateway
