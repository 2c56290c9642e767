#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gantry/error.hpp"
#include "gantry/json.hpp"

namespace gantry::describe {

/// The way from the root of a value to the part being read; lives on the stack.
struct Path {
    const Path* parent = nullptr;
    std::string_view key;
    std::size_t index = kMember;  ///< of an element; kMember when `key` counts

    static constexpr std::size_t kMember = ~std::size_t{0};
};

/// kSchema: "/items/2/price: must be a number".
std::unexpected<Error> refuse(const Path& path, std::string_view expectation);

/// Its address stands for the type.
template <class T>
inline constexpr char kTypeTag = 0;

constexpr std::string_view first_of(std::string_view text, std::string_view = {}) {
    return text;
}

/// Writes structs within structs in place, and those that contain themselves as `$defs`.
class SchemaBuilder {
public:
    explicit SchemaBuilder(const void* root) : root_(root) {}

    /// A reference, if that struct is being described already; otherwise leave() must follow.
    std::optional<JsonObject> enter(const void* type, std::string_view name);
    /// What stands for the struct entered last.
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

/// An object schema in the making.
class ObjectSchema {
public:
    void add(std::string_view name, JsonObject schema, std::string_view description, bool required);
    JsonObject finish() &&;

private:
    JsonObject properties_;
    JsonArray required_;
};

}  // namespace gantry::describe
