#include <algorithm>

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "gantry/mcp/elicitation.hpp"

namespace gantry::mcp {
namespace {

using Kind = ElicitField::Kind;
using Choice = ElicitField::Choice;

// A form is for a person: a larger one is a mistake or an attack.
constexpr std::size_t kMaxFields = 200;
constexpr std::size_t kMaxChoices = 5000;

std::unexpected<Error> unusable(std::string_view property, std::string_view complaint) {
    return fail(ErrorCode::kSchema, "requestedSchema: property " + std::string(property).append(" ").append(complaint));
}

const JsonArray* array_at(const Json& json, std::string_view key) {
    const Json* value = json.find(key);
    return value != nullptr ? value->if_array() : nullptr;
}

std::optional<double> number_at(const Json& json, std::string_view key) {
    const Json* value = json.find(key);
    return value != nullptr ? value->as_double() : std::nullopt;
}

/// `enum`, with the titles of the older `enumNames` beside it.
bool read_enum(const Json& schema, std::vector<Choice>& out) {
    const JsonArray* values = array_at(schema, "enum");
    if (values == nullptr) return false;
    const JsonArray* names = array_at(schema, "enumNames");
    for (std::size_t i = 0; i < values->size() && i < kMaxChoices; ++i) {
        const std::string* value = (*values)[i].if_string();
        if (value == nullptr) return false;
        const std::string* name = names != nullptr && i < names->size() ? (*names)[i].if_string() : nullptr;
        out.push_back({*value, name != nullptr ? *name : *value});
    }
    return !values->empty();
}

/// `oneOf` or `anyOf` of {const, title}.
bool read_titled(const Json& schema, std::string_view keyword, std::vector<Choice>& out) {
    const JsonArray* options = array_at(schema, keyword);
    if (options == nullptr) return false;
    for (std::size_t i = 0; i < options->size() && i < kMaxChoices; ++i) {
        const Json* value = (*options)[i].find("const");
        if (value == nullptr || !value->is_string()) return false;
        out.push_back({*value->if_string(), std::string((*options)[i].string_at("title", *value->if_string()))});
    }
    return !options->empty();
}

Result<void> read_kind(const Json& schema, ElicitField& field) {
    const std::string_view type = schema.string_at("type");
    if (type == "boolean") {
        field.kind = Kind::kBoolean;
    } else if (type == "integer" || type == "number") {
        field.kind = type == "integer" ? Kind::kInteger : Kind::kNumber;
        field.minimum = number_at(schema, "minimum");
        field.maximum = number_at(schema, "maximum");
    } else if (type == "array") {
        field.kind = Kind::kMultiChoice;
        const Json* items = schema.find("items");
        if (items == nullptr || !(read_enum(*items, field.choices) || read_titled(*items, "anyOf", field.choices) ||
                                  read_titled(*items, "oneOf", field.choices))) {
            return unusable(field.name, "is an array, but not of choices");
        }
        field.minimum = number_at(schema, "minItems");
        field.maximum = number_at(schema, "maxItems");
    } else if (type == "string" || (type.empty() && schema.find("enum") != nullptr)) {
        const bool choices = schema.find("enum") != nullptr || schema.find("oneOf") != nullptr;
        field.kind = choices ? Kind::kChoice : Kind::kString;
        if (choices && !read_enum(schema, field.choices) && !read_titled(schema, "oneOf", field.choices)) {
            return unusable(field.name, "has choices that are not text");
        }
        if (schema.find("format") != nullptr) field.format = schema.string_at("format");
        field.minimum = number_at(schema, "minLength");
        field.maximum = number_at(schema, "maxLength");
    } else {
        return unusable(field.name, "is not of a primitive type");
    }
    return {};
}

bool is_required(const Json& schema, const std::string& name) {
    const JsonArray* required = array_at(schema, "required");
    return required != nullptr && std::ranges::find(*required, Json(name)) != required->end();
}

}  // namespace

Result<std::vector<ElicitField>> elicit_fields(const Json& requested_schema) {
    const Json* properties = requested_schema.find("properties");
    const JsonObject* members = properties != nullptr ? properties->if_object() : nullptr;
    if (members == nullptr || requested_schema.string_at("type", "object") != "object") {
        return fail(ErrorCode::kSchema, "requestedSchema: not an object with properties");
    }
    if (members->size() > kMaxFields) return fail(ErrorCode::kLimit, "requestedSchema: too many properties");
    std::vector<ElicitField> fields;
    fields.reserve(members->size());
    for (const auto& [name, schema] : *members) {
        ElicitField& field = fields.emplace_back();
        field.name = name;
        field.title = schema.string_at("title", name);
        field.description = schema.string_at("description");
        field.required = is_required(requested_schema, name);
        if (const Json* value = schema.find("default")) field.default_value = *value;
        GANTRY_CHECK(read_kind(schema, field));
    }
    return fields;
}

JsonObject fill_defaults(const Json& requested_schema, JsonObject content) {
    const Json* properties = requested_schema.find("properties");
    const JsonObject* members = properties != nullptr ? properties->if_object() : nullptr;
    if (members == nullptr) return content;
    for (const auto& [name, schema] : *members) {
        const Json* value = schema.find("default");
        if (value != nullptr && !content.contains(name)) content.set(name, *value);
    }
    return content;
}

Result<void> check_elicit_content(const Json& requested_schema, const JsonObject& content) {
    GANTRY_CHECK(elicit_fields(requested_schema));
    // To a validator enumNames and the like are annotations, so the schema can be used as received.
    schema::CompileOptions options;
    options.assert_formats = true;
    options.ignore_unsupported_patterns = true;
    GANTRY_TRY(const auto compiled, schema::Schema::compile(requested_schema, options));
    return compiled.check(content);
}

}  // namespace gantry::mcp
