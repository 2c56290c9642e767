#include "gateway/registry/summary.hpp"

#include <algorithm>
#include <array>

namespace gantry::gateway {
namespace {

constexpr std::size_t kMostNames = 12;
constexpr std::size_t kLongestSentence = 200;
constexpr std::size_t kLongestName = 64;

/// "1 tool", "3 tools".
std::string counted(std::size_t count, std::string_view what) {
    return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

/// One line of untrusted text, truncated between characters.
std::string plain(std::string_view text, std::size_t most) {
    std::string out;
    for (const char c : text.substr(0, most)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    if (text.size() <= most) return out;
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xc0) out.pop_back();
    return out + "…";
}

std::string first_sentence(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    for (const std::string_view end : {". ", ".\n", "\n"}) text = text.substr(0, text.find(end));
    while (text.ends_with('.')) text.remove_suffix(1);
    return plain(text, kLongestSentence);
}

std::string offer_of(const Inventory& inventory) {
    static constexpr std::array<std::string_view, kItemKinds> kWords = {"tool", "prompt", "resource",
                                                                        "resource template"};
    std::array<std::size_t, kItemKinds> counts{};
    for (const ItemPtr& item : inventory.items) ++counts[static_cast<std::size_t>(item->kind)];
    std::string out;
    for (std::size_t kind = 0; kind < kItemKinds; ++kind) {
        if (counts[kind] == 0) continue;
        out.append(out.empty() ? "" : ", ").append(counted(counts[kind], kWords[kind]));
    }
    return out.empty() ? "nothing yet" : out;
}

std::string names_of(const Inventory& inventory) {
    std::string out;
    std::size_t told = 0, tools = 0;
    for (const ItemPtr& item : inventory.items) {
        if (item->kind != ItemKind::kTool) continue;
        if (++tools > kMostNames) continue;
        out.append(told++ == 0 ? "" : ", ").append(plain(item->name, kLongestName));
    }
    if (tools > told) out.append(" and ").append(std::to_string(tools - told)).append(" more");
    return out;
}

bool usable(const Source& source) noexcept {
    return source.state() == SourceState::kReady || source.state() == SourceState::kAsleep;
}

std::string line_of(const Registered& entry) {
    const Source& source = *entry.source;
    std::string line = "- " + plain(source.name(), kLongestName);
    const InventoryPtr inventory = source.inventory();
    if (inventory->instructions) {
        if (const std::string sentence = first_sentence(*inventory->instructions); !sentence.empty())
            line.append(" (").append(sentence).append(")");
    }
    if (source.state() == SourceState::kDown) return line + " cannot be used at the moment.";
    if (!usable(source) && inventory->items.empty()) return line + " is still starting.";
    line.append(" offers ").append(offer_of(*inventory));
    if (const std::string names = names_of(*inventory); !names.empty()) line.append(": ").append(names);
    return line + ".";
}

}  // namespace

std::string capability_summary(std::span<const Registered> sources) {
    if (sources.empty()) return "No servers are connected.";
    const auto ready = std::ranges::count_if(sources, [](const Registered& entry) { return usable(*entry.source); });
    std::string out = std::to_string(ready) + " of " + counted(sources.size(), "server") + " can be used:";
    for (const Registered& entry : sources) out.append("\n").append(line_of(entry));
    return out;
}

}  // namespace gantry::gateway
