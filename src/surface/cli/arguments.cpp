#include "surface/cli/arguments.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <utility>

#include "base/schema/argument_error.hpp"
#include "base/try.hpp"

namespace gantry::cli {

namespace {

// JSON's types as bits.
constexpr unsigned kNull = 1;
constexpr unsigned kBoolean = 2;
constexpr unsigned kInteger = 4;
constexpr unsigned kNumber = 8;
constexpr unsigned kString = 16;
constexpr unsigned kArray = 32;
constexpr unsigned kObject = 64;

struct TypeInfo {
    unsigned type;
    const char* name;
    const char* example;
};
constexpr std::array kTypes = {TypeInfo{kNull, "null", "null"},     TypeInfo{kBoolean, "boolean", "true"},
                               TypeInfo{kInteger, "integer", "3"},  TypeInfo{kNumber, "number", "2.5"},
                               TypeInfo{kString, "string", "text"}, TypeInfo{kArray, "array", "'[1,2]'"},
                               TypeInfo{kObject, "object", "'{}'"}};

/// References nested deeper than this are not followed.
constexpr int kMaxDepth = 16;

unsigned type_named(const Json& name) {
    const std::string* text = name.if_string();
    const auto found = text == nullptr ? kTypes.end() : std::ranges::find(kTypes, *text, &TypeInfo::name);
    return found == kTypes.end() ? 0u : found->type;
}

/// All JSON types that the value satisfies.
unsigned type_of(const Json& value) {
    if (value.is_null()) return kNull;
    if (value.is_bool()) return kBoolean;
    if (value.is_number()) return value.is_integer() ? kInteger | kNumber : kNumber;
    if (value.is_string()) return kString;
    return value.is_array() ? kArray : kObject;
}

/// The types a schema allows, as far as it states them plainly; 0 when it does not.
unsigned types_in(const Json& root, const Json& schema, int depth) {
    if (depth > kMaxDepth || !schema.is_object()) return 0;
    unsigned types = 0;
    if (const Json* type = schema.find("type")) {
        if (const JsonArray* several = type->if_array()) {
            for (const Json& one : *several) types |= type_named(one);
        } else {
            types = type_named(*type);
        }
        return types;
    }
    if (const Json* only = schema.find("const")) return type_of(*only);
    if (const Json* choices = schema.find("enum"); choices != nullptr && choices->is_array()) {
        for (const Json& choice : *choices->if_array()) types |= type_of(choice);
        return types;
    }
    if (const Json* reference = schema.find("$ref"); reference != nullptr && reference->is_string()) {
        const std::string& target = *reference->if_string();
        const Json* found = target.starts_with('#') ? root.at_pointer(target.substr(1)) : nullptr;
        return found == nullptr ? 0 : types_in(root, *found, depth + 1);
    }
    for (const char* word : {"anyOf", "oneOf", "allOf"}) {
        const Json* parts = schema.find(word);
        if (parts == nullptr || !parts->is_array()) continue;
        for (const Json& part : *parts->if_array()) types |= types_in(root, part, depth + 1);
        if (types != 0) return types;
    }
    return 0;
}

unsigned types_for(const Json& schema, const std::string& key) {
    const Json* properties = schema.is_object() ? schema.find("properties") : nullptr;
    const Json* property = properties != nullptr && properties->is_object() ? properties->find(key) : nullptr;
    return property == nullptr ? 0 : types_in(schema, *property, 0);
}

std::unexpected<Error> wrong(std::string text) {
    return fail(ErrorCode::kInvalidArgument, std::move(text));
}

Result<Json> typed(const std::string& key, const std::string& text, unsigned types) {
    if ((types & ~kString) == 0) return Json(text);
    auto json = Json::parse(text);
    if (json && (type_of(*json) & types & ~kString) != 0) return *std::move(json);
    if ((types & kString) != 0) return Json(text);
    std::string expected;
    std::string example;
    for (const TypeInfo& info : kTypes) {
        if ((types & info.type) == 0) continue;
        expected += (expected.empty() ? "" : " or ") + schema::must_be(info.name);
        if (example.empty()) example = key + '=' + info.example;
    }
    return wrong("argument '" + key + "' must be " + expected + ", e.g. " + example);
}

Result<JsonObject> from_pairs(const std::vector<std::string>& given, const Json& schema) {
    JsonObject arguments;
    for (const std::string& pair : given) {
        const std::size_t equals = pair.find('=');
        if (equals == std::string::npos || equals == 0 || pair.substr(0, equals) == ":") {
            return wrong("arguments are one JSON object ('{\"message\":\"hi\"}', @FILE or -), or KEY=VALUE …");
        }
        const bool forced = pair[equals - 1] == ':';
        const std::string key = pair.substr(0, forced ? equals - 1 : equals);
        const std::string text = pair.substr(equals + 1);
        if (arguments.contains(key)) return wrong("argument '" + key + "' is given twice");
        if (!forced) {
            GANTRY_TRY(Json value, typed(key, text, types_for(schema, key)));
            arguments.set(key, std::move(value));
            continue;
        }
        auto json = Json::parse(text);
        if (!json) return wrong("argument '" + key + "' is not JSON: " + json.error().message());
        arguments.set(key, *std::move(json));
    }
    return arguments;
}

Result<std::string> json_text(const std::string& given) {
    if (given.empty()) return std::string("{}");
    if (given == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
    if (given.front() != '@') return given;
    std::ifstream file(given.substr(1), std::ios::binary);
    if (!file) return wrong("cannot read '" + given.substr(1) + "'");
    return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

bool are_pairs(const std::vector<std::string>& given) {
    if (given.size() != 1) return !given.empty();
    const std::string& only = given.front();
    const std::size_t start = only.find_first_not_of(" \t\r\n");
    const bool json = start == std::string::npos || only[start] == '{' || only[start] == '[' || only[start] == '"';
    return !json && only != "-" && only.front() != '@';
}

Result<JsonObject> tool_arguments(const std::vector<std::string>& given, const Json& schema) {
    if (are_pairs(given)) return from_pairs(given, schema);
    GANTRY_TRY(const std::string text, json_text(given.empty() ? std::string() : given.front()));
    auto json = Json::parse(text);
    if (!json) return wrong("the arguments are not JSON: " + json.error().message());
    if (!json->is_object()) return wrong("the arguments must be a JSON object, e.g. '{\"message\":\"hi\"}'");
    return std::move(*json->if_object());
}

}  // namespace gantry::cli
