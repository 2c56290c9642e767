#pragma once

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/scope.hpp"

namespace gantry::gateway {

/// The contents of a catalog. Nothing in it changes after it was built, except for the memo of rendered pages.
class Catalog::Impl {
public:
    static std::unique_ptr<const Impl> build(CatalogPlanPtr plan, std::vector<InventoryPtr> inventories,
                                             NameBook& names);

    const CatalogPlanPtr& plan() const noexcept { return plan_; }
    const Scope* scope(std::string_view name) const;
    const std::vector<CatalogProblem>& problems() const noexcept { return problems_; }
    LeftOut left_out(std::string_view source) const;

    // lookup.cpp
    std::optional<Found> find(ItemKind kind, const Scope& scope, std::string_view name) const;
    std::string public_uri(std::string_view source_name, std::string_view own_uri) const;

    // listing.cpp
    Result<Page> list(ItemKind kind, const Scope& scope, mcp::Revision revision,
                      std::optional<std::string_view> cursor) const;
    Page plain_tools(const Scope& scope) const;
    std::vector<std::string_view> names(ItemKind kind, const Scope& scope, mcp::Revision revision,
                                        std::size_t most) const;
    bool draws_on(const Scope& scope, ItemKind kind, std::string_view source) const;

    // merging.cpp
    mcp::ServerCapabilities capabilities(const Scope& scope) const;
    std::optional<std::string> instructions(const Scope& scope) const;
    mcp::Implementation presented_as(const Scope& scope) const;

private:
    friend class CatalogUpdate;  // update.cpp: builds one from another

    const EntryTable& table(ItemKind kind) const { return tables_[static_cast<std::size_t>(kind)]; }
    const std::string& name_of(SourceNumber source) const { return plan_->sources()[source].name; }
    void note_renamed_uris();

    std::optional<Found> find_listed(ItemKind kind, const Scope& scope, std::string_view name) const;
    std::optional<Found> find_in_source(SourceNumber source, std::string_view own_uri) const;
    std::optional<Found> find_by_template(const Scope& scope, std::string_view uri) const;
    std::optional<Found> find_lone(const Scope& scope, std::string_view uri) const;

    Result<std::size_t> place_after(ItemKind kind, const Scope& scope, const std::vector<std::uint32_t>& order,
                                    std::string_view name) const;
    Page make_page(ItemKind kind, const Scope& scope, mcp::Revision revision, std::size_t begin, std::size_t end) const;
    void append_entry(const Scope& scope, const Entry& entry, mcp::Revision revision, std::string& out) const;
    void append_stamps(ItemKind kind, const Scope& scope, std::string& out) const;
    std::int64_t promised_ttl(ItemKind kind, SourceNumber source) const;

    CatalogPlanPtr plan_;
    std::vector<InventoryPtr> inventories_;
    EntryTables tables_;
    std::vector<LeftOut> left_out_;
    bool any_hidden_ = false;
    std::vector<bool> has_renamed_uris_;  // by source
    std::vector<Scope> scopes_;
    std::vector<CatalogProblem> problems_;
};

}  // namespace gantry::gateway
