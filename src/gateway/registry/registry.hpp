#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/registry/catalog_builder.hpp"
#include "gateway/registry/views.hpp"
#include "gateway/runtime/snapshot.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::gateway {

/// A source, with the naming and filtering of its items.
struct Registered {
    std::shared_ptr<Source> source;
    /// Empty: items keep their own names.
    std::string prefix = {};
    std::vector<std::string> allow = {};
    std::vector<std::string> deny = {};
    /// The gateway does not start without this source.
    bool required = false;
};

/// The status of a source.
struct Standing {
    std::string name;
    SourceState state = SourceState::kIdle;
    /// Its items are listed and can be called.
    bool active = false;
    /// A connection is open. An idle source has none and is active all the same.
    bool connected = false;
    /// Why it is not active; empty when it is.
    std::string trouble = {};
};

/// A change that clients of one scope are notified of.
struct CatalogChange {
    enum class Kind : std::uint8_t { kTools, kPrompts, kResources, kUpdated, kTask };
    Kind kind = Kind::kTools;
    std::string uri = {};  // kUpdated: the public URI
    Json task = {};        // kTask: under the id it was followed by
};

struct RegistryOptions {
    std::vector<GroupSpec> groups = {};
    CatalogRules rules = {};
    /// Debounces changes: a new catalog is built this long after the first of them.
    Duration gather = milliseconds(20);
    /// How long the registry waits for the first answer of sources that are still starting before it counts as settled.
    Duration settle = seconds(10);
    CallSettingsPtr settings = std::make_shared<const CallSettings>();
    CatalogBuilderOptions building = {};
    std::function<void(const CatalogProblem&)> on_problem = {};
    /// Receives events about sources and catalogs. Null: none are sent.
    EventSink* events = nullptr;
};

/// What another configuration brings.
struct Supply {
    std::vector<Registered> sources = {};
    std::vector<GroupSpec> groups = {};
    CatalogRules rules = {};
    CallSettingsPtr settings = std::make_shared<const CallSettings>();
};

/// A configuration whose catalog is built and only has to be swapped in.
struct PreparedSupply {
    Supply supply;
    SnapshotPtr snapshot;
    /// What the catalog was built from.
    std::vector<InventoryPtr> from;
};

/// A caller whose view of the catalog is needed for longer than one call.
struct Viewer {
    std::shared_ptr<const Principal> principal;
    ClientTraits client;
    bool reachable = false;

    Audience audience() const noexcept { return {*principal, client, reachable}; }
};

/// Holds the sources; whenever one changes, builds a new catalog beside the old one, publishes it in a new snapshot and
/// notifies the watches. No call waits for it. Bound to one loop.
class Registry {
public:
    Registry(std::vector<Registered> sources, RegistryOptions options);
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    void start();
    /// Stops all sources concurrently, in bounded time, beginning with the last one; required before destruction.
    Task<void> stop();

    /// Builds what a new configuration offers; new sources must have been started. Nothing changes until commit().
    /// Fails only when the context ends.
    Task<Result<PreparedSupply>> prepare(const Context& ctx, Supply next);
    /// Swaps it in. Sources that stay are not disturbed. When this returns, the new snapshot is in force and the
    /// watches have been notified. Returns the removed sources: calls may still be running there, and the caller has to
    /// stop them.
    [[nodiscard]] std::vector<std::shared_ptr<Source>> commit(PreparedSupply next);

    /// Adds a source, or replaces the one of that name, which is returned; the others are not disturbed.
    Task<Result<std::shared_ptr<Source>>> upsert(const Context& ctx, Registered source);
    /// Removes and returns a source. kNotFound.
    Task<Result<std::shared_ptr<Source>>> remove(const Context& ctx, std::string name);

    /// For callers without a view of their own.
    const SnapshotPtr& snapshot() const noexcept { return snapshot_; }
    const CatalogPtr& catalog() const noexcept { return snapshot_->catalog; }
    /// What this caller sees, if that is known already; null: see prepare_for(). Invalidated by the next suspension.
    const SnapshotPtr* known_snapshot(const Audience& audience);
    /// Makes what this caller sees known, without holding up other calls. May return early when the context ends.
    Task<void> prepare_for(const Context& ctx, const Audience& audience);
    /// What this caller sees, built here and now if it is not known. Invalidated by the next suspension.
    const SnapshotPtr& snapshot_for(const Audience& audience);
    /// Number of snapshots besides the common one; for tests and diagnostics.
    std::size_t views() const noexcept { return views_.size(); }
    /// Returns whether every source has determined what it offers this caller, as far as it can.
    bool is_surveyed(const Audience& audience) const;
    /// Makes every source determine what it offers this caller; returns when is_surveyed() or when the context ends.
    Task<void> survey(const Context& ctx, const Audience& audience);
    std::shared_ptr<Source> find(std::string_view name) const;
    const std::vector<Registered>& sources() const noexcept { return sources_; }

    /// Returns when every source has listed what it offers (or its last known list is offered) or has failed, or after
    /// the settle time.
    Task<Result<void>> settled(const Context& ctx);
    /// The same for the sources of one scope: "servers/NAME" does not wait for other servers.
    Task<Result<void>> settled(const Context& ctx, std::string_view scope);
    /// While unsettled: returns when a source has given its first answer or failed.
    Task<Result<void>> progress(const Context& ctx) { return progress_.wait(ctx); }
    /// Waits for all required sources; the Error names those that cannot be reached. Returns at once if none is
    /// required.
    Task<Result<void>> require(const Context& ctx);
    /// In configuration order.
    std::vector<Standing> standing() const;
    /// Makes all disconnected sources that wait before their next attempt reconnect now. Returns their number.
    std::size_t reconnect();
    /// Schedules a new catalog, because inspect() may have another result now.
    void refresh();
    /// Applies all pending changes: when this returns, they are in the catalog and the watches have been notified.
    Task<void> catch_up(const Context& ctx);
    bool is_settled() const noexcept { return settled_.is_set(); }
    bool is_settled(std::string_view scope) const;
    /// Returns whether the registry is settled and every required source has been tried. Stays true from then on.
    bool is_ready() const;
    /// Sources that have not given their first answer yet, in alphabetical order.
    const std::set<std::string>& starting() const noexcept { return unsettled_; }

    using Tell = std::function<void(const CatalogChange&)>;

    /// One caller's subscription to a scope; ends on destruction. `tell` always receives list changes, and updates of
    /// what the caller follows.
    class Watch {
    public:
        /// Without a viewer, the watch is on the common catalog.
        Watch(Registry& registry, std::string scope, Tell tell, std::optional<Viewer> viewer = std::nullopt);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

        /// Follows a resource by its public URI. Fails with kNotFound when no source offers it, or its source does not
        /// report changes.
        Task<Result<void>> follow(const Context& ctx, std::string uri);
        Task<void> unfollow(const Context& ctx, std::string uri);

        /// A task a caller may see, by the name of its source and its id there.
        struct TaskPlace {
            std::string source;
            std::string own_id;
            auto operator<=>(const TaskPlace&) const = default;
        };
        /// Follows tasks by the ids the caller knows. Returns those that will be reported.
        Task<std::set<std::string>> follow_tasks(const Context& ctx, std::map<std::string, TaskPlace> by_id);
        const std::string& scope() const noexcept { return scope_; }

    private:
        friend class Registry;
        CatalogPtr now() const;

        Registry& registry_;
        std::string scope_;
        Tell tell_;
        std::optional<Viewer> viewer_;
        CatalogPtr seen_;                                         // the catalog it was last notified about
        std::set<std::pair<std::string, std::string>> followed_;  // source, own URI
        std::map<std::string, std::pair<std::string, std::string>> by_uri_;
        std::map<std::string, TaskPlace> by_task_;
    };

private:
    using Digests = std::map<std::string, std::array<std::uint64_t, kItemKinds>>;

    using Announced = std::map<std::string, Kinds>;  // by source
    /// An announcement that concerns only some callers.
    struct Whisper {
        std::string source;
        Kinds kinds;
        std::function<bool(const Audience&)> to;
    };

    Task<void> rebuild_loop();
    /// Builds catalogs until nothing is outdated.
    Task<void> rebuild(const Context& ctx);
    CatalogInput input_for(Views::Inventories offered) const;
    /// Returns the previous snapshot, which is to be passed to discard() once it has been compared.
    [[nodiscard]] SnapshotPtr publish(SnapshotPtr next);
    void discard(SnapshotPtr old);
    void report_problems();
    /// Makes the snapshots of all viewers known.
    Task<void> prepare_watches(const Context& ctx);
    Views::Inventories offered_to(const Audience& audience) const;
    Task<void> let_go(const Context& ctx);
    Supply supply() const;
    void watch_changes(const std::vector<Registered>& before);
    /// Notifies every watch of lists that differ from what it has seen, or that were announced as changed.
    void tell_lists(const Announced& announced, const std::vector<Whisper>& whispers);
    void on_change(const std::string& source, const SourceChange& change);
    void tell_updated(const std::string& source, const SourceChange& change);
    void tell_task(const std::string& source, const SourceChange& change);
    void note_variation();
    void note_settling();
    /// Assigned names are permanent from here on.
    void settle();
    void publish_change(const std::string& source, const SourceChange& change) const;
    void publish_catalog(const Catalog& before) const;
    void publish_truncated(const Catalog& before) const;
    Task<std::set<std::string>> follow_at(const Context& ctx, std::string source);
    std::set<std::string> wanted_at(const std::string& source) const;
    Task<std::set<std::string>> follow_tasks_at(const Context& ctx, std::string source);

    std::vector<Registered> sources_;
    RegistryOptions options_;
    CatalogBuilder builder_;
    CatalogPlanPtr plan_;
    std::shared_ptr<const SourceSet> source_set_;
    SnapshotPtr snapshot_;
    std::uint64_t generation_ = 0;  // grows with each snapshot
    Views views_;
    bool varies_ = false;  // some source varies()
    AsyncMutex building_;
    std::set<Watch*> watches_;
    std::set<std::string> unsettled_;
    std::set<std::string> reported_;     // problems already reported
    std::set<std::string> left_behind_;  // sources that still follow what no watch wants any more
    bool outdated_ = false;              // the catalog needs rebuilding
    Announced announced_;                // pending announcements
    std::vector<Whisper> whispers_;      // likewise, for some callers
    Event dirty_;
    Event settled_;
    Event moved_;     // a source changed its state
    Event progress_;  // unsettled_ shrank
    Scope scope_;
};

}  // namespace gantry::gateway
