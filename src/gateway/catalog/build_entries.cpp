#include "gateway/catalog/build_entries.hpp"

#include "gateway/catalog/names.hpp"
#include "gateway/catalog/selection.hpp"
#include "gateway/policy/rules.hpp"
#include "mcp/protocol/headers.hpp"

namespace gantry::gateway {

namespace {

constexpr std::array<std::string_view, kItemKinds> kWords = {"tool", "prompt", "resource", "resource template"};

std::string quoted(ItemKind kind, std::string_view name) {
    // Untrusted names end up in logs.
    constexpr std::size_t kShown = 80;
    std::string out(kWords[static_cast<std::size_t>(kind)]);
    out.append(" '").append(name.substr(0, kShown)).append(name.size() > kShown ? "…'" : "'");
    return out;
}

bool has_names(ItemKind kind) noexcept {
    return kind == ItemKind::kTool || kind == ItemKind::kPrompt;
}

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

/// Assigns names to all entries of one kind.
class Namer {
public:
    Namer(ItemKind kind, const std::vector<SourceEntry>& sources, const CatalogRules& rules, NameBook& names,
          Stock& stock, ProblemList& problems)
        : kind_(kind),
          sources_(sources),
          rules_(rules),
          names_(names),
          entries_(stock.entries[static_cast<std::size_t>(kind)]),
          taken_(stock.by_name[static_cast<std::size_t>(kind)]),
          problems_(problems) {}

    void run() {
        for (std::uint32_t s = 0; s < sources_.size(); ++s) source_of_.emplace(sources_[s].source_name, s);
        taken_.reserve(entries_.size());
        std::vector<std::string> wishes;
        std::vector<std::uint32_t> newcomers;
        for (std::uint32_t e = 0; e < entries_.size(); ++e) {
            std::string wanted = wish(entries_[e]);
            const std::string* name = names_.given(kind_, source(entries_[e]), entries_[e].item->name, wanted);
            if (name != nullptr) {
                settle(e, *name);
            } else {
                newcomers.push_back(e);
                wishes.push_back(std::move(wanted));
            }
        }
        for (std::size_t i = 0; i < newcomers.size(); ++i) admit(newcomers[i], std::move(wishes[i]));
    }

private:
    const std::string& source(const Entry& entry) const { return sources_[entry.source].source_name; }

    std::string wish(const Entry& entry) const {
        if (!has_names(kind_)) return entry.item->name;
        return plain_name(sources_[entry.source].prefix, source(entry), entry.item->name);
    }

    void settle(std::uint32_t e, std::string name) {
        Entry& entry = entries_[e];
        entry.name = std::move(name);
        taken_.emplace(entry.name, e);
    }

    void admit(std::uint32_t e, std::string wanted) {
        const Entry& entry = entries_[e];
        const std::string_view rival = owner(wanted, source(entry));
        std::string name = rival.empty() ? wanted : other_name(entry, wanted, rival);
        if (name.empty()) {
            entries_[e].hidden = true;
            return;
        }
        names_.give(kind_, source(entry), entry.item->name, std::move(wanted), name);
        settle(e, std::move(name));
    }

    /// The source that holds `name`; empty: it is free. The name of an item that is gone is free for others, unless its
    /// source is configured and merely down: its clients would then reach another source under that name.
    std::string_view owner(std::string_view name, std::string_view asking) const {
        if (const auto has = taken_.find(name); has != taken_.end()) return source(entries_[has->second]);
        const std::string_view had = names_.holder(kind_, name);
        if (had.empty() || had == asking) return {};
        const auto source = source_of_.find(had);
        return source != source_of_.end() && sources_[source->second].inventory->items.empty() ? had
                                                                                               : std::string_view();
    }

    /// The alternative name for the later item; empty: it is hidden.
    std::string other_name(const Entry& entry, const std::string& wanted, std::string_view rival) {
        const std::string& own = entry.item->name;
        const std::string& mine = source(entry);
        std::vector<std::string> offers;
        if (!has_names(kind_)) {
            if (rules_.on_collision == OnCollision::kSuffix) offers = {uri_tag(mine) + own};
        } else if (rival == mine) {
            // Caused by our own mapping: the source's names differ in characters that both became `_`.
            offers = {hashed_name(wanted, mine, own)};
        } else if (rules_.on_collision == OnCollision::kSuffix) {
            offers = {suffixed_name(wanted, mine, own), hashed_name(wanted, mine, own)};
        }
        for (std::string& offer : offers) {
            if (!owner(offer, mine).empty()) continue;
            if (rival != mine) {
                problems_.add(mine, quoted(kind_, wanted) + " is taken by server '" + std::string(rival) +
                                        "'; offered as '" + offer + "'");
            }
            return std::move(offer);
        }
        problems_.add(mine, quoted(kind_, wanted) + " is taken by server '" + std::string(rival) + "'; left out");
        return {};
    }

    const ItemKind kind_;
    const std::vector<SourceEntry>& sources_;
    const CatalogRules& rules_;
    NameBook& names_;
    Stock::Entries& entries_;
    NameIndex& taken_;
    ProblemList& problems_;
    NameIndex source_of_;
};

}  // namespace

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

Stock build_entries(const std::vector<SourceEntry>& sources, const CatalogRules& rules, NameBook& names,
                    ProblemList& problems) {
    Stock stock;
    stock.by_own.resize(sources.size());
    const Selection chosen(sources, rules, names);
    stock.left_out = chosen.left_out();
    for (std::uint32_t s = 0; s < sources.size(); ++s) {
        const SourceEntry& source = sources[s];
        for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
            if (stock.left_out[s][kind] != 0)
                problems.add(source.source_name,
                             surplus_text(stock.left_out[s][kind], static_cast<ItemKind>(kind), rules));
        }
        for (std::size_t i = 0; i < source.inventory->items.size(); ++i) {
            if (!chosen(s, i)) continue;
            const ItemPtr& item = source.inventory->items[i];
            const auto kind = static_cast<std::size_t>(item->kind);
            const auto place = item->name.empty() ? std::nullopt : find_name(*item);
            if (!place) {
                problems.add(source.source_name, quoted(item->kind, item->name) + " has no usable name; left out");
                continue;
            }
            auto& entries = stock.entries[kind];
            if (!stock.by_own[s][kind].emplace(item->name, static_cast<std::uint32_t>(entries.size())).second) {
                problems.add(source.source_name, quoted(item->kind, item->name) + " is listed twice; the first counts");
                continue;
            }
            Entry entry{.item = item, .source = s, .place = *place};
            if (item->kind == ItemKind::kTemplate) entry.pattern = UriTemplate::parse(item->name);
            if (item->kind == ItemKind::kTool) {
                if (const std::string fault = header_fault(*item); !fault.empty()) {
                    entry.for_modern = false;
                    problems.add(source.source_name,
                                 quoted(item->kind, item->name) + " is not shown to clients of 2026-07-28: " + fault);
                }
            }
            entries.push_back(std::move(entry));
        }
    }
    names.begin_round();
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        Namer(static_cast<ItemKind>(kind), sources, rules, names, stock, problems).run();
    }
    names.end_round();
    return stock;
}

}  // namespace gantry::gateway
