#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/values.hpp"
#include "app/config/yaml.hpp"

namespace gantry::app {

/// All that is wrong with a file, in the order of its lines.
class Faults {
public:
    Faults(const YamlDocument& document, std::string origin) : document_(document), origin_(std::move(origin)) {}

    /// `pointer` leads to the part at fault, `path` says so to people: "servers[2].timeout".
    void add(const std::string& pointer, const std::string& path, const std::string& what);
    bool empty() const noexcept { return faults_.empty(); }
    /// One line each: "gantry.yaml:7:5: servers[2].timeout: expected …".
    std::string text() const;

private:
    struct Fault {
        Mark at;
        std::string line;
    };
    static constexpr std::size_t kMaxTold = 50;
    const YamlDocument& document_;
    std::string origin_;
    std::vector<Fault> faults_;
};

/// A value in the file together with the way to it.
struct Node {
    const Json& json;
    std::string pointer;
    std::string path;
    Faults& faults;

    void refuse(const std::string& what) const { faults.add(pointer, path, what); }
    Node member(std::string_view key, const Json& value) const;
    Node element(std::size_t index) const;
};

/// One map of settings: each key is asked for by name; at the end, keys nobody asked for are refused with the nearest
/// one that exists.
class Section {
public:
    /// A value that is no map is refused here; then the section is empty.
    explicit Section(Node node, std::string_view what = "a map of settings");
    Section(const Section&) = delete;
    ~Section();

    /// Empty when absent.
    std::optional<Node> find(std::string_view key);
    bool has(std::string_view key);

    /// Puts the setting into `out`, which stays as it is when the key is absent or refused.
    template <class T, class Out>
    void read(std::string_view key, Out& out, Setting<T> (*reader)(const Json&)) {
        const auto node = find(key);
        if (!node) return;
        if (auto value = reader(node->json)) {
            out = *std::move(value);
        } else {
            node->refuse(value.error());
        }
    }
    template <class E>
    void choose(std::string_view key, E& out, std::initializer_list<std::pair<std::string_view, E>> choices) {
        std::vector<std::string_view> words;
        for (const auto& [word, value] : choices) words.push_back(word);
        if (const auto place = choice(key, words)) out = (choices.begin() + *place)->second;
    }
    /// A list of texts, or a single one.
    void read_list(std::string_view key, std::vector<std::string>& out);
    /// Other programs' settings that mean nothing here.
    void ignore(std::string_view key) { known_.insert(key); }

    const Node& node() const noexcept { return node_; }

private:
    std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string_view>& words);

    Node node_;
    const JsonObject* object_;
    std::set<std::string_view> known_;
};

/// The one of `known` that `word` was probably meant to be; empty: none is near.
std::string_view nearest(std::string_view word, const std::set<std::string_view>& known);

}  // namespace gantry::app
