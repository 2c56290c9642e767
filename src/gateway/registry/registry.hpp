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
#include "gateway/catalog/name_book.hpp"
#include "gateway/ports/event_sink.hpp"
#include "gateway/ports/source.hpp"
#include "gateway/registry/views.hpp"
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
    /// Public names assigned in earlier runs; passed to save_names whenever they change.
    NameBook names = NameBook();
    std::function<void(const NameBook&)> save_names = {};
    std::function<void(const CatalogProblem&)> on_problem = {};
    /// Receives events about sources and catalogs. Null: none are sent.
    EventSink* events = nullptr;
    /// Filters a source's items; called whenever a catalog is built. Unset: all items are shown.
    std::function<InventoryPtr(const std::string& source, InventoryPtr offered)> inspect = {};
};

/// A caller whose view of the catalog is needed for longer than one call.
struct Viewer {
    std::shared_ptr<const Principal> principal;
    ClientTraits client;
    bool reachable = false;

    Audience audience() const noexcept { return {*principal, client, reachable}; }
};

/// The supply street: holds the sources, builds a new catalog beside the old one whenever a source changes, swaps it in
/// and notifies the watches. No call waits for it. Bound to one loop.
class Registry {
public:
    Registry(std::vector<Registered> sources, RegistryOptions options);
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    void start();
    /// Stops all sources concurrently, in bounded time, beginning with the last one; required before destruction.
    Task<void> stop();

    /// Replaces sources, groups and rules. Sources that stay are not disturbed; new ones must have been started. When
    /// this returns, the new catalog is in force and the watches have been notified. Returns the removed sources: calls
    /// may still be running there, and the caller has to stop them.
    [[nodiscard]] std::vector<std::shared_ptr<Source>> replace(std::vector<Registered> sources,
                                                               std::vector<GroupSpec> groups, CatalogRules rules);

    /// The common catalog, for callers without a view of their own.
    const CatalogPtr& catalog() const noexcept { return catalog_; }
    /// The catalog this caller sees. The reference is invalidated by the next suspension.
    const CatalogPtr& catalog_for(const Audience& audience);
    /// Number of catalogs besides the common one; for tests and diagnostics.
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
    void catch_up();
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

    InventoryPtr shown(const std::string& source, InventoryPtr offered) const;
    Task<void> rebuild_loop();
    /// Returns the previous catalog.
    CatalogPtr rebuild();
    Task<void> let_go(const Context& ctx);
    std::vector<SourceEntry> source_entries() const;
    /// Notifies every watch of lists that differ from what it has seen, or that were announced as changed.
    void tell_lists(const Announced& announced, const std::vector<Whisper>& whispers);
    void on_change(const std::string& source, const SourceChange& change);
    void tell_updated(const std::string& source, const SourceChange& change);
    void tell_task(const std::string& source, const SourceChange& change);
    void note_variation();
    void note_settling();
    /// Assigned names are permanent from here on.
    void settle();
    void keep_names();
    void publish_change(const std::string& source, const SourceChange& change) const;
    void publish_catalog(const Catalog& before) const;
    void publish_truncated(const Catalog& before) const;
    Task<std::set<std::string>> follow_at(const Context& ctx, std::string source);
    std::set<std::string> wanted_at(const std::string& source) const;
    Task<std::set<std::string>> follow_tasks_at(const Context& ctx, std::string source);

    std::vector<Registered> sources_;
    RegistryOptions options_;
    CatalogPtr catalog_;
    Views views_;
    bool varies_ = false;  // some source varies()
    std::uint64_t saved_edition_ = 0;
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
