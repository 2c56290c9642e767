#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/definition.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/name_index.hpp"
#include "gateway/catalog/plan.hpp"
#include "mcp/protocol/uri_template.hpp"

namespace gantry::gateway {

/// An item of a source with its public name. Immutable once it is in a catalog; later catalogs share it.
struct Entry {
    ItemPtr item;
    SourceNumber source = 0;
    NamePlace place = {};
    /// Lost its name to another item: visible only in its source's own scope.
    bool hidden = false;
    /// False: its x-mcp-header annotations are unusable, so it must be hidden from modern clients.
    bool for_modern = true;
    std::string name = {};
    std::optional<mcp::UriTemplate> pattern = {};  // templates

    // Computed once, so that a change of a long list costs no work on what stays.
    std::uint64_t own_hash = 0;
    std::uint64_t name_hash = 0;
    std::uint64_t definition_digest = 0;
    std::uint64_t public_digest = 0;  // of the definition under the public name

    bool renamed() const noexcept { return name != item->name; }
    void set_name(std::string given);
};
using EntryPtr = std::shared_ptr<const Entry>;

std::uint64_t name_hash(std::string_view name) noexcept;
/// For the index of own names, which holds those of all sources.
std::uint64_t own_name_hash(SourceNumber source, std::string_view own) noexcept;

/// The entries of one kind: consecutive for each source, in its own order.
struct EntryTable {
    std::vector<EntryPtr> entries;
    /// By source, where its entries begin; one more at the end.
    std::vector<std::uint32_t> begin;
    /// By public name, without the hidden ones; by source and own name. Shared by catalogs with the same names.
    std::shared_ptr<const NameIndex> by_name;
    std::shared_ptr<const NameIndex> by_own;

    std::optional<std::uint32_t> named(std::string_view name) const;
    /// All entries of one source.
    std::vector<std::uint32_t> of(SourceNumber source) const;
    std::optional<std::uint32_t> own(SourceNumber source, std::string_view own_name) const;
    void index();
};
using EntryTables = std::array<EntryTable, kItemKinds>;

/// Collects problems for the operator, up to a readable number.
class ProblemList {
public:
    void add(std::string_view source, std::string what);
    std::vector<CatalogProblem> take() &&;

private:
    static constexpr std::size_t kMaxPerSource = 20;
    std::vector<CatalogProblem> problems_;
    std::map<std::string, std::size_t, std::less<>> counts_;
};

/// An entry without a name yet; null when the definition has no usable one. `fault`: why it is hidden from modern
/// clients.
std::shared_ptr<Entry> make_entry(ItemPtr item, SourceNumber source, std::string& fault);
/// Tools and prompts have names, which have to fit; resources and templates have URIs.
bool has_names(ItemKind kind) noexcept;
/// The name the item gets unless another item has it.
std::string wanted_name(const CatalogPlan& plan, const Entry& entry);
/// For messages: "tool 'x'". Untrusted names are shortened.
std::string quoted_name(ItemKind kind, std::string_view name);

/// The permitted and usable items of all sources, with their names.
struct Named {
    EntryTables tables;
    /// By source: beyond its share.
    std::vector<LeftOut> left_out;
    bool any_hidden = false;
};
/// Takes the items that the sources' rules permit, up to each source's fair share, and names them: first those that
/// have a name in the book, then the others in the order of the sources.
Named name_entries(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, NameBook& names,
                   ProblemList& problems);

}  // namespace gantry::gateway
