#include "app/config/faults.hpp"

#include <algorithm>
#include <tuple>

namespace gantry::app {

namespace {

/// A key in displayable form: short and printable.
std::string shown(std::string_view key) {
    constexpr std::size_t kLongest = 40;
    std::string out;
    for (const char c : key.substr(0, kLongest)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    if (key.size() > kLongest) out += "…";
    return out;
}

}  // namespace

void Faults::add(const std::string& pointer, const std::string& path, const std::string& what) {
    const Mark at = document_.place_of(pointer);
    std::string line = origin_;
    if (at.line != 0) line += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    line += ": ";
    if (!path.empty()) line += path + ": ";
    faults_.push_back({at, line + what});
}

std::string Faults::text() const {
    std::vector<const Fault*> sorted;
    for (const Fault& fault : faults_) sorted.push_back(&fault);
    // Faults at one position stay in the order in which they were found.
    std::ranges::sort(sorted, {},
                      [](const Fault* fault) { return std::tuple(fault->at.line, fault->at.column, fault); });
    std::string out;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMaxTold); ++i) {
        out.append(out.empty() ? "" : "\n").append(sorted[i]->line);
    }
    if (sorted.size() > kMaxTold) out += "\n… and " + std::to_string(sorted.size() - kMaxTold) + " more";
    return out;
}

Node Node::member(std::string_view key, const Json& value) const {
    return {.json = value,
            .pointer = pointer + "/" + pointer_part(key),
            .path = path + (path.empty() ? "" : ".") + shown(key),
            .faults = faults,
            .reload = reload,
            .record = record,
            .place = record == nullptr ? SettingRecord::Place() : place_of(key),
            .is_unit = is_unit};
}

Node Node::element(std::size_t index) const {
    const std::string suffix = "[" + std::to_string(index) + "]";
    return {.json = *json.at(index),
            .pointer = pointer + "/" + std::to_string(index),
            .path = path + suffix,
            .faults = faults,
            .reload = reload,
            .record = record,
            .place = {.key = place.key + suffix, .shown = place.shown},
            .is_unit = true};
}

SettingRecord::Place Node::place_of(std::string_view key) const {
    SettingRecord::Place inner{.key = place.key + (place.key.empty() ? "" : ".") + std::string(key),
                               .shown = place.shown};
    if (!is_unit) inner.shown = inner.key;
    return inner;
}

Node Node::as_entry(std::string_view name) const {
    Node entry = *this;
    entry.place.key = entry.place.shown = name;
    entry.is_unit = true;
    return entry;
}

}  // namespace gantry::app
