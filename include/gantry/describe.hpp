#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gantry/detail/describe_macros.hpp"
#include "gantry/detail/describe_schema.hpp"
#include "gantry/error.hpp"
#include "gantry/json.hpp"

/// Describes a plain struct once, in its own namespace; derives its JSON Schema, decoder and encoder.
///
///     struct AddArgs {
///         double a;
///         double b;
///         std::optional<std::string> note;
///     };
///     GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"), note)
///
///     Json schema = gantry::schema_of<AddArgs>();
///     gantry::Result<AddArgs> args = gantry::from_json<AddArgs>(json);
///
/// A member is required unless it is std::optional; properties that are not described are rejected. Members may
/// be bool, integers, floating point, std::string, Json, JsonObject, described structs and
/// enums, and std::optional, std::vector and std::map<std::string, …> of these.
#define GANTRY_DESCRIBE(Type, ...)                                                 \
    [[maybe_unused]] inline auto gantry_describe_struct(const Type*) {             \
        return ::gantry::describe::make_struct<Type>(                              \
            #Type GANTRY_DETAIL_FOR_EACH(GANTRY_DETAIL_FIELD, Type, __VA_ARGS__)); \
    }

/// Describes an enum by the strings that represent its values:
///
///     enum class Unit { kCelsius, kKelvin };
///     GANTRY_DESCRIBE_ENUM(Unit, (kCelsius, "celsius"), (kKelvin, "kelvin"))
///
/// Without a string the enumerator's own name is used.
#define GANTRY_DESCRIBE_ENUM(Type, ...)                                                 \
    [[maybe_unused]] inline auto gantry_describe_enum(const Type*) {                    \
        return ::gantry::describe::make_enum<Type>(                                     \
            #Type GANTRY_DETAIL_FOR_EACH(GANTRY_DETAIL_ENUMERATOR, Type, __VA_ARGS__)); \
    }

namespace gantry {
namespace describe {

template <class Struct, class Member>
struct Field {
    std::string_view name;
    Member Struct::* member;
    std::string_view description;
};

template <class... Fields>
struct StructDescription {
    std::string_view name;
    std::tuple<Fields...> fields;
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(std::string_view name, Member Struct::* member,
                                      std::string_view description = {}) {
    return {name, member, description};
}

template <class Struct, class... Fields>
constexpr StructDescription<Fields...> make_struct(std::string_view name, Fields... fields) {
    return {name, {fields...}};
}

template <class Enum>
using Enumerator = std::pair<Enum, std::string_view>;

template <class Enum, class... Enumerators>
constexpr std::array<Enumerator<Enum>, sizeof...(Enumerators)> make_enum(std::string_view, Enumerators... all) {
    return {all...};
}

template <class T>
concept DescribedStruct = requires(const T* type) { gantry_describe_struct(type); };
template <class T>
concept DescribedEnum = std::is_enum_v<T> && requires(const T* type) { gantry_describe_enum(type); };
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Schema, encoder and decoder of one type. Specialise it for a type of your own.
template <class T>
struct Codec {
    static_assert(sizeof(T) == 0, "describe this type with GANTRY_DESCRIBE or GANTRY_DESCRIBE_ENUM");
};

template <>
struct Codec<Json> {
    static JsonObject schema(SchemaBuilder&) { return {}; }
    static Json write(const Json& value) { return value; }
    static Result<void> read(const Json& json, Json& out, const Path&) {
        out = json;
        return {};
    }
};

template <>
struct Codec<JsonObject> {
    static JsonObject schema(SchemaBuilder&) { return {{"type", "object"}}; }
    static Json write(const JsonObject& value) { return value; }
    static Result<void> read(const Json& json, JsonObject& out, const Path& path) {
        const JsonObject* object = json.if_object();
        if (!object) return refuse(path, "must be an object");
        out = *object;
        return {};
    }
};

template <>
struct Codec<bool> {
    static JsonObject schema(SchemaBuilder&) { return {{"type", "boolean"}}; }
    static Json write(bool value) { return value; }
    static Result<void> read(const Json& json, bool& out, const Path& path) {
        const bool* value = json.if_bool();
        if (!value) return refuse(path, "must be true or false");
        out = *value;
        return {};
    }
};

template <>
struct Codec<std::string> {
    static JsonObject schema(SchemaBuilder&) { return {{"type", "string"}}; }
    static Json write(const std::string& value) { return value; }
    static Result<void> read(const Json& json, std::string& out, const Path& path) {
        const std::string* value = json.if_string();
        if (!value) return refuse(path, "must be a string");
        out = *value;
        return {};
    }
};

/// The schema omits 64-bit limits other than 0, which not every JSON reader represents exactly.
template <Integer T>
struct Codec<T> {
    using Limits = std::numeric_limits<T>;

    static JsonObject schema(SchemaBuilder&) {
        JsonObject out{{"type", "integer"}};
        if (std::unsigned_integral<T> || sizeof(T) < 8) out.set("minimum", Limits::min());
        if (sizeof(T) < 8) out.set("maximum", Limits::max());
        return out;
    }
    static Json write(T value) { return value; }
    static Result<void> read(const Json& json, T& out, const Path& path) {
        if (!json.is_number() || !json.is_integer()) return refuse(path, "must be an integer");
        if constexpr (std::unsigned_integral<T>) {
            if (const auto value = json.as_uint(); value && *value <= Limits::max()) {
                out = static_cast<T>(*value);
                return {};
            }
        } else if (const auto value = json.as_int(); value && *value >= Limits::min() && *value <= Limits::max()) {
            out = static_cast<T>(*value);
            return {};
        }
        return refuse(path, "must be from " + std::to_string(Limits::min()) + " to " + std::to_string(Limits::max()));
    }
};

template <std::floating_point T>
struct Codec<T> {
    static JsonObject schema(SchemaBuilder&) { return {{"type", "number"}}; }
    /// NaN and infinities, which JSON cannot represent, become null.
    static Json write(T value) { return static_cast<double>(value); }
    static Result<void> read(const Json& json, T& out, const Path& path) {
        const auto value = json.as_double();
        if (!value) return refuse(path, "must be a number");
        if (!std::isfinite(static_cast<T>(*value))) return refuse(path, "must be within the range of the number type");
        out = static_cast<T>(*value);
        return {};
    }
};

/// An empty optional is omitted as a member and null anywhere else.
template <class T>
struct Codec<std::optional<T>> {
    static JsonObject schema(SchemaBuilder& builder) {
        return {{"anyOf", JsonArray{Codec<T>::schema(builder), JsonObject{{"type", "null"}}}}};
    }
    static Json write(const std::optional<T>& value) { return value ? Codec<T>::write(*value) : Json(); }
    static Result<void> read(const Json& json, std::optional<T>& out, const Path& path) {
        out.reset();
        return json.is_null() ? Result<void>() : Codec<T>::read(json, out.emplace(), path);
    }
};

template <class T>
struct Codec<std::vector<T>> {
    static JsonObject schema(SchemaBuilder& builder) {
        return {{"type", "array"}, {"items", Codec<T>::schema(builder)}};
    }
    static Json write(const std::vector<T>& values) {
        JsonArray out;
        out.reserve(values.size());
        for (const auto& value : values) out.push_back(Codec<T>::write(value));
        return out;
    }
    static Result<void> read(const Json& json, std::vector<T>& out, const Path& path) {
        const JsonArray* items = json.if_array();
        if (!items) return refuse(path, "must be an array");
        out.clear();
        for (std::size_t i = 0; i < items->size(); ++i) {
            T value{};
            if (auto read = Codec<T>::read((*items)[i], value, Path{&path, {}, i}); !read) return read;
            out.push_back(std::move(value));
        }
        return {};
    }
};

template <class T>
struct Codec<std::map<std::string, T>> {
    static JsonObject schema(SchemaBuilder& builder) {
        return {{"type", "object"}, {"additionalProperties", Codec<T>::schema(builder)}};
    }
    static Json write(const std::map<std::string, T>& values) {
        JsonObject out;
        for (const auto& [key, value] : values) out.set(key, Codec<T>::write(value));
        return out;
    }
    static Result<void> read(const Json& json, std::map<std::string, T>& out, const Path& path) {
        const JsonObject* members = json.if_object();
        if (!members) return refuse(path, "must be an object");
        out.clear();
        for (const auto& [key, member] : *members) {
            if (auto read = Codec<T>::read(member, out[key], Path{&path, key}); !read) return read;
        }
        return {};
    }
};

template <DescribedEnum T>
struct Codec<T> {
    static auto all() { return gantry_describe_enum(static_cast<const T*>(nullptr)); }

    static JsonObject schema(SchemaBuilder&) {
        JsonArray names;
        for (const auto& [value, name] : all()) names.push_back(name);
        return {{"type", "string"}, {"enum", std::move(names)}};
    }
    /// An enumerator without description becomes null.
    static Json write(T value) {
        for (const auto& [known, name] : all()) {
            if (known == value) return name;
        }
        return nullptr;
    }
    static Result<void> read(const Json& json, T& out, const Path& path) {
        const std::string* text = json.if_string();
        std::string listed;
        for (const auto& [value, name] : all()) {
            if (text && *text == name) {
                out = value;
                return {};
            }
            listed.append(listed.empty() ? "" : ", ").append(name);
        }
        return refuse(path, "must be one of: " + listed);
    }
};

template <DescribedStruct T>
struct Codec<T> {
    static auto description() { return gantry_describe_struct(static_cast<const T*>(nullptr)); }

    static JsonObject schema(SchemaBuilder& builder) {
        const auto described = description();
        if (auto known = builder.enter(&kTypeTag<T>, described.name)) return *std::move(known);
        ObjectSchema object;
        const auto add = [&]<class Member>(const Field<T, Member>& field) {
            if constexpr (kIsOptional<Member>) {
                object.add(field.name, Codec<typename Member::value_type>::schema(builder), field.description, false);
            } else {
                object.add(field.name, Codec<Member>::schema(builder), field.description, true);
            }
        };
        std::apply([&](const auto&... field) { (add(field), ...); }, described.fields);
        return builder.leave(std::move(object).finish());
    }

    static Json write(const T& value) {
        JsonObject out;
        const auto add = [&]<class Member>(const Field<T, Member>& field) {
            const Member& member = value.*field.member;
            if constexpr (kIsOptional<Member>) {
                if (!member) return;
            }
            out.set(std::string(field.name), Codec<Member>::write(member));
        };
        std::apply([&](const auto&... field) { (add(field), ...); }, description().fields);
        return out;
    }

    static Result<void> read(const Json& json, T& out, const Path& path) {
        const JsonObject* members = json.if_object();
        if (!members) return refuse(path, "must be an object");
        Result<void> result;
        std::size_t known = 0;
        const auto take = [&]<class Member>(const Field<T, Member>& field) {
            const Json* found = members->find(field.name);
            if (found) {
                ++known;
                result = read_member(*found, out.*field.member, Path{&path, field.name});
            } else if (!kIsOptional<Member>) {
                result = refuse(path, "must have the property '" + std::string(field.name) + "'");
            }
            return result.has_value();
        };
        const auto described = description();
        std::apply([&](const auto&... field) { static_cast<void>((take(field) && ...)); }, described.fields);
        if (!result || known == members->size()) return result;
        for (const auto& member : *members) {
            const auto is_field = [&](const auto&... field) { return ((field.name == member.first) || ...); };
            if (!std::apply(is_field, described.fields)) {
                return refuse(Path{&path, member.first}, "is not a known property");
            }
        }
        return result;
    }

private:
    template <class Member>
    static Result<void> read_member(const Json& json, Member& out, const Path& path) {
        return Codec<Member>::read(json, out, path);
    }
    template <class Member>
    static Result<void> read_member(const Json& json, std::optional<Member>& out, const Path& path) {
        return Codec<Member>::read(json, out.emplace(), path);
    }
};

}  // namespace describe

/// The JSON Schema (draft 2020-12) of a described type, properties in member order.
template <class T>
Json schema_of() {
    describe::SchemaBuilder builder(&describe::kTypeTag<T>);
    auto schema = describe::Codec<T>::schema(builder);
    return std::move(builder).finish(std::move(schema));
}

template <class T>
Json to_json(const T& value) {
    return describe::Codec<T>::write(value);
}

/// Fails with kSchema for exactly what schema_of<T>() rejects. The message has the path, never the value.
template <class T>
Result<T> from_json(const Json& json) {
    T out{};
    if (auto read = describe::Codec<T>::read(json, out, describe::Path{}); !read) return fail(std::move(read).error());
    return out;
}

}  // namespace gantry
