#include "gateway/registry/registry.hpp"

#include <algorithm>
#include <ranges>

#include "base/try.hpp"
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
        left_behind_.insert(entry.source->name());  // a new source of that name has to receive the follow set
    }
    sources_ = std::move(sources);
    options_.groups = std::move(groups);
    options_.rules = std::move(rules);
    reported_.clear();
    rebuild();
    tell_lists({}, {});
    note_settling();  // it may have waited only for removed sources
    moved_.pulse();
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

InventoryPtr Registry::shown(const std::string& source, InventoryPtr offered) const {
    return options_.inspect ? options_.inspect(source, std::move(offered)) : offered;
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
        catch_up();
        co_await let_go(ctx);
    }
}

void Registry::catch_up() {
    if (std::exchange(outdated_, false)) {
        const CatalogPtr before = rebuild();
        publish_catalog(*before);
        note_settling();
    }
    tell_lists(std::exchange(announced_, {}), std::exchange(whispers_, {}));
}

void Registry::note_variation() {
    varies_ = std::ranges::any_of(sources_, [](const Registered& entry) { return entry.source->varies(); });
    views_.forget_callers();
}

const CatalogPtr& Registry::catalog_for(const Audience& audience) {
    // Names are final only when all sources had their chance to answer; until then all callers share one catalog.
    if (!varies_ || !settled_.is_set()) return catalog_;
    return views_.find(
        audience, catalog_,
        [this](const Audience& caller) {
            Views::Inventories offered;
            for (const Registered& entry : sources_) offered.push_back(entry.source->inventory_for(caller));
            return offered;
        },
        [this](const Views::Inventories& offered) {
            std::vector<SourceEntry> stocked = source_entries();
            for (std::size_t i = 0; i < stocked.size(); ++i) {
                if (offered[i]) stocked[i].inventory = shown(stocked[i].source_name, offered[i]);
            }
            CatalogPtr made = Catalog::build(std::move(stocked), options_.groups, options_.rules, options_.names);
            keep_names();
            return made;
        });
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
    const CatalogPtr now = catalog_for(audience);
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
    options_.names.commit();
    keep_names();
}

void Registry::keep_names() {
    if (options_.save_names && std::exchange(saved_edition_, options_.names.edition()) != options_.names.edition())
        options_.save_names(options_.names);
}

std::vector<SourceEntry> Registry::source_entries() const {
    std::vector<SourceEntry> all;
    for (const Registered& entry : sources_) {
        all.push_back({.source_name = entry.source->name(),
                       .source = entry.source,
                       .inventory = shown(entry.source->name(), entry.source->inventory()),
                       .prefix = entry.prefix,
                       .allow = entry.allow,
                       .deny = entry.deny});
    }
    return all;
}

CatalogPtr Registry::rebuild() {
    // Until every source has had its chance, contested names and URIs are assigned in configuration order, not to the
    // server that happened to answer first.
    if (!settled_.is_set()) options_.names.roll_back();
    CatalogPtr before =
        std::exchange(catalog_, Catalog::build(source_entries(), options_.groups, options_.rules, options_.names));
    views_.forget_all();
    note_variation();
    if (settled_.is_set()) keep_names();
    for (const CatalogProblem& problem : catalog_->problems()) {
        if (reported_.size() < 10'000 && reported_.insert(problem.source + '\n' + problem.what).second &&
            options_.on_problem)
            options_.on_problem(problem);
    }
    return before;
}

}  // namespace gantry::gateway
