#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/ports/source.hpp"
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
    /// How long the first lists wait for sources that are still starting.
    Duration settle = seconds(10);
    /// Names given out before, and told again whenever they change.
    NameBook names = NameBook();
    std::function<void(const NameBook&)> save_names = {};
    std::function<void(const CatalogProblem&)> on_problem = {};
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
    /// Stops every source, all at once, in bounded time; required before destruction.
    Task<void> stop();

    const CatalogPtr& catalog() const noexcept { return catalog_; }
    std::shared_ptr<Source> find(std::string_view name) const;
    const std::vector<Registered>& sources() const noexcept { return sources_; }

    /// Returns when every source has answered once or failed, or after the settle time.
    Task<Result<void>> settled(const Context& ctx);
    bool is_settled() const noexcept { return settled_.is_set(); }

    using Tell = std::function<void(const CatalogChange&)>;

    /// One caller's interest in a scope; ends when destroyed. `tell` hears list changes always, updates of what it
    /// follows.
    class Watch {
    public:
        Watch(Registry& registry, std::string scope, Tell tell);
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
        Registry& registry_;
        std::string scope_;
        Tell tell_;
        std::set<std::pair<std::string, std::string>> followed_;  // source, own URI
        std::map<std::string, std::pair<std::string, std::string>> by_uri_;
        std::map<std::string, TaskPlace> by_task_;
    };

private:
    using Digests = std::map<std::string, std::array<std::uint64_t, kItemKinds>>;

    using Announced = std::map<std::string, Kinds>;  // by source

    Task<void> rebuild_loop();
    /// The catalog until now.
    CatalogPtr rebuild();
    Task<void> let_go(const Context& ctx);
    void tell_lists(const Catalog& before, const Announced& announced);
    void on_change(const std::string& source, const SourceChange& change);
    void tell_updated(const std::string& source, const SourceChange& change);
    void tell_task(const std::string& source, const SourceChange& change);
    void note_settling();
    Task<std::set<std::string>> follow_at(const Context& ctx, std::string source);
    std::set<std::string> wanted_at(const std::string& source) const;
    Task<std::set<std::string>> follow_tasks_at(const Context& ctx, std::string source);

    std::vector<Registered> sources_;
    RegistryOptions options_;
    CatalogPtr catalog_;
    std::uint64_t saved_edition_ = 0;
    std::set<Watch*> watches_;
    std::set<std::string> unsettled_;
    std::set<std::string> reported_;     // problems told already
    std::set<std::string> left_behind_;  // sources that still follow what nobody wants any more
    bool outdated_ = false;              // the catalog is
    Announced announced_;                // and not passed on yet
    Event dirty_;
    Event settled_;
    Scope scope_;
};

}  // namespace gantry::gateway
