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

/// One source's part in a catalog: what it offers, and how its things are named and chosen.
struct Shelf {
    std::string source_name;
    std::shared_ptr<Source> source;
    InventoryPtr inventory;
    /// Empty: own names stay.
    std::string prefix = {};
    std::vector<std::string> allow = {};
    std::vector<std::string> deny = {};
};

/// Public names given out before: whoever has a name keeps it, whatever arrives later. See name_book.hpp.
class NameBook;

struct CatalogRules {
    OnCollision on_collision = OnCollision::kSuffix;
    std::size_t page_size = 1000;
    /// Tools of all sources together. Places are shared max-min fair between the sources, see fair_shares().
    std::size_t max_tools = 100'000;
    /// The same for prompts, for resources and for templates, each.
    std::size_t max_others = 100'000;
    /// What results carry as `_meta.io.modelcontextprotocol/serverInfo`, and initialize says.
    mcp::Implementation self;
    std::optional<std::string> instructions = {};
    /// The most a list may promise to stay true.
    std::int64_t max_ttl_ms = 300'000;
};

/// How many things of each kind were left out, by ItemKind.
using LeftOut = std::array<std::size_t, kItemKinds>;

/// Something an operator should know: a collision, an unusable name, a group that names nothing.
struct CatalogProblem {
    std::string source;
    std::string what;
};

/// What callers see: every source's things under their public names. Immutable; a new one is built beside it and
/// swapped in. Lists are made once per scope and revision, then handed out as the same bytes.
///
/// Used on one loop (lists are filled in on first use).
class Catalog {
public:
    static std::shared_ptr<const Catalog> build(std::vector<Shelf> shelves, std::vector<GroupSpec> groups,
                                                const CatalogRules& rules, NameBook& names);
    ~Catalog();

    struct Found {
        std::shared_ptr<Source> source;
        ItemPtr item;          // null when only a template covers the URI
        std::string own_name;  // what the source calls it
    };
    /// By public name or URI, in a scope ("" all, "servers/NAME", "groups/NAME"). Lookup, never splitting. A resource
    /// no source lists goes to the one whose template matches it, then to a lone source that offers resources.
    std::optional<Found> find(ItemKind kind, std::string_view scope, std::string_view name) const;

    bool has_scope(std::string_view scope) const;
    std::vector<std::string> scopes() const;

    /// One page as the result object of the list method, in `revision`'s terms. kInvalidArgument for a cursor that was
    /// not made here.
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
    /// As whom the scope presents itself: the gateway, in the scope of a single server under that server's title,
    /// description, icons and website.
    mcp::Implementation presented_as(std::string_view scope) const;
    /// The public URI of a source's own one, and the reverse of what find() did; empty: not in the catalog.
    std::string public_uri(std::string_view source_name, std::string_view own_uri) const;

    const std::vector<CatalogProblem>& problems() const noexcept;
    /// Things of one source beyond its share of the catalog; zeros when all of them are in it.
    LeftOut left_out(std::string_view source_name) const;
    /// Different whenever a list of that kind differs, in any scope or revision.
    std::uint64_t digest(ItemKind kind, std::string_view scope) const;
    std::size_t size(ItemKind kind, std::string_view scope) const;
    /// Whether that source has a hand in the scope's list of that kind.
    bool draws_on(std::string_view scope, ItemKind kind, std::string_view source_name) const;

private:
    class Impl;
    explicit Catalog(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

using CatalogPtr = std::shared_ptr<const Catalog>;

}  // namespace gantry::gateway
