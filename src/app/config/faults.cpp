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
    return {value, pointer + "/" + pointer_part(key), path + (path.empty() ? "" : ".") + shown(key), faults};
}

Node Node::element(std::size_t index) const {
    return {*json.at(index), pointer + "/" + std::to_string(index), path + "[" + std::to_string(index) + "]", faults};
}

}  // namespace gantry::app
