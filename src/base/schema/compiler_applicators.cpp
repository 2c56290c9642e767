// Keywords that apply further schemas: to the same value, to elements, to members.
#include <algorithm>
#include <numeric>

#include "base/schema/compiler.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

constexpr std::size_t kManySlots = 8;

bool shorter_or_before(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

const Slot* ObjectRules::find(std::string_view name, std::size_t& hint) const noexcept {
    if (hint < slots.size() && slots[hint].name == name) return &slots[hint++];
    if (sorted.empty()) {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].name == name) {
                hint = i + 1;
                return &slots[i];
            }
        }
        return nullptr;
    }
    const auto by_name = [this](std::uint32_t i) { return std::string_view(slots[i].name); };
    const auto found = std::ranges::lower_bound(sorted, name, shorter_or_before, by_name);
    if (found == sorted.end() || slots[*found].name != name) return nullptr;
    hint = *found + 1;
    return &slots[*found];
}

Slot& Compiler::slot(NodeId id, const std::string& name) {
    auto& slots = object(id).slots;
    const auto [known, added] = slot_of_.emplace(name, slots.size());
    if (added) slots.push_back(Slot{name, kNoNode, false});
    return slots[known->second];
}

void Compiler::finish_object(ObjectRules& rules) {
    rules.required = static_cast<std::size_t>(std::ranges::count_if(rules.slots, &Slot::required));
    if (rules.slots.size() <= kManySlots) return;
    rules.sorted.resize(rules.slots.size());
    std::iota(rules.sorted.begin(), rules.sorted.end(), 0u);
    std::ranges::sort(rules.sorted, shorter_or_before,
                      [&](std::uint32_t i) { return std::string_view(rules.slots[i].name); });
}

Result<void> Compiler::apply_in_place(const Word& word) {
    InPlaceRules& rules = in_place(word.id);
    const JsonArray* list = word.value.if_array();
    switch (word.keyword) {
        case Keyword::kNot: rules.negated = subschema(word.value); return {};
        case Keyword::kIf: rules.condition = subschema(word.value); return {};
        case Keyword::kThen: rules.then = subschema(word.value); return {};
        case Keyword::kElse: rules.otherwise = subschema(word.value); return {};
        case Keyword::kDependentSchemas:
            for (const auto& [trigger, json] : *word.value.if_object()) {
                const NodeId to = subschema(json);
                rules.dependent.push_back({trigger, to, "dependentSchemas"});
            }
            return {};
        default: break;
    }
    if (list->empty()) return wrong(word, "must not be empty");
    auto nodes = subschemas(*list);
    (word.keyword == Keyword::kAllOf   ? rules.all_of
     : word.keyword == Keyword::kAnyOf ? rules.any_of
                                       : rules.one_of) = std::move(nodes);
    return {};
}

Result<void> Compiler::apply_to_array(const Word& word, const JsonObject& schema) {
    ArrayRules& rules = array(word.id);
    switch (word.keyword) {
        case Keyword::kPrefixItems: rules.prefix = subschemas(*word.value.if_array()); return {};
        case Keyword::kContains: rules.contains = subschema(word.value); return {};
        case Keyword::kItems:
            if (const JsonArray* list = word.value.if_array()) {
                rules.prefix = subschemas(*list);
            } else {
                rules.rest = subschema(word.value);
            }
            return {};
        default: break;
    }
    // additionalItems is meaningful only next to an array of items.
    const Json* items = schema.find("items");
    if (items && items->is_array()) {
        rules.rest = subschema(word.value);
        rules.rest_keyword = "additionalItems";
    }
    return {};
}

Result<void> Compiler::apply_to_object(const Word& word) {
    ObjectRules& rules = object(word.id);
    switch (word.keyword) {
        case Keyword::kAdditionalProperties: rules.additional = subschema(word.value); return {};
        case Keyword::kPropertyNames: rules.names = subschema(word.value); return {};
        case Keyword::kProperties:
            for (const auto& [name, json] : *word.value.if_object()) slot(word.id, name).node = subschema(json);
            return {};
        case Keyword::kPatternProperties:
            for (const auto& [text, json] : *word.value.if_object()) {
                GANTRY_TRY(const Pattern* found, pattern(word, text));
                rules.patterns.emplace_back(found, subschema(json));
            }
            return {};
        default: break;
    }
    GANTRY_TRY(const std::vector<std::string> required, names(word, word.value));
    for (const std::string& name : required) slot(word.id, name).required = true;
    return {};
}

Result<void> Compiler::dependencies(const Word& word) {
    const JsonObject* map = word.value.if_object();
    if (!map) return wrong(word, "must be an object");
    const bool required = word.keyword == Keyword::kDependentRequired;
    const char* keyword = required ? "dependentRequired" : "dependencies";
    for (const auto& [trigger, json] : *map) {
        if (required || json.is_array()) {
            GANTRY_TRY(std::vector<std::string> listed, names(word, json));
            object(word.id).dependent_names.push_back({trigger, std::move(listed), keyword});
        } else {
            const NodeId to = subschema(json);
            in_place(word.id).dependent.push_back({trigger, to, keyword});
        }
    }
    return {};
}

}  // namespace gantry::schema
