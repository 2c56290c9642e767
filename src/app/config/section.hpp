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

/// One map of settings: each key is asked for by name; at the end, keys nobody asked for are refused with the nearest
/// one that exists.
///
/// The same calls, made without a file, are the description of the map: `gantry schema` and the tests of the manual
/// have every key, kind, default and description from here. So say what each key is for, in a sentence, where it is
/// read, and ask for all of them whatever the values of others are.
class Section {
public:
    /// A value that is no map is refused here; then the section is empty.
    explicit Section(Node node, std::string_view what = "a map of settings");
    Section(const Section&) = delete;
    ~Section();

    /// Empty when absent. What is read from the node inside is described there.
    std::optional<Node> find(std::string_view key, std::string_view description = {});
    bool has(std::string_view key) const;

    /// Puts the setting into `out`, which stays as it is when the key is absent or refused.
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
    /// Of a kind only this reader knows; the schema takes anything here.
    template <class T, class Out>
    void read(std::string_view key, Out& out, Setting<T> (*reader)(const Json&), std::string_view description = {}) {
        read(key, out, Kind<T>{reader, [] { return Json(JsonObject()); }, [](const T&) { return Json(); }},
             description);
    }
    /// Several words may mean the same.
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
    /// A map from names to texts. `use` takes one, or says what is wrong with it; `names` is a pattern for the schema.
    using UseText = std::function<std::string_view(const std::string& name, std::string value)>;
    void read_map(std::string_view key, std::string_view names, const UseText& use, std::string_view description = {});

    /// Another spelling of a key; to be said before that is read. Both in one map are refused.
    void alias(std::string_view key, std::string_view other);
    /// Other programs' settings that mean nothing here.
    void ignore(std::string_view key);

    /// Refuses the map when the key is absent.
    void require(std::string_view key, std::string_view what);
    /// Refuses the map unless it has one of the two, not both. True: it does.
    bool require_one(std::string_view a, std::string_view b, std::string_view none, std::string_view both);
    /// Refuses `key` where `other` is absent.
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
    /// The spelling of `key` that is there; null: none.
    const JsonObject::Member* spelt(std::string_view key) const;
    /// "`key` is there, however it is spelt", for the schema.
    Json present(std::string_view key) const;

    Node node_;
    const JsonObject* object_;
    std::set<std::string_view> known_;
    std::vector<std::pair<std::string_view, std::string_view>> aliases_;  // key, other spelling
};

}  // namespace gantry::app
