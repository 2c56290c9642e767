// Keywords that assert something about one value, without subschemas.
#include <array>
#include <limits>

#include "base/schema/compiler.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

constexpr std::size_t kMaxDivisorDigits = 1000;

std::uint8_t type_named(std::string_view name) {
    constexpr auto kNames = std::to_array<std::pair<std::string_view, std::uint8_t>>({
        {"string", kTypeString},
        {"object", kTypeObject},
        {"number", kTypeNumber},
        {"integer", kTypeInteger},
        {"boolean", kTypeBoolean},
        {"array", kTypeArray},
        {"null", kTypeNull},
    });
    for (const auto& [known, bit] : kNames) {
        if (known == name) return bit;
    }
    return 0;
}

}  // namespace

Result<std::uint8_t> Compiler::types(const Word& word) const {
    constexpr std::string_view kWhat =
        "must be string, object, number, integer, boolean, array or null, or a list of these";
    std::uint8_t bits = 0;
    const auto add = [&](const Json& json) {
        const std::string* name = json.if_string();
        const std::uint8_t bit = name ? type_named(*name) : std::uint8_t{0};
        bits |= bit;
        return bit != 0;
    };
    if (const JsonArray* list = word.value.if_array()) {
        for (const Json& json : *list) {
            if (!add(json)) return wrong(word, kWhat);
        }
        if (list->empty()) return wrong(word, kWhat);
    } else if (!add(word.value)) {
        return wrong(word, kWhat);
    }
    return bits;
}

Result<void> Compiler::assert_value(const Word& word) {
    if (word.keyword == Keyword::kType) {
        GANTRY_TRY(node(word.id).types, types(word));
        return {};
    }
    GANTRY_TRY(const std::uint64_t cost, charge_constant(word, word.value));
    ValueRules& rules = value(word.id);
    rules.cost += cost;
    if (word.keyword == Keyword::kConst) {
        rules.constant = word.value;
        return {};
    }
    const JsonArray* list = word.value.if_array();
    if (!list) return wrong(word, "must be an array");
    rules.options = *list;
    return {};
}

/// Constants count towards the schema's size and the cost of comparing with them.
Result<std::uint64_t> Compiler::charge_constant(const Word& word, const Json& value) {
    std::uint64_t size = 0;
    std::vector<std::pair<const Json*, std::size_t>> left{{&value, 0}};
    while (!left.empty()) {
        const auto [json, depth] = left.back();
        left.pop_back();
        ++size;
        if (++constant_size_ > options_.max_nodes * 4) return wrong(word, "is too large", ErrorCode::kLimit);
        if (depth > options_.max_depth) return wrong(word, "is nested too deeply", ErrorCode::kLimit);
        if (const std::string* text = json->if_string()) size += text->size() / 64;
        if (const JsonArray* list = json->if_array()) {
            for (const Json& item : *list) left.emplace_back(&item, depth + 1);
        } else if (const JsonObject* object = json->if_object()) {
            for (const auto& member : *object) left.emplace_back(&member.second, depth + 1);
        }
    }
    return size;
}

Result<void> Compiler::assert_number(const Word& word) {
    if (!word.value.is_number()) return wrong(word, "must be a number");
    NumberRules& rules = number(word.id);
    Bound bound(word.value.number_text());
    switch (word.keyword) {
        case Keyword::kMinimum: rules.minimum = std::move(bound); return {};
        case Keyword::kMaximum: rules.maximum = std::move(bound); return {};
        case Keyword::kExclusiveMinimum: rules.exclusive_minimum = std::move(bound); return {};
        case Keyword::kExclusiveMaximum: rules.exclusive_maximum = std::move(bound); return {};
        default: break;
    }
    if (bound.value().is_zero() || bound.value().negative) return wrong(word, "must be greater than 0");
    if (bound.value().digits.size() > kMaxDivisorDigits) return wrong(word, "has too many digits", ErrorCode::kLimit);
    rules.multiple_of = std::move(bound);
    return {};
}

Result<std::uint64_t> Compiler::count(const Word& word) const {
    if (const auto value = word.value.as_uint()) return *value;
    if (!word.value.is_integer() || word.value.number_text().starts_with('-')) {
        return wrong(word, "must be a non-negative integer");
    }
    return std::numeric_limits<std::uint64_t>::max();
}

Result<void> Compiler::assert_size(const Word& word) {
    if (word.keyword == Keyword::kUniqueItems) {
        const bool* unique = word.value.if_bool();
        if (!unique) return wrong(word, "must be a boolean");
        array(word.id).unique = *unique;
        return {};
    }
    GANTRY_TRY(const std::uint64_t size, count(word));
    switch (word.keyword) {
        case Keyword::kMaxLength: string(word.id).max_length = size; return {};
        case Keyword::kMinLength: string(word.id).min_length = size; return {};
        case Keyword::kMaxItems: array(word.id).max_items = size; return {};
        case Keyword::kMinItems: array(word.id).min_items = size; return {};
        case Keyword::kMaxContains: array(word.id).max_contains = size; return {};
        case Keyword::kMinContains: array(word.id).min_contains = size; return {};
        case Keyword::kMaxProperties: object(word.id).max_properties = size; return {};
        default: object(word.id).min_properties = size; return {};
    }
}

Result<void> Compiler::assert_text(const Word& word) {
    const std::string* text = word.value.if_string();
    if (!text) return wrong(word, "must be a string");
    if (word.keyword == Keyword::kFormat) {
        string(word.id).format = format_named(*text);
        return {};
    }
    GANTRY_TRY(string(word.id).pattern, pattern(word, *text));
    return {};
}

Result<const Pattern*> Compiler::pattern(const Word& word, const std::string& text) {
    if (const auto known = patterns_.find(text); known != patterns_.end()) return known->second;
    auto compiled = Pattern::compile(text);
    if (!compiled) {
        const bool ignore = options_.ignore_unsupported_patterns && compiled.error().code() == ErrorCode::kUnsupported;
        if (!ignore) {
            const bool limit = compiled.error().code() == ErrorCode::kLimit;
            return wrong(word, ": " + compiled.error().message(), limit ? ErrorCode::kLimit : ErrorCode::kSchema);
        }
        compiled = Pattern::matching_everything();
    }
    pattern_size_ += compiled->size() + 1;
    if (pattern_size_ > options_.max_pattern_size) {
        return wrong(word, "makes the regular expressions of this schema too large", ErrorCode::kLimit);
    }
    program_.patterns.push_back(std::make_unique<Pattern>(*std::move(compiled)));
    return patterns_.emplace(text, program_.patterns.back().get()).first->second;
}

Result<std::vector<std::string>> Compiler::names(const Word& word, const Json& list) const {
    const JsonArray* items = list.if_array();
    if (!items) return wrong(word, "must be an array of names");
    std::vector<std::string> out;
    for (const Json& item : *items) {
        const std::string* name = item.if_string();
        if (!name) return wrong(word, "must be an array of names");
        out.push_back(*name);
    }
    return out;
}

}  // namespace gantry::schema
