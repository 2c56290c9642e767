#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/config/about.hpp"
#include "app/config/faults.hpp"
#include "app/config/shape.hpp"
#include "app/config/values.hpp"

namespace gantry::app {

/// Reads one map of settings: each key is read by name; at the end, keys that were not read are refused, with the
/// nearest existing one as a suggestion.
///
/// The same calls, made without a file, produce the description of the map: `gantry schema` and the reference in the
/// manual take every key, kind, default, description and reload behaviour from here. So describe each key in a sentence
/// where it is read, and read all keys unconditionally, whatever the values of others are. A key has the reload
/// behaviour of its section, which has that of the section around it, unless its About says otherwise.
class Section {
public:
    /// A value that is not a map is refused here; the section is then empty.
    explicit Section(Node node, std::string_view what = "a map of settings");
    Section(const Section&) = delete;
    ~Section();

    /// Empty when absent. Nested settings are described where they are read from the node. A value that the caller
    /// takes out of the node itself is not recorded unless the caller does it (Node::record).
    std::optional<Node> find(std::string_view key, const About& about = {});
    bool has(std::string_view key) const;

    /// Reads the setting into `out`, which is unchanged when the key is absent or refused.
    template <class T, class Out>
    void read(std::string_view key, Out& out, const Kind<T>& kind, const About& about = {}) {
        const auto node = find(key, about);
        if (!node) return;
        if (node->shape != nullptr) return tell(*node->shape, kind, out);
        const Json usual = shown(kind, out);
        if (auto value = kind.read(node->json)) {
            out = *std::move(value);
            record(*node, about, usual, shown(kind, out));
        } else {
            node->refuse(value.error());
        }
    }
    /// Several words may map to the same value; the first of them is the one that the reference names.
    template <class E>
    void choose(std::string_view key, E& out, std::initializer_list<std::pair<std::string_view, E>> choices,
                const About& about = {}) {
        const auto word_of = [&choices](E value) {
            const auto* found = std::ranges::find(choices, value, &std::pair<std::string_view, E>::second);
            return found == choices.end() ? std::string_view() : found->first;
        };
        std::vector<std::string_view> words, canonical;
        for (const auto& [word, value] : choices) {
            words.push_back(word);
            if (word_of(value) == word) canonical.push_back(word);
        }
        const std::string_view usual = word_of(out);
        const auto place = choice(key, words, canonical, usual, about);
        if (!place) return;
        out = (choices.begin() + *place)->second;
        if (const auto node = find(key)) record(*node, about, usual, word_of(out));
    }
    /// A list of texts, or a single one.
    void read_list(std::string_view key, std::vector<std::string>& out, const About& about = {});
    /// The same for texts with wildcards.
    void read_patterns(std::string_view key, std::vector<std::string>& out, const About& about = {});
    /// A map from names to texts. `use` consumes one, or returns what is wrong with it; `names` is a pattern for the
    /// schema.
    using UseText = std::function<std::string_view(const std::string& name, std::string value)>;
    void read_map(std::string_view key, std::string_view names, const UseText& use, const About& about = {});

    /// Until the guard ends, a change of the keys that are read takes effect like this, unless a key says otherwise.
    class [[nodiscard]] ReloadGuard {
    public:
        ReloadGuard(Section& section, Reload reload) noexcept
            : section_(section), before_(std::exchange(section.node_.reload, reload)) {}
        ReloadGuard(const ReloadGuard&) = delete;
        ~ReloadGuard() { section_.node_.reload = before_; }

    private:
        Section& section_;
        Reload before_;
    };
    ReloadGuard keys_apply(Reload reload) noexcept { return {*this, reload}; }

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

    /// Refuses `key` unless `holds`; `when` says the same for the schema.
    void only_when(std::string_view key, bool holds, Json when, std::string_view what);
    /// "`key` is present in some spelling", for the schema.
    Json present(std::string_view key) const;
    /// "`key` is present in some spelling, as one of `words`", for the schema.
    Json is_one_of(std::string_view key, std::span<const std::string_view> words) const;

    const Node& node() const noexcept { return node_; }

private:
    /// In the canonical form of its kind, so that equal values look alike however they are spelt; null: no value.
    template <class T, class Out>
    static Json shown(const Kind<T>& kind, const Out& out) {
        if constexpr (std::same_as<Out, std::optional<T>>) {
            return out ? kind.show(*out) : Json();
        } else {
            return kind.show(out);
        }
    }
    template <class T, class Out>
    static void tell(Shape& shape, const Kind<T>& kind, const Out& now) {
        shape.add_type(kind.type);
        shape.may_be(kind.schema());
        if (kind.schema() != read_text.schema() && kind.schema() != read_texts.schema()) shape.may_refer();
        const Json value = shown(kind, now);
        if (value != Json("") && value != Json(JsonArray())) shape.set_default(value);
    }
    static void record(const Node& node, const About& about, const Json& usual, const Json& value);
    void read_texts_of(std::string_view key, std::vector<std::string>& out, const Kind<std::vector<std::string>>& kind,
                       const About& about);
    std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string_view>& words,
                                      const std::vector<std::string_view>& canonical, std::string_view usual,
                                      const About& about);
    /// The member under any spelling of `key`; null: absent.
    const JsonObject::Member* spelt(std::string_view key) const;

    Node node_;
    const JsonObject* object_;
    std::set<std::string_view> known_;
    std::vector<std::pair<std::string_view, std::string_view>> aliases_;  // key, other spelling
};

}  // namespace gantry::app
