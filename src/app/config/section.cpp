#include "app/config/section.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gantry::app {

namespace {

/// Lower case, without what people put between words.
std::string folded(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (c == '_' || c == '-') continue;
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

/// How many letters have to be added, dropped or changed.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

/// A key as it may be shown: short, printable.
std::string shown(std::string_view key) {
    constexpr std::size_t kLongest = 40;
    std::string out;
    for (const char c : key.substr(0, kLongest)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    if (key.size() > kLongest) out += "…";
    return out;
}

}  // namespace

std::string_view nearest(std::string_view word, const std::set<std::string_view>& known) {
    if (word.size() > 64) return {};
    const std::string meant = folded(word);
    std::string_view best;
    std::size_t least = std::max<std::size_t>(1, meant.size() / 3) + 1;
    for (const std::string_view candidate : known) {
        if (const std::size_t d = distance(meant, folded(candidate)); d < least) {
            least = d;
            best = candidate;
        }
    }
    return best;
}

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
    // At one place in the order they were found.
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

Section::Section(Node node, std::string_view what) : node_(std::move(node)), object_(node_.json.if_object()) {
    if (object_ == nullptr) node_.refuse("expected " + std::string(what));
}

Section::~Section() {
    if (object_ == nullptr) return;
    for (const auto& [key, value] : *object_) {
        if (known_.contains(key)) continue;
        const std::string_view meant = nearest(key, known_);
        node_.member(key, value)
            .refuse(meant.empty() ? "unknown key" : "unknown key; did you mean '" + std::string(meant) + "'?");
    }
}

std::optional<Node> Section::find(std::string_view key) {
    known_.insert(key);
    const Json* value = object_ == nullptr ? nullptr : object_->find(key);
    if (value == nullptr) return std::nullopt;
    return node_.member(key, *value);
}

bool Section::has(std::string_view key) {
    return find(key).has_value();
}

void Section::read_list(std::string_view key, std::vector<std::string>& out) {
    const auto node = find(key);
    if (!node) return;
    if (node->json.is_string()) {
        out = {*node->json.if_string()};
        return;
    }
    if (!node->json.is_array()) return node->refuse("expected a list of texts");
    std::vector<std::string> read;
    for (std::size_t i = 0; i < node->json.if_array()->size(); ++i) {
        const Node element = node->element(i);
        if (auto text = read_text(element.json)) {
            read.push_back(*std::move(text));
        } else {
            element.refuse(text.error());
        }
    }
    out = std::move(read);
}

std::optional<std::size_t> Section::choice(std::string_view key, const std::vector<std::string_view>& words) {
    const auto node = find(key);
    if (!node) return std::nullopt;
    const std::string* text = node->json.if_string();
    const auto found = text == nullptr ? words.end() : std::ranges::find(words, *text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string what = "expected one of: ";
    for (const std::string_view word : words) what.append(word == words.front() ? "" : ", ").append(word);
    node->refuse(what);
    return std::nullopt;
}

}  // namespace gantry::app
