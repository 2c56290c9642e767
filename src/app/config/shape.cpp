#include "app/config/shape.hpp"

#include <algorithm>

namespace gantry::app {

void Shape::describe(std::string_view description) {
    if (description_.empty()) description_ = description;
}

void Shape::declare(const About& about, Reload reload) {
    if (declared_) return;
    describe(about.text());
    declared_ = true;
    about_ = about;
    reload_ = reload;
}

void Shape::add_type(std::string_view type) {
    if (std::ranges::find(types_, type) == types_.end()) types_.emplace_back(type);
}

void Shape::may_be(Json schema) {
    if (std::ranges::find(alternatives_, schema) == alternatives_.end()) alternatives_.push_back(std::move(schema));
}

void Shape::may_be_word(const std::vector<std::string_view>& words, const std::vector<std::string_view>& canonical) {
    for (const std::string_view word : canonical) add_type("`" + std::string(word) + "`");
    may_be(JsonObject{{"enum", JsonArray(words.begin(), words.end())}});
}

void Shape::may_refer() {
    if (references_) may_be(JsonObject{{"type", "string"}, {"pattern", "\\$\\{.+\\}"}});
}

Shape::Map& Shape::map() {
    if (!map_) map_ = std::make_unique<Map>();
    return *map_;
}

Shape& Shape::key(std::string_view key) {
    auto& keys = map().keys;
    const auto found = std::ranges::find(keys, key, [](const auto& entry) { return std::string_view(entry.first); });
    if (found != keys.end()) return *found->second;
    return *keys.emplace_back(key, child()).second;
}

void Shape::alias(std::string_view key, std::string_view other) {
    map().aliases.emplace_back(key, other);
}

void Shape::must(Json rule) {
    map().rules.push_back(std::move(rule));
}

Shape& Shape::element() {
    if (!element_) element_ = child();
    return *element_;
}

Shape& Shape::member(Json names) {
    names_ = std::move(names);
    if (!member_) member_ = child();
    return *member_;
}

Shape::Definition Shape::definition(std::string_view name) {
    may_be(JsonObject{{"$ref", "#/$defs/" + std::string(name)}});
    const auto [place, is_new] = definitions_->try_emplace(std::string(name));
    if (is_new) place->second = child();
    return {*place->second, is_new};
}

Json Shape::map_schema() const {
    JsonObject properties;
    for (const auto& [key, shape] : map_->keys) properties.set(key, shape->schema());
    JsonArray rules = map_->rules;
    for (const auto& [key, other] : map_->aliases) {
        const Json* same = properties.find(key);
        Json schema = same == nullptr ? Json(JsonObject()) : *same;
        schema.if_object()->set("description", "The same as `" + key + "`.");
        schema.if_object()->erase("x-gantry-type");  // it has no row of its own in the reference
        properties.set(other, std::move(schema));
        rules.push_back(JsonObject{{"not", JsonObject{{"required", JsonArray{key, other}}}}});
    }
    JsonObject schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!rules.empty()) schema.set("allOf", std::move(rules));
    return schema;
}

/// "`always`, `never`, or map".
std::string Shape::type() const {
    std::vector<std::string> types = types_;
    if (element_ && member_) {
        types.emplace_back("list or map");
    } else if (element_) {
        types.emplace_back("list");
    } else if (types.empty() && (map_ || member_)) {
        types.emplace_back("map");
    } else if (map_) {
        types.emplace_back("map");
    }
    std::string text;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (i > 0) text += i + 1 < types.size() ? ", " : types.size() == 2 ? " or " : ", or ";
        text += types[i];
    }
    return text;
}

JsonObject Shape::annotations() const {
    JsonObject out;
    if (!declared_) return out;
    out.set("x-gantry-type", type());
    if (!about_.default_words().empty()) out.set("x-gantry-default", about_.default_words());
    // The keys of a mere section say it themselves.
    if (map_ && alternatives_.empty() && !element_ && !member_) return out;
    out.set("x-gantry-reload", to_string(reload_));
    if (!about_.exception().empty()) {
        out.set("x-gantry-reload-note", "to or from `" + std::string(about_.exception()) +
                                            "`: " + std::string(to_string(about_.exception_reload())));
    } else if (!about_.with().empty()) {
        out.set("x-gantry-reload-note",
                "with `" + std::string(about_.with()) + "`: " + std::string(to_string(Reload::kAtOnce)));
    }
    return out;
}

Json Shape::schema() const {
    JsonArray any = alternatives_;
    if (map_) any.push_back(map_schema());
    if (element_) any.push_back(JsonObject{{"type", "array"}, {"items", element_->schema()}});
    if (member_) {
        any.push_back(
            JsonObject{{"type", "object"}, {"propertyNames", names_}, {"additionalProperties", member_->schema()}});
    }
    JsonObject schema;
    if (!description_.empty()) schema.set("description", description_);
    if (!default_.is_null()) schema.set("default", default_);
    for (auto& [key, value] : annotations()) schema.set(key, value);
    if (any.size() == 1 && any.front().is_object()) {
        for (const auto& [key, value] : *any.front().if_object()) schema.set(key, value);
    } else if (!any.empty()) {
        schema.set("anyOf", std::move(any));
    }
    return schema;
}

Json Shape::document(std::string_view title) const {
    JsonObject document{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
    for (const auto& [key, value] : *schema().if_object()) document.set(key, value);
    JsonObject definitions;
    for (const auto& [name, shape] : *definitions_) definitions.set(name, shape->schema());
    if (!definitions.empty()) document.set("$defs", std::move(definitions));
    return document;
}

}  // namespace gantry::app
