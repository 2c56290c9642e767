#include "gateway/catalog/selection.hpp"

#include "gateway/catalog/name_book.hpp"
#include "gateway/catalog/shares.hpp"

namespace gantry::gateway {
namespace {

std::size_t limit_of(ItemKind kind, const CatalogRules& rules) noexcept {
    return kind == ItemKind::kTool ? rules.max_tools : rules.max_others;
}

}  // namespace

Selection::Selection(const CatalogPlan& plan, const std::vector<InventoryPtr>& inventories, const NameBook& names)
    : taken_(inventories.size()), left_out_(inventories.size()) {
    std::array<std::vector<std::size_t>, kItemKinds> wanted;
    for (auto& of_kind : wanted) of_kind.resize(inventories.size());
    for (SourceNumber s = 0; s < inventories.size(); ++s) {
        const auto& items = inventories[s]->items;
        taken_[s].resize(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            taken_[s][i] = plan.permits(s, items[i]->name);
            if (taken_[s][i]) ++wanted[static_cast<std::size_t>(items[i]->kind)][s];
        }
    }
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        const auto shares = fair_shares(wanted[kind], limit_of(static_cast<ItemKind>(kind), plan.rules()));
        for (std::size_t s = 0; s < inventories.size(); ++s) {
            left_out_[s][kind] = wanted[kind][s] - shares[s];
            if (left_out_[s][kind] != 0)
                cut(plan.sources()[s].name, *inventories[s], s, static_cast<ItemKind>(kind), shares[s], names);
        }
    }
}

void Selection::cut(const std::string& source, const Inventory& inventory, std::size_t number, ItemKind kind,
                    std::size_t share, const NameBook& names) {
    const auto& items = inventory.items;
    std::vector<std::size_t> newcomers;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i]->kind != kind || !taken_[number][i]) continue;
        if (!names.knows(kind, source, items[i]->name)) {
            newcomers.push_back(i);
        } else if (share > 0) {
            --share;
        } else {
            taken_[number][i] = false;
        }
    }
    for (std::size_t n = share; n < newcomers.size(); ++n) taken_[number][newcomers[n]] = false;
}

std::string surplus_text(std::size_t left_out, ItemKind kind, const CatalogRules& rules) {
    constexpr std::array<const char*, kItemKinds> kWords = {"tools", "prompts", "resources", "resource templates"};
    const bool tools = kind == ItemKind::kTool;
    return std::to_string(left_out) + " " + kWords[static_cast<std::size_t>(kind)] +
           " are left out: all servers together may have " + std::to_string(limit_of(kind, rules)) +
           (tools ? " (max_tools)" : "") + ", and the largest are cut; deny what is not needed" +
           (tools ? " or raise max_tools" : "");
}

}  // namespace gantry::gateway
