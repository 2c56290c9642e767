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

/// Place in a list of entries by a name.
using NameIndex = std::unordered_map<std::string_view, std::uint32_t, NameHash, std::equal_to<>>;

/// One thing of one source with its public name.
struct Entry {
    ItemPtr item;
    std::uint32_t shelf = 0;
    NamePlace place = {};
    /// Lost its name to another: only in its source's own scope.
    bool hidden = false;
    /// False: its x-mcp-header marks are unusable, so modern clients must not see it.
    bool for_modern = true;
    std::string name = {};
    std::optional<UriTemplate> pattern = {};  // templates

    bool renamed() const noexcept { return name != item->name; }
};

/// Collects what operators should know; not more than they can read.
class ProblemList {
public:
    void add(std::string_view source, std::string what);
    std::vector<CatalogProblem> take() &&;

private:
    static constexpr std::size_t kMaxPerSource = 20;
    std::vector<CatalogProblem> problems_;
    std::map<std::string, std::size_t, std::less<>> counts_;
};

/// What a catalog holds: the permitted and usable things of all shelves, named.
struct Stock {
    using Entries = std::vector<Entry>;
    std::array<Entries, kItemKinds> entries;
    /// By public name, without the hidden ones.
    std::array<NameIndex, kItemKinds> by_name;
    /// By shelf: beyond its share.
    std::vector<LeftOut> left_out;
    /// By shelf and own name.
    std::vector<std::array<NameIndex, kItemKinds>> by_own;
};

/// Takes what the shelves' rules permit, not more than each shelf's fair share, and gives it names: first those that
/// have one in the book, then the others in the order of the shelves.
Stock stock_shelves(const std::vector<Shelf>& shelves, const CatalogRules& rules, NameBook& names,
                    ProblemList& problems);

}  // namespace gantry::gateway
