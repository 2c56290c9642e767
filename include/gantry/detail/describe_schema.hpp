#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::describe {

/// Path from the root value to the part being decoded; a linked list on the stack.
struct Path {
    const Path* parent = nullptr;
    std::string_view key;
    std::size_t index = kMember;  ///< element index; kMember if `key` applies

    static constexpr std::size_t kMember = ~std::size_t{0};
};

/// A kSchema error such as "/items/2/price: must be a number".
std::unexpected<Error> refuse(const Path& path, std::string_view expectation);

/// Its address identifies the type.
template <class T>
inline constexpr char kTypeTag = 0;

constexpr std::string_view first_of(std::string_view text, std::string_view = {}) {
    return text;
}

/// Inlines nested structs; a struct that contains itself goes to `$defs` and is referenced.
class SchemaBuilder {
public:
    explicit SchemaBuilder(const void* root) : root_(root) {}

    /// Returns a reference if that struct is already being described; otherwise leave() must follow.
    std::optional<JsonObject> enter(const void* type, std::string_view name);
    /// Returns the schema to use for the struct entered last: `schema` itself or a reference to it.
    JsonObject leave(JsonObject schema);
    Json finish(JsonObject schema) &&;

private:
    struct Open {
        const void* type;
        std::string name;
        bool referenced;
    };
    std::string unused_name(std::string_view name) const;

    const void* root_;
    std::vector<Open> open_;
    std::vector<std::pair<const void*, std::string>> defined_;
    JsonObject definitions_;
};

/// Builds an object schema.
class ObjectSchema {
public:
    void add(std::string_view name, JsonObject schema, std::string_view description, bool required);
    JsonObject finish() &&;

private:
    JsonObject properties_;
    JsonArray required_;
};

}  // namespace gantry::describe
