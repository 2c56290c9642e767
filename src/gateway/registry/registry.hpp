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

/// A source and how its things are named and chosen.
struct Registered {
    std::shared_ptr<Source> source;
    /// Empty: own names stay.
    std::string prefix = {};
    std::vector<std::string> allow = {};
    std::vector<std::string> deny = {};
    /// The gateway does not start without it.
    bool required = false;
};

/// How a source stands.
struct Standing {
    std::string name;
    SourceState state = SourceState::kIdle;
    /// What it offers is in the lists, and a call may be made.
    bool active = false;
    /// A connection stands now; one that is asleep has none and is active all the same.
    bool connected = false;
    /// Why it is not; empty when it is.
    std::string trouble = {};
};

/// Something callers of one scope may want to know.
struct CatalogChange {
    enum class Kind : std::uint8_t { kTools, kPrompts, kResources, kUpdated, kTask };
    Kind kind = Kind::kTools;
    std::string uri = {};  // kUpdated: the public one
    Json task = {};        // kTask: under the id it was followed by
};

struct RegistryOptions {
    std::vector<GroupSpec> groups = {};
    CatalogRules rules = {};
    /// Changes are gathered for this long before a new catalog is built.
    Duration gather = milliseconds(20);
    /// How long the registry waits for the first answer of sources that are still starting before it counts as settled.
    Duration settle = seconds(10);
    /// Names given out before, and told again whenever they change.
    NameBook names = NameBook();
    std::function<void(const NameBook&)> save_names = {};
    std::function<void(const CatalogProblem&)> on_problem = {};
    /// Hears of sources and catalogs. Null: nobody does.
    EventSink* events = nullptr;
    /// What of a source's things is shown, asked whenever a catalog is built; unset: all.
    std::function<InventoryPtr(const std::string& source, InventoryPtr offered)> inspect = {};
};

/// A caller whose view of the catalog has to be known for longer than one call.
struct Viewer {
    std::shared_ptr<const Principal> principal;
    ClientTraits client;
    bool reachable = false;

    Audience audience() const noexcept { return {*principal, client, reachable}; }
};

/// The supply street: keeps the sources, builds a new catalog beside the old one whenever one of them changes, swaps it
/// in and tells who is interested. No call waits for it. Belongs to one loop.
class Registry {
public:
    Registry(std::vector<Registered> sources, RegistryOptions options);
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    void start();
    /// Stops every source in bounded time, the last one first, none waiting for another; required before destruction.
    Task<void> stop();

    /// Other sources, groups and rules from now on. Sources that stay go on undisturbed; new ones have been started.
    /// The new catalog is in force when this returns, and whoever watches has been told. Gives back those that are
    /// gone: calls may still be running there, and stopping them is the caller's.
    [[nodiscard]] std::vector<std::shared_ptr<Source>> replace(std::vector<Registered> sources,
                                                               std::vector<GroupSpec> groups, CatalogRules rules);

    /// What callers see for whom no source has anything of its own.
    const CatalogPtr& catalog() const noexcept { return catalog_; }
    /// What this caller sees. The reference is good until something is awaited.
    const CatalogPtr& catalog_for(const Audience& audience);
    /// Catalogs besides the common one; for tests and diagnostics.
    std::size_t views() const noexcept { return views_.size(); }
    /// Every source knows what it offers this caller, as far as it can.
    bool is_surveyed(const Audience& audience) const;
    /// Has every source find out what it offers this caller; returns when is_surveyed() or when the context ends.
    Task<void> survey(const Context& ctx, const Audience& audience);
    std::shared_ptr<Source> find(std::string_view name) const;
    const std::vector<Registered>& sources() const noexcept { return sources_; }

    /// Returns when every source has listed what it offers (or its last known list is offered) or has failed, or after
    /// the settle time.
    Task<Result<void>> settled(const Context& ctx);
    /// The same for the sources of one scope: "servers/NAME" does not wait for other servers.
    Task<Result<void>> settled(const Context& ctx, std::string_view scope);
    /// Until settled: returns when a source has given its first answer or failed.
    Task<Result<void>> progress(const Context& ctx) { return progress_.wait(ctx); }
    /// Waits for every source that is required: an Error names those that cannot be reached. Returns at once when none
    /// is.
    Task<Result<void>> require(const Context& ctx);
    /// In the order of the configuration.
    std::vector<Standing> standing() const;
    /// Sources that are not connected and wait before their next attempt make it now. How many.
    std::size_t reconnect();
    /// What is shown may be different now: builds a new catalog soon.
    void refresh();
    /// What sources have told so far is in the catalog when this returns, and whoever watches has been told.
    void catch_up();
    bool is_settled() const noexcept { return settled_.is_set(); }
    bool is_settled(std::string_view scope) const;
    /// Settled, and every required source has been tried. Stays true once it is.
    bool is_ready() const;
    /// Sources that have not given their first answer yet, in alphabetical order.
    const std::set<std::string>& starting() const noexcept { return unsettled_; }

    using Tell = std::function<void(const CatalogChange&)>;

    /// One caller's interest in a scope; ends when destroyed. `tell` hears list changes always, updates of what it
    /// follows.
    class Watch {
    public:
        /// Without a viewer: the lists as callers see them for whom no source has anything of its own.
        Watch(Registry& registry, std::string scope, Tell tell, std::optional<Viewer> viewer = std::nullopt);
        ~Watch();
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

        /// By public URI. kNotFound when nobody offers it or its source does not tell about changes.
        Task<Result<void>> follow(const Context& ctx, std::string uri);
        Task<void> unfollow(const Context& ctx, std::string uri);

        /// A task a caller may see, by its source's name and own id there.
        struct TaskPlace {
            std::string source;
            std::string own_id;
            auto operator<=>(const TaskPlace&) const = default;
        };
        /// By the ids the caller knows. Returns those that will be told about.
        Task<std::set<std::string>> follow_tasks(const Context& ctx, std::map<std::string, TaskPlace> by_id);
        const std::string& scope() const noexcept { return scope_; }

    private:
        friend class Registry;
        CatalogPtr now() const;

        Registry& registry_;
        std::string scope_;
        Tell tell_;
        std::optional<Viewer> viewer_;
        CatalogPtr seen_;                                         // what it has been told about
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
    /// The catalog until now.
    CatalogPtr rebuild();
    Task<void> let_go(const Context& ctx);
    std::vector<Shelf> shelves() const;
    /// Tells every watch what is different from what it has seen, or was announced.
    void tell_lists(const Announced& announced, const std::vector<Whisper>& whispers);
    void on_change(const std::string& source, const SourceChange& change);
    void tell_updated(const std::string& source, const SourceChange& change);
    void tell_task(const std::string& source, const SourceChange& change);
    void note_variation();
    void note_settling();
    /// From here on names that were given out stay.
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
    bool varies_ = false;  // some source does
    std::uint64_t saved_edition_ = 0;
    std::set<Watch*> watches_;
    std::set<std::string> unsettled_;
    std::set<std::string> reported_;     // problems told already
    std::set<std::string> left_behind_;  // sources that still follow what nobody wants any more
    bool outdated_ = false;              // the catalog is
    Announced announced_;                // and not passed on yet
    std::vector<Whisper> whispers_;      // the same
    Event dirty_;
    Event settled_;
    Event moved_;     // a source's state
    Event progress_;  // unsettled_ shrank
    Scope scope_;
};

}  // namespace gantry::gateway
