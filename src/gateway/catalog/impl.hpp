#pragma once

#include "gateway/catalog/build_entries.hpp"
#include "gateway/catalog/catalog.hpp"
#include "gateway/policy/rules.hpp"

namespace gantry::gateway {

using Page = std::shared_ptr<const std::string>;

/// Items of one kind in one scope, with the lists rendered so far. Sorted by the names they have there; the scope of a
/// single server keeps that server's order.
struct ScopeListing {
    std::vector<std::uint32_t> order;
    /// The order without items that modern clients must not see; filled only if there are any.
    std::vector<std::uint32_t> modern_order;
    bool modern_differs = false;
    /// Sources that contribute to the list: they have such items, or may have.
    std::vector<std::uint32_t> parts;

    mutable std::array<std::vector<Page>, mcp::kAllRevisions.size()> pages;
    mutable std::optional<std::uint64_t> digest;

    const std::vector<std::uint32_t>& for_client(mcp::Revision revision) const noexcept {
        return modern_differs && mcp::is_modern(revision) ? modern_order : order;
    }
};

struct Scope {
    enum class Kind : std::uint8_t { kAll, kServer, kGroup };
    Kind kind = Kind::kAll;
    std::string name = {};                    // "", "servers/NAME", "groups/NAME"
    std::vector<std::uint32_t> sources = {};  // sources that are in it as a whole
    /// Groups: single tools beyond those of `sources`, indexed by entry.
    std::vector<bool> tools = {};
    std::array<ScopeListing, kItemKinds> listings = {};
    mutable Page plain = {};

    bool has_source(std::uint32_t source) const noexcept;
    bool has(ItemKind item_kind, std::uint32_t entry_index, const Entry& entry) const noexcept {
        if (kind == Kind::kAll || has_source(entry.source)) return true;
        return item_kind == ItemKind::kTool && entry_index < tools.size() && tools[entry_index];
    }
    const ScopeListing& listing(ItemKind item_kind) const { return listings[static_cast<std::size_t>(item_kind)]; }
};

class Catalog::Impl {
public:
    Impl(std::vector<SourceEntry> sources, std::vector<GroupSpec> groups, const CatalogRules& rules, NameBook& names);

    const Scope* scope(std::string_view name) const;
    const std::vector<Scope>& scopes() const noexcept { return scopes_; }
    const std::vector<CatalogProblem>& problems() const noexcept { return problems_; }
    LeftOut left_out(std::string_view source) const;

    // lookup.cpp
    std::optional<Found> find(ItemKind kind, const Scope& scope, std::string_view name) const;
    std::string public_uri(std::string_view source, std::string_view own_uri) const;

    // scopes.cpp
    bool draws_on(const Scope& scope, ItemKind kind, std::string_view source) const;

    // listing.cpp
    Result<Page> list(ItemKind kind, const Scope& scope, mcp::Revision revision,
                      std::optional<std::string_view> cursor) const;
    Result<std::size_t> place_after(ItemKind kind, const Scope& scope, const std::vector<std::uint32_t>& order,
                                    std::string_view name) const;
    Page plain_tools(const Scope& scope) const;
    std::vector<std::string_view> names(ItemKind kind, const Scope& scope, mcp::Revision revision,
                                        std::size_t most) const;
    std::uint64_t digest(ItemKind kind, const Scope& scope) const;

    // merging.cpp
    mcp::ServerCapabilities capabilities(const Scope& scope) const;
    std::optional<std::string> instructions(const Scope& scope) const;
    mcp::Implementation presented_as(const Scope& scope) const;

private:
    const Stock::Entries& entries(ItemKind kind) const { return stock_.entries[static_cast<std::size_t>(kind)]; }
    std::string_view name_in(const Scope& scope, const Entry& entry) const noexcept {
        return scope.kind == Scope::Kind::kServer ? std::string_view(entry.item->name) : std::string_view(entry.name);
    }
    bool offers(std::uint32_t source, ItemKind kind) const;

    // scopes.cpp
    void add_scope(Scope scope);
    void line_up(Scope& scope) const;
    Scope group_scope(const GroupSpec& group, ProblemList& problems) const;

    std::optional<Found> find_listed(ItemKind kind, const Scope& scope, std::string_view name) const;
    std::optional<Found> find_in_source(std::uint32_t source, std::string_view own_uri) const;
    std::optional<Found> find_by_template(const Scope& scope, std::string_view uri) const;
    std::optional<Found> find_lone(const Scope& scope, std::string_view uri) const;
    Found unlisted(std::uint32_t source, std::string_view own_uri) const;
    bool permitted(std::uint32_t source, std::string_view own_name) const;

    Page make_page(ItemKind kind, const Scope& scope, mcp::Revision revision, std::size_t begin, std::size_t end) const;
    void append_entry(const Scope& scope, const Entry& entry, mcp::Revision revision, std::string& out) const;
    void append_stamps(ItemKind kind, const Scope& scope, std::string& out) const;
    std::int64_t promised_ttl(ItemKind kind, std::uint32_t source) const;

    std::vector<SourceEntry> sources_;
    CatalogRules rules_;
    std::string self_text_;  // serverInfo
    Stock stock_;
    NameIndex source_by_name_;
    std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>> source_by_tag_;
    std::vector<Rules> permitted_;
    std::vector<bool> has_renamed_uris_;
    std::vector<Scope> scopes_;
    NameIndex scope_by_name_;
    std::vector<CatalogProblem> problems_;
};

}  // namespace gantry::gateway
