#include "gateway/catalog/entries.hpp"

#include <numeric>

#include "gateway/catalog/names.hpp"
#include "gateway/catalog/stable_hash.hpp"
#include "mcp/protocol/headers.hpp"

namespace gantry::gateway {
namespace {

constexpr std::array<std::string_view, kItemKinds> kWords = {"tool", "prompt", "resource", "resource template"};

/// Why the tool must be hidden from modern clients; empty: it need not be.
std::string header_fault(const Item& item) {
    // Very few tools have such annotations, so very few are parsed. The key may be spelt with escapes.
    if (!item.text.contains("x-mcp-header") && !item.text.contains("\\u00")) return {};
    const auto definition = Json::parse(item.text);
    if (!definition) return {};
    const Json* schema = definition->find("inputSchema");
    if (schema == nullptr) return {};
    auto marked = mcp::header_params(*schema);
    return marked ? std::string() : marked.error().message();
}

}  // namespace

void Entry::set_name(std::string given) {
    name = std::move(given);
    name_hash = gateway::name_hash(name);
    public_digest = stable_hash(name, definition_digest);
}

std::uint64_t name_hash(std::string_view name) noexcept {
    return NameHash()(name);
}

std::uint64_t own_name_hash(SourceNumber source, std::string_view own) noexcept {
    return NameHash()(own) + source * 0x9E37'79B9'7F4A'7C15;
}

std::optional<std::uint32_t> EntryTable::named(std::string_view name) const {
    return by_name->find(name_hash(name), [&](std::uint32_t e) { return entries[e]->name == name; });
}

std::optional<std::uint32_t> EntryTable::own(SourceNumber source, std::string_view own_name) const {
    return by_own->find(own_name_hash(source, own_name), [&](std::uint32_t e) {
        return entries[e]->source == source && entries[e]->item->name == own_name;
    });
}

std::vector<std::uint32_t> EntryTable::of(SourceNumber source) const {
    std::vector<std::uint32_t> all(begin[source + 1] - begin[source]);
    std::iota(all.begin(), all.end(), begin[source]);
    return all;
}

void EntryTable::index() {
    NameIndex names(entries.size());
    NameIndex owns(entries.size());
    for (std::uint32_t e = 0; e < entries.size(); ++e) {
        if (!entries[e]->hidden) names.insert(entries[e]->name_hash, e);
        owns.insert(entries[e]->own_hash, e);
    }
    by_name = std::make_shared<const NameIndex>(std::move(names));
    by_own = std::make_shared<const NameIndex>(std::move(owns));
}

void ProblemList::add(std::string_view source, std::string what) {
    auto count = counts_.find(source);
    if (count == counts_.end()) count = counts_.emplace(source, 0).first;
    if (++count->second <= kMaxPerSource) problems_.push_back({std::string(source), std::move(what)});
}

std::vector<CatalogProblem> ProblemList::take() && {
    for (const auto& [source, count] : counts_) {
        if (count <= kMaxPerSource) continue;
        problems_.push_back({source, "and " + std::to_string(count - kMaxPerSource) + " more like these"});
    }
    return std::move(problems_);
}

std::shared_ptr<Entry> make_entry(ItemPtr item, SourceNumber source, std::string& fault) {
    const auto place = item->name.empty() ? std::nullopt : find_name(*item);
    if (!place) return nullptr;
    auto entry = std::make_shared<Entry>();
    entry->source = source;
    entry->place = *place;
    entry->own_hash = own_name_hash(source, item->name);
    entry->definition_digest = stable_hash(item->text, static_cast<std::uint64_t>(item->revision));
    if (item->kind == ItemKind::kTemplate) {
        if (auto pattern = mcp::UriTemplate::parse(item->name)) entry->pattern = *std::move(pattern);
    }
    if (item->kind == ItemKind::kTool) fault = header_fault(*item);
    entry->for_modern = fault.empty();
    entry->item = std::move(item);
    return entry;
}

bool has_names(ItemKind kind) noexcept {
    return kind == ItemKind::kTool || kind == ItemKind::kPrompt;
}

std::string wanted_name(const CatalogPlan& plan, const Entry& entry) {
    if (!has_names(entry.item->kind)) return entry.item->name;
    const PlannedSource& source = plan.sources()[entry.source];
    return plain_name(source.prefix, source.name, entry.item->name);
}

std::string quoted_name(ItemKind kind, std::string_view name) {
    constexpr std::size_t kShown = 80;
    std::string out(kWords[static_cast<std::size_t>(kind)]);
    out.append(" '").append(name.substr(0, kShown)).append(name.size() > kShown ? "…'" : "'");
    return out;
}

}  // namespace gantry::gateway
