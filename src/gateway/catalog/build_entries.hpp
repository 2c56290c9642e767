#pragma once

#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gateway/catalog/catalog.hpp"
#include "gateway/catalog/definition.hpp"
#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/uri_template.hpp"

namespace gantry::gateway {

/// Maps a name to its index in a list of entries.
using NameIndex = std::unordered_map<std::string_view, std::uint32_t, NameHash, std::equal_to<>>;

/// An item of a source with its public name.
struct Entry {
    ItemPtr item;
    std::uint32_t source = 0;
    NamePlace place = {};
    /// Lost its name to another item: visible only in its source's own scope.
    bool hidden = false;
    /// False: its x-mcp-header annotations are unusable, so it must be hidden from modern clients.
    bool for_modern = true;
    std::string name = {};
    std::optional<UriTemplate> pattern = {};  // templates

    bool renamed() const noexcept { return name != item->name; }
};

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

/// The contents of a catalog: the permitted and usable items of all sources, with their names.
struct Stock {
    using Entries = std::vector<Entry>;
    std::array<Entries, kItemKinds> entries;
    /// By public name, without the hidden ones.
    std::array<NameIndex, kItemKinds> by_name;
    /// By source: beyond its share.
    std::vector<LeftOut> left_out;
    /// By source and own name.
    std::vector<std::array<NameIndex, kItemKinds>> by_own;
};

/// Takes the items that the sources' rules permit, up to each source's fair share, and names them: first those that
/// have a name in the book, then the others in the order of the sources.
Stock build_entries(const std::vector<SourceEntry>& sources, const CatalogRules& rules, NameBook& names,
                    ProblemList& problems);

}  // namespace gantry::gateway
