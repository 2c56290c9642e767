#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "mcp/protocol/headers.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kMark = "x-mcp-header";

// Keywords whose values are schemas, by shape. All others (default, enum, examples …) are data, in which the mark
// has no meaning.
constexpr std::array<std::string_view, 12> kOneSchema = {"items",
                                                         "additionalProperties",
                                                         "not",
                                                         "if",
                                                         "then",
                                                         "else",
                                                         "contains",
                                                         "propertyNames",
                                                         "unevaluatedItems",
                                                         "unevaluatedProperties",
                                                         "contentSchema",
                                                         "additionalItems"};
constexpr std::array<std::string_view, 5> kManySchemas = {"allOf", "anyOf", "oneOf", "prefixItems", "items"};
constexpr std::array<std::string_view, 6> kNamedSchemas = {
    "properties", "$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"};

bool among(std::span<const std::string_view> list, std::string_view keyword) {
    return std::ranges::find(list, keyword) != list.end();
}

bool is_token_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

class Walk {
public:
    std::vector<HeaderParam> found;

    /// `reachable`: from the root through `properties` only, so that the value's path is certain.
    Result<void> schema(const Json& json, bool reachable) {
        const JsonObject* object = json.if_object();
        if (object == nullptr) return {};
        if (const Json* mark = object->find(kMark)) GANTRY_CHECK(marked(*mark, *object, reachable));
        for (const auto& [keyword, value] : *object) {
            if (const JsonArray* list = value.if_array()) {
                if (!among(kManySchemas, keyword)) continue;
                for (const Json& item : *list) GANTRY_CHECK(schema(item, false));
            } else if (among(kOneSchema, keyword)) {
                GANTRY_CHECK(schema(value, false));
            } else if (among(kNamedSchemas, keyword)) {
                GANTRY_CHECK(named(value, reachable && keyword == "properties"));
            }
        }
        return {};
    }

private:
    std::vector<std::string> path_;

    Result<void> named(const Json& json, bool reachable) {
        const JsonObject* members = json.if_object();
        if (members == nullptr) return {};
        for (const auto& [name, value] : *members) {
            path_.push_back(name);
            GANTRY_CHECK(schema(value, reachable));
            path_.pop_back();
        }
        return {};
    }

    Result<void> marked(const Json& mark, const JsonObject& owner, bool reachable) {
        const std::string* name = mark.if_string();
        if (name == nullptr || name->empty()) return refuse("is not a non-empty text");
        if (!std::ranges::all_of(*name, is_token_char)) return refuse("is not an HTTP token");
        if (!reachable || path_.empty()) return refuse("is not on a property reachable through properties alone");
        const Json* type = owner.find("type");
        const std::string* kind = type != nullptr ? type->if_string() : nullptr;
        HeaderParam param{std::string(header::kParamPrefix) + *name, path_, HeaderParam::Type::kString};
        if (kind != nullptr && *kind == "integer") {
            param.type = HeaderParam::Type::kInteger;
        } else if (kind != nullptr && *kind == "boolean") {
            param.type = HeaderParam::Type::kBoolean;
        } else if (kind == nullptr || *kind != "string") {
            return refuse("is on a property that is not of type string, integer or boolean");
        }
        const auto same = [&](const HeaderParam& other) { return same_name(other.header, param.header); };
        if (std::ranges::any_of(found, same)) return refuse("repeats a name used before");
        found.push_back(std::move(param));
        return {};
    }

    std::unexpected<Error> refuse(std::string_view complaint) const {
        std::string place;
        for (const std::string& name : path_) place += '/' + name;
        return fail(ErrorCode::kSchema, "x-mcp-header at " + (place.empty() ? std::string("the root") : place) + " " +
                                            std::string(complaint));
    }
};

}  // namespace

Result<std::vector<HeaderParam>> header_params(const Json& input_schema) {
    Walk walk;
    GANTRY_CHECK(walk.schema(input_schema, true));
    return std::move(walk.found);
}

}  // namespace gantry::mcp
