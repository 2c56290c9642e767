#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/mcp/lifecycle.hpp"
#include "gateway/model/call.hpp"
#include "gateway/model/item.hpp"
#include "gateway/model/source_spec.hpp"

namespace gantry::gateway {

/// The position of a source in the configuration a catalog was built for.
using SourceNumber = std::uint32_t;

/// How one source's items are named and filtered.
struct PlannedSource {
    std::string name;
    /// Empty: items keep their own names.
    std::string prefix = {};
    std::vector<std::string> allow = {};
    std::vector<std::string> deny = {};
};

/// What a configuration says about catalogs. See plan.hpp.
class CatalogPlan;
using CatalogPlanPtr = std::shared_ptr<const CatalogPlan>;

/// Public names assigned before: an item keeps its name, whatever arrives later. See name_book.hpp.
class NameBook;

struct CatalogRules {
    OnCollision on_collision = OnCollision::kSuffix;
    std::size_t page_size = 1000;
    /// Limit on the tools of all sources together, divided max-min fair between the sources; see fair_shares().
    std::size_t max_tools = 100'000;
    /// The same for prompts, for resources and for templates, each.
    std::size_t max_others = 100'000;
    /// The identity in `_meta.io.modelcontextprotocol/serverInfo` of results and in initialize.
    mcp::Implementation self;
    std::optional<std::string> instructions = {};
    /// The longest lifetime a list may promise.
    std::int64_t max_ttl_ms = 300'000;
};

/// Number of items left out, by ItemKind.
using LeftOut = std::array<std::size_t, kItemKinds>;

/// A message for the operator: a collision, an unusable name, a group that matches nothing.
struct CatalogProblem {
    std::string source;
    std::string what;
};

class Catalog;
using CatalogPtr = std::shared_ptr<const Catalog>;

/// All sources' items under their public names. Immutable, and usable from any thread: a new catalog is built beside
/// the old one and swapped in. Lists are rendered once per scope and revision, then served as the same bytes.
class Catalog {
public:
    /// `inventories`: by source number; null: nothing is known of what the source offers. `before` may speed the build
    /// up: what has not changed since is shared with it.
    static CatalogPtr build(CatalogPlanPtr plan, std::vector<InventoryPtr> inventories, NameBook& names,
                            const Catalog* before = nullptr);
    ~Catalog();

    const CatalogPlanPtr& plan() const noexcept;

    /// Borrowed from the catalog, and `own_name` of an unlisted item from the name that was looked up.
    struct Found {
        SourceNumber source = 0;
        const Item* item = nullptr;  // null when only a template covers the URI
        std::string_view own_name;   // its name at the source
    };
    /// Finds an item by public name or URI in a scope ("" all, "servers/NAME", "groups/NAME"). A lookup: names are
    /// never split. A resource that no source lists goes to the source whose template matches it, then to a lone source
    /// that offers resources.
    std::optional<Found> find(ItemKind kind, std::string_view scope, std::string_view name) const;

    bool has_scope(std::string_view scope) const;
    const std::vector<std::string>& scopes() const noexcept;

    /// One page as the result object of the list method, in `revision`'s terms. Fails with kInvalidArgument for a
    /// cursor that this gateway did not issue.
    Result<std::shared_ptr<const std::string>> list(ItemKind kind, std::string_view scope, mcp::Revision revision,
                                                    std::optional<std::string_view> cursor) const;
    /// The plain list of GET /mcp/tools: `{"tools":[{"name","description","server","inputSchema"}…]}`.
    std::shared_ptr<const std::string> plain_tools(std::string_view scope) const;

    /// The first `most` public names of that kind in the scope, as `revision`'s clients see them.
    std::vector<std::string_view> names(ItemKind kind, std::string_view scope, mcp::Revision revision,
                                        std::size_t most) const;

    /// Merged over the scope's sources.
    mcp::ServerCapabilities capabilities(std::string_view scope) const;
    std::optional<std::string> instructions(std::string_view scope) const;
    /// The identity of the scope: the gateway, in the scope of a single server with that server's title, description,
    /// icons and website.
    mcp::Implementation presented_as(std::string_view scope) const;
    /// Converts a source's own URI to the public one, the reverse of find(); empty if it is not in the catalog.
    std::string public_uri(std::string_view source_name, std::string_view own_uri) const;

    const std::vector<CatalogProblem>& problems() const noexcept;
    /// Number of items of one source beyond its share of the catalog; zeros if all of them are in it.
    LeftOut left_out(std::string_view source_name) const;
    /// Changes whenever a list of that kind changes, in any scope or revision.
    std::uint64_t digest(ItemKind kind, std::string_view scope) const;
    std::size_t size(ItemKind kind, std::string_view scope) const;
    /// Returns whether that source contributes to the scope's list of that kind.
    bool draws_on(std::string_view scope, ItemKind kind, std::string_view source_name) const;

private:
    friend class CatalogUpdate;
    class Impl;
    explicit Catalog(std::unique_ptr<const Impl> impl);
    std::unique_ptr<const Impl> impl_;
};

}  // namespace gantry::gateway
