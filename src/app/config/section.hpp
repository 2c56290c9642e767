#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/faults.hpp"
#include "app/config/shape.hpp"
#include "app/config/values.hpp"

namespace gantry::app {

/// Reads one map of settings: each key is read by name; at the end, keys that were not read are refused, with the
/// nearest existing one as a suggestion.
///
/// The same calls, made without a file, produce the description of the map: `gantry schema` and the tests of the manual
/// take every key, kind, default and description from here. So describe each key in a sentence where it is read, and
/// read all keys unconditionally, whatever the values of others are.
class Section {
public:
    /// A value that is not a map is refused here; the section is then empty.
    explicit Section(Node node, std::string_view what = "a map of settings");
    Section(const Section&) = delete;
    ~Section();

    /// Empty when absent. Nested settings are described where they are read from the node.
    std::optional<Node> find(std::string_view key, std::string_view description = {});
    bool has(std::string_view key) const;

    /// Reads the setting into `out`, which is unchanged when the key is absent or refused.
    template <class T, class Out>
    void read(std::string_view key, Out& out, const Kind<T>& kind, std::string_view description = {}) {
        const auto node = find(key, description);
        if (!node) return;
        if (node->shape != nullptr) return tell(*node->shape, kind, out);
        if (auto value = kind.read(node->json)) {
            out = *std::move(value);
        } else {
            node->refuse(value.error());
        }
    }
    /// For a kind that only this reader understands; the schema accepts anything here.
    template <class T, class Out>
    void read(std::string_view key, Out& out, Setting<T> (*reader)(const Json&), std::string_view description = {}) {
        read(key, out, Kind<T>{reader, [] { return Json(JsonObject()); }, [](const T&) { return Json(); }},
             description);
    }
    /// Several words may map to the same value.
    template <class E>
    void choose(std::string_view key, E& out, std::initializer_list<std::pair<std::string_view, E>> choices,
                std::string_view description = {}) {
        std::vector<std::string_view> words;
        for (const auto& [word, value] : choices) words.push_back(word);
        const auto* now = std::ranges::find(choices, out, &std::pair<std::string_view, E>::second);
        const std::string_view otherwise = now == choices.end() ? std::string_view() : now->first;
        if (const auto place = choice(key, words, otherwise, description)) out = (choices.begin() + *place)->second;
    }
    /// A list of texts, or a single one.
    void read_list(std::string_view key, std::vector<std::string>& out, std::string_view description = {});
    /// A map from names to texts. `use` consumes one, or returns what is wrong with it; `names` is a pattern for the
    /// schema.
    using UseText = std::function<std::string_view(const std::string& name, std::string value)>;
    void read_map(std::string_view key, std::string_view names, const UseText& use, std::string_view description = {});

    /// Declares another spelling of a key; call it before the key is read. Both spellings in one map are refused.
    void alias(std::string_view key, std::string_view other);
    /// Accepts a key of other programs that has no meaning here.
    void ignore(std::string_view key);

    /// Refuses the map when the key is absent.
    void require(std::string_view key, std::string_view what);
    /// Refuses the map unless exactly one of the two is present. True: one is.
    bool require_one(std::string_view a, std::string_view b, std::string_view none, std::string_view both);
    /// Refuses `key` if `other` is absent.
    void only_with(std::string_view key, std::string_view other, std::string_view what);

    const Node& node() const noexcept { return node_; }

private:
    template <class T, class Out>
    static void tell(Shape& shape, const Kind<T>& kind, const Out& now) {
        shape.may_be(kind.schema());
        if (kind.schema() != read_text.schema() && kind.schema() != read_texts.schema()) shape.may_refer();
        if constexpr (std::same_as<T, Out>) {
            const Json shown = kind.show(now);
            if (shown != Json("") && shown != Json(JsonArray())) shape.set_default(shown);
        }
    }
    std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string_view>& words,
                                      std::string_view otherwise, std::string_view description);
    /// The member under any spelling of `key`; null: absent.
    const JsonObject::Member* spelt(std::string_view key) const;
    /// "`key` is present in some spelling", for the schema.
    Json present(std::string_view key) const;

    Node node_;
    const JsonObject* object_;
    std::set<std::string_view> known_;
    std::vector<std::pair<std::string_view, std::string_view>> aliases_;  // key, other spelling
};

}  // namespace gantry::app
