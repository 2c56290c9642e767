#include "app/config/section.hpp"

#include "base/nearest.hpp"

namespace gantry::app {

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

const JsonObject::Member* Section::spelt(std::string_view key) const {
    const auto member = [this](std::string_view name) -> const JsonObject::Member* {
        if (object_ == nullptr) return nullptr;
        const auto found = std::ranges::find(*object_, name, &JsonObject::Member::first);
        return found == object_->end() ? nullptr : &*found;
    };
    if (const auto* own = member(key)) return own;
    for (const auto& [canonical, other] : aliases_) {
        if (canonical != key) continue;
        if (const auto* found = member(other)) return found;
    }
    return nullptr;
}

std::optional<Node> Section::find(std::string_view key, const About& about) {
    known_.insert(key);
    const Reload reload = about.reload().value_or(node_.reload);
    if (node_.shape != nullptr) {
        Shape& shape = node_.shape->key(key);
        if (!about.text().empty()) shape.declare(about, reload);
        return Node{.json = node_.json,
                    .pointer = node_.pointer,
                    .path = node_.path,
                    .faults = node_.faults,
                    .shape = &shape,
                    .reload = reload};
    }
    const auto* found = spelt(key);
    if (found == nullptr) return std::nullopt;
    Node node = node_.member(found->first, found->second);
    node.reload = reload;
    if (node.record != nullptr) node.place = node_.place_of(key);
    return node;
}

void Section::record(const Node& node, const About& about, const Json& usual, const Json& value) {
    const Reload reload = about.reload().value_or(node.reload);
    if (node.record != nullptr) node.record->note(node.place, reload, about, usual, value);
}

bool Section::has(std::string_view key) const {
    return spelt(key) != nullptr;
}

void Section::alias(std::string_view key, std::string_view other) {
    known_.insert(other);
    if (node_.shape != nullptr) node_.shape->alias(key, other);
    const auto* first = spelt(key);
    aliases_.emplace_back(key, other);
    const Json* second = object_ == nullptr ? nullptr : object_->find(other);
    if (first != nullptr && second != nullptr) {
        node_.member(other, *second).refuse("means the same as '" + first->first + "'; keep one of them");
    }
}

void Section::ignore(std::string_view key) {
    known_.insert(key);
    if (node_.shape != nullptr) node_.shape->key(key).describe("Of other programs; has no meaning here.");
}

Json Section::present(std::string_view key) const {
    JsonArray any{JsonObject{{"required", JsonArray{key}}}};
    for (const auto& [canonical, other] : aliases_) {
        if (canonical == key) any.push_back(JsonObject{{"required", JsonArray{other}}});
    }
    if (any.size() == 1) return any.front();
    return JsonObject{{"anyOf", std::move(any)}};
}

Json Section::is_one_of(std::string_view key, std::span<const std::string_view> words) const {
    std::string description = "One of:";
    for (const std::string_view word : words) description.append(" ").append(word);
    const Json values = JsonObject{{"enum", JsonArray(words.begin(), words.end())}, {"description", description}};
    const auto is = [&values](std::string_view name) {
        return JsonObject{{"required", JsonArray{name}}, {"properties", JsonObject{{std::string(name), values}}}};
    };
    JsonArray any{is(key)};
    for (const auto& [canonical, other] : aliases_) {
        if (canonical == key) any.push_back(is(other));
    }
    return JsonObject{{"anyOf", std::move(any)}};
}

void Section::require(std::string_view key, std::string_view what) {
    if (node_.shape != nullptr) {
        node_.shape->must(present(key));
    } else if (object_ != nullptr && !has(key)) {
        node_.refuse(std::string(what));
    }
}

bool Section::require_one(std::string_view a, std::string_view b, std::string_view none, std::string_view both) {
    if (node_.shape != nullptr) {
        node_.shape->must(JsonObject{{"oneOf", JsonArray{present(a), present(b)}}});
        return true;
    }
    if (object_ == nullptr) return false;
    if (has(a) != has(b)) return true;
    node_.refuse(std::string(has(a) ? both : none));
    return false;
}

void Section::only_with(std::string_view key, std::string_view other, std::string_view what) {
    if (node_.shape != nullptr) {
        node_.shape->must(JsonObject{{"if", present(key)}, {"then", present(other)}});
    } else if (const auto* found = spelt(key); found != nullptr && !has(other)) {
        node_.member(found->first, found->second).refuse(std::string(what));
    }
}

void Section::only_when(std::string_view key, bool holds, Json when, std::string_view what) {
    if (node_.shape != nullptr) {
        node_.shape->must(JsonObject{{"if", present(key)}, {"then", std::move(when)}});
    } else if (const auto* found = spelt(key); found != nullptr && !holds) {
        node_.member(found->first, found->second).refuse(std::string(what));
    }
}

void Section::read_list(std::string_view key, std::vector<std::string>& out, const About& about) {
    read_texts_of(key, out, read_texts, about);
}

void Section::read_patterns(std::string_view key, std::vector<std::string>& out, const About& about) {
    Kind<std::vector<std::string>> patterns = read_texts;
    patterns.type = "patterns";
    read_texts_of(key, out, patterns, about);
}

void Section::read_texts_of(std::string_view key, std::vector<std::string>& out,
                            const Kind<std::vector<std::string>>& kind, const About& about) {
    const auto node = find(key, about);
    if (!node) return;
    if (node->shape != nullptr) return tell(*node->shape, kind, out);
    const Json usual = kind.show(out);
    const JsonArray* list = node->json.if_array();
    if (list == nullptr) {
        auto text = kind.read(node->json);
        if (!text) return node->refuse(text.error());
        out = *std::move(text);
        return record(*node, about, usual, kind.show(out));
    }
    std::vector<std::string> read;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const Node element = node->element(i);
        if (auto text = read_text(element.json)) {
            read.push_back(*std::move(text));
        } else {
            element.refuse(text.error());
        }
    }
    out = std::move(read);
    record(*node, about, usual, kind.show(out));
}

void Section::read_map(std::string_view key, std::string_view names, const UseText& use, const About& about) {
    const auto node = find(key, about);
    if (!node) return;
    if (node->shape != nullptr) {
        node->shape->member(JsonObject{{"pattern", names}}).may_be(read_text.schema());
        return;
    }
    const JsonObject* map = node->json.if_object();
    if (map == nullptr) return node->refuse("expected a map from names to texts");
    JsonObject read;
    for (const auto& [name, value] : *map) {
        const Node member = node->member(name, value);
        auto text = read_text(value);
        if (!text) {
            member.refuse(text.error());
            continue;
        }
        read.set(name, *text);
        if (const std::string_view fault = use(name, *std::move(text)); !fault.empty()) {
            // Without the name: it may contain more than a name.
            node->faults.add(member.pointer, node->path, std::string(fault));
        }
    }
    record(*node, about, JsonObject(), std::move(read));
}

std::optional<std::size_t> Section::choice(std::string_view key, const std::vector<std::string_view>& words,
                                           const std::vector<std::string_view>& canonical, std::string_view usual,
                                           const About& about) {
    const auto node = find(key, about);
    if (!node) return std::nullopt;
    if (node->shape != nullptr) {
        node->shape->may_be_word(words, canonical);
        node->shape->may_refer();
        if (!usual.empty()) node->shape->set_default(usual);
        return std::nullopt;
    }
    const std::string* text = node->json.if_string();
    const auto found = text == nullptr ? words.end() : std::ranges::find(words, *text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    std::string what = "expected one of: ";
    for (const std::string_view word : words) what.append(word == words.front() ? "" : ", ").append(word);
    node->refuse(what);
    return std::nullopt;
}

}  // namespace gantry::app
