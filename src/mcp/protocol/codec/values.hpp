#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <type_traits>

#include "gantry/mcp/types.hpp"
#include "mcp/protocol/codec/place.hpp"

// Conversions between single JSON values and C++ values. Structs are described by their field tables
// (codec/fields.hpp), each in the .cpp of its topic.

namespace gantry::mcp {

template <class T>
struct Codec {
    static Result<void> read(const Json& json, T& out, Revision revision, const Place& place);
    static Json write(const T& value, Revision revision);
};

template <>
struct Codec<std::string> {
    static Result<void> read(const Json& json, std::string& out, Revision, const Place& place) {
        const std::string* text = json.if_string();
        if (text == nullptr) return misfit(place, "expected text");
        out = *text;
        return {};
    }
    static Json write(const std::string& value, Revision) { return value; }
};

template <>
struct Codec<bool> {
    static Result<void> read(const Json& json, bool& out, Revision, const Place& place) {
        const bool* value = json.if_bool();
        if (value == nullptr) return misfit(place, "expected true or false");
        out = *value;
        return {};
    }
    static Json write(bool value, Revision) { return value; }
};

template <>
struct Codec<std::int64_t> {
    static Result<void> read(const Json& json, std::int64_t& out, Revision, const Place& place) {
        const auto value = json.as_int();
        if (!value) return misfit(place, "expected an integer");
        out = *value;
        return {};
    }
    static Json write(std::int64_t value, Revision) { return value; }
};

template <>
struct Codec<double> {
    static Result<void> read(const Json& json, double& out, Revision, const Place& place) {
        const auto value = json.as_double();
        if (!value) return misfit(place, "expected a number");
        out = *value;
        return {};
    }
    /// Writes whole numbers as integers: strict peers accept 3 where they reject 3.0.
    static Json write(double value, Revision) {
        constexpr double kExact = 9007199254740992.0;
        if (value >= -kExact && value <= kExact && static_cast<double>(static_cast<std::int64_t>(value)) == value) {
            return static_cast<std::int64_t>(value);
        }
        return value;
    }
};

template <>
struct Codec<Json> {
    static Result<void> read(const Json& json, Json& out, Revision, const Place&) {
        out = json;
        return {};
    }
    static Json write(const Json& value, Revision) { return value; }
};

template <>
struct Codec<JsonObject> {
    static Result<void> read(const Json& json, JsonObject& out, Revision, const Place& place) {
        const JsonObject* object = json.if_object();
        if (object == nullptr) return misfit(place, "expected an object");
        out = *object;
        return {};
    }
    static Json write(const JsonObject& value, Revision) { return value; }
};

template <>
struct Codec<RequestId> {
    static Result<void> read(const Json& json, RequestId& out, Revision, const Place& place);
    static Json write(const RequestId& value, Revision);
};

template <>
struct Codec<StringMap> {
    static Result<void> read(const Json& json, StringMap& out, Revision, const Place& place);
    static Json write(const StringMap& value, Revision);
};

/// In the order of the enumerators.
template <class E>
inline constexpr std::nullptr_t kNames = nullptr;
template <>
inline constexpr std::array<std::string_view, 2> kNames<Role> = {"user", "assistant"};
template <>
inline constexpr std::array<std::string_view, 8> kNames<LogLevel> = {"debug", "info",     "notice", "warning",
                                                                     "error", "critical", "alert",  "emergency"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<CacheScope> = {"private", "public"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<IconTheme> = {"light", "dark"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<TaskSupport> = {"forbidden", "optional", "required"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<TaskStatus> = {"working", "input_required", "completed",
                                                                       "failed", "cancelled"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<IncludeContext> = {"none", "thisServer", "allServers"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ToolChoiceMode> = {"auto", "required", "none"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<ElicitMode> = {"form", "url"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ElicitAction> = {"accept", "decline", "cancel"};

template <class E>
constexpr std::string_view name_of(E value) {
    return kNames<E>[static_cast<std::size_t>(value)];
}

template <class E>
constexpr std::optional<E> value_of(std::string_view name) {
    const auto found = std::ranges::find(kNames<E>, name);
    if (found == kNames<E>.end()) return {};
    return static_cast<E>(found - kNames<E>.begin());
}

template <class E>
struct Codec<Open<E>> {
    static Result<void> read(const Json& json, Open<E>& out, Revision, const Place& place) {
        const std::string* text = json.if_string();
        if (text == nullptr) return misfit(place, "expected text");
        const auto known = value_of<E>(*text);
        out = known ? Open<E>(*known) : Open<E>(*text);
        return {};
    }
    static Json write(const Open<E>& value, Revision) {
        const auto known = value.known();
        return known ? Json(name_of(*known)) : Json(*value.unknown());
    }
};

template <class V>
struct Codec<std::vector<V>> {
    static Result<void> read(const Json& json, std::vector<V>& out, Revision revision, const Place& place) {
        const JsonArray* array = json.if_array();
        if (array == nullptr) return misfit(place, "expected an array");
        out.clear();
        out.reserve(array->size());
        for (std::size_t i = 0; i < array->size(); ++i) {
            if (auto read = Codec<V>::read((*array)[i], out.emplace_back(), revision, place.element(i)); !read) {
                return read;
            }
        }
        return {};
    }
    static Json write(const std::vector<V>& value, Revision revision) {
        JsonArray array;
        array.reserve(value.size());
        for (const V& item : value) array.push_back(Codec<V>::write(item, revision));
        return array;
    }
};

/// One block or an array of blocks, as sampling allows since 2025-11-25.
template <>
struct Codec<std::vector<SamplingContent>> {
    static Result<void> read(const Json& json, std::vector<SamplingContent>& out, Revision revision,
                             const Place& place);
    static Json write(const std::vector<SamplingContent>& value, Revision revision);
};

template <>
struct Codec<InputRequests> {
    static Result<void> read(const Json& json, InputRequests& out, Revision revision, const Place& place);
    static Json write(const InputRequests& value, Revision revision);
};

template <>
struct Codec<RpcError> {
    static Result<void> read(const Json& json, RpcError& out, Revision, const Place& place);
    static Json write(const RpcError& value, Revision);
};

}  // namespace gantry::mcp
