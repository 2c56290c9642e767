#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gantry/error.hpp"

namespace gantry {

class Json;
class JsonObject;

using JsonArray = std::vector<Json>;

/// Limits of parse(). Input beyond them is rejected with a position, never truncated.
struct JsonLimits {
    std::size_t max_bytes = 64u << 20;
    /// Capped at 1024, because functions on the tree recurse.
    std::size_t max_depth = 128;
};

/// Members in insertion order, keys unique. Lookup is fast whatever the size. Values may be changed through an
/// iterator, keys may not.
class JsonObject {
public:
    using Member = std::pair<std::string, Json>;

    JsonObject() = default;
    JsonObject(std::initializer_list<Member> members);

    /// Null if absent. Pointers stay valid until the object is next modified.
    const Json* find(std::string_view key) const noexcept;
    Json* find(std::string_view key) noexcept;
    bool contains(std::string_view key) const noexcept { return find(key) != nullptr; }

    /// Overwrites in place, or appends at the end.
    void set(std::string key, Json value);
    /// Returns whether the key existed.
    bool erase(std::string_view key);

    std::size_t size() const noexcept;
    bool empty() const noexcept;
    auto begin() const noexcept { return members_.begin(); }
    auto end() const noexcept { return members_.end(); }
    auto begin() noexcept { return members_.begin(); }
    auto end() noexcept { return members_.end(); }

    /// Equality ignores member order, as JSON does.
    friend bool operator==(const JsonObject& a, const JsonObject& b);

private:
    friend class JsonBuilder;  // src/base/json: appends keys it has already proved unique

    /// Hash table over the keys of a large object: member index plus one, 0 for a free slot.
    struct Index {
        Index() = default;
        Index(Index&&) noexcept = default;
        Index& operator=(Index&&) noexcept = default;
        Index(const Index& other);
        Index& operator=(const Index& other);
        ~Index() = default;

        std::unique_ptr<std::vector<std::uint32_t>> slots;
    };

    std::size_t place_of(std::string_view key) const noexcept;
    void index_last();
    void reindex();

    std::vector<Member> members_;
    Index index_;
};

/// A JSON value that survives a relay unchanged: member order, integers beyond 2^53 and the
/// exact text of every number are preserved.
///
///     auto json = Json::parse(R"({"a":[1,2.50]})");
///     std::string text = json->dump();        // {"a":[1,2.50]}
///     Json built = JsonObject{{"name", "x"}, {"n", 3}, {"list", JsonArray{1, 2}}};
class Json {
public:
    enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

    Json() noexcept = default;
    Json(std::nullptr_t) noexcept {}
    Json(std::same_as<bool> auto value) noexcept : value_(value) {}
    template <std::integral I>
        requires(!std::same_as<I, bool> && !std::same_as<I, char>)
    Json(I value) : value_(Number{std::to_string(value)}) {}
    /// Shortest text that parses back to the same double; NaN and infinities become null.
    Json(double value);
    Json(std::string value) noexcept : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(JsonArray value) noexcept : value_(std::move(value)) {}
    Json(JsonObject value) noexcept : value_(std::move(value)) {}

    /// Strict: duplicate keys, lone surrogates, invalid UTF-8, trailing data and exceeded limits
    /// are errors whose message ends in "at byte N".
    static Result<Json> parse(std::string_view text, const JsonLimits& limits = {});

    /// Compact text. Numbers exactly as parsed; strings with the shortest legal escapes.
    std::string dump() const;
    void dump_to(std::string& out) const;
    /// Indented by two spaces, for display.
    std::string pretty() const;

    Kind kind() const noexcept { return static_cast<Kind>(value_.index()); }
    bool is_null() const noexcept { return kind() == Kind::kNull; }
    bool is_bool() const noexcept { return kind() == Kind::kBool; }
    bool is_number() const noexcept { return kind() == Kind::kNumber; }
    bool is_string() const noexcept { return kind() == Kind::kString; }
    bool is_array() const noexcept { return kind() == Kind::kArray; }
    bool is_object() const noexcept { return kind() == Kind::kObject; }
    /// A number without a fractional part, as in JSON Schema (1.0 and 1e2 are integers).
    bool is_integer() const noexcept;

    /// Null unless the value is of that kind: `if (auto* s = json.if_string()) …`
    const bool* if_bool() const noexcept { return std::get_if<bool>(&value_); }
    const std::string* if_string() const noexcept { return std::get_if<std::string>(&value_); }
    const JsonArray* if_array() const noexcept { return std::get_if<JsonArray>(&value_); }
    const JsonObject* if_object() const noexcept { return std::get_if<JsonObject>(&value_); }
    JsonArray* if_array() noexcept { return std::get_if<JsonArray>(&value_); }
    JsonObject* if_object() noexcept { return std::get_if<JsonObject>(&value_); }
    std::string* if_string() noexcept { return std::get_if<std::string>(&value_); }

    /// The number's exact text; empty if this is not a number.
    std::string_view number_text() const noexcept;
    /// Empty unless this is a number that converts without loss ("1.0" does, "1.5" and 2^70 do not).
    std::optional<std::int64_t> as_int() const noexcept;
    std::optional<std::uint64_t> as_uint() const noexcept;
    /// Nearest double; empty if this is not a number. Overflow yields an infinity.
    std::optional<double> as_double() const noexcept;

    /// Member by name or element by index; null if absent or if this is of another kind.
    const Json* find(std::string_view key) const noexcept;
    Json* find(std::string_view key) noexcept;
    const Json* at(std::size_t index) const noexcept;
    /// Resolves an RFC 6901 pointer such as "/params/name"; null if there is no such value.
    const Json* at_pointer(std::string_view pointer) const;
    /// The member's value if it is a string, else `fallback`.
    std::string_view string_at(std::string_view key, std::string_view fallback = {}) const noexcept;

    /// Numbers compare by mathematical value (1, 1.0 and 1e0 are equal), objects regardless of member order.
    friend bool operator==(const Json& a, const Json& b);

    /// A number with exactly this text. Precondition: the text is a valid JSON number.
    static Json number_from_text(std::string text);

private:
    struct Number {
        std::string text;
    };
    friend class JsonBuilder;

    std::variant<std::monostate, bool, Number, std::string, JsonArray, JsonObject> value_;
};

inline std::size_t JsonObject::size() const noexcept {
    return members_.size();
}
inline bool JsonObject::empty() const noexcept {
    return members_.empty();
}

}  // namespace gantry
