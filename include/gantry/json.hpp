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

/// What parse() accepts. Everything beyond is refused with a position, never truncated.
struct JsonLimits {
    std::size_t max_bytes = 64u << 20;
    /// More than 1024 counts as 1024: the tree's own functions use the stack.
    std::size_t max_depth = 128;
};

/// Members in the order they were written, each key once. Looking one up is fast however
/// many there are; values may be changed through an iterator, keys may not.
class JsonObject {
public:
    using Member = std::pair<std::string, Json>;

    JsonObject() = default;
    JsonObject(std::initializer_list<Member> members);

    /// Null when absent. Pointers stay valid until the next change of this object.
    const Json* find(std::string_view key) const noexcept;
    Json* find(std::string_view key) noexcept;
    bool contains(std::string_view key) const noexcept { return find(key) != nullptr; }

    /// Overwrites in place, or appends at the end.
    void set(std::string key, Json value);
    /// True if there was something to remove.
    bool erase(std::string_view key);

    std::size_t size() const noexcept;
    bool empty() const noexcept;
    auto begin() const noexcept { return members_.begin(); }
    auto end() const noexcept { return members_.end(); }
    auto begin() noexcept { return members_.begin(); }
    auto end() noexcept { return members_.end(); }

    /// Order of members does not matter for equality, as JSON has it.
    friend bool operator==(const JsonObject& a, const JsonObject& b);

private:
    friend class JsonBuilder;  // src/base/json: appends keys it has already proved unique

    /// Hash table over the keys of an object with many members: places plus one, 0 for none.
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

/// One JSON value that survives a relay: member order, integers beyond 2^53 and the
/// text of every number come out as they went in.
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
    /// Shortest text that reads back to the same double; NaN and infinities become null.
    Json(double value);
    Json(std::string value) noexcept : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(JsonArray value) noexcept : value_(std::move(value)) {}
    Json(JsonObject value) noexcept : value_(std::move(value)) {}

    /// Strict: duplicate keys, lone surrogates, bad UTF-8, trailing data, too deep or too
    /// large are errors whose message ends in "at byte N".
    static Result<Json> parse(std::string_view text, const JsonLimits& limits = {});

    /// Compact text. Numbers exactly as parsed; strings with the shortest legal escapes.
    std::string dump() const;
    void dump_to(std::string& out) const;
    /// Indented by two, for people.
    std::string pretty() const;

    Kind kind() const noexcept { return static_cast<Kind>(value_.index()); }
    bool is_null() const noexcept { return kind() == Kind::kNull; }
    bool is_bool() const noexcept { return kind() == Kind::kBool; }
    bool is_number() const noexcept { return kind() == Kind::kNumber; }
    bool is_string() const noexcept { return kind() == Kind::kString; }
    bool is_array() const noexcept { return kind() == Kind::kArray; }
    bool is_object() const noexcept { return kind() == Kind::kObject; }
    /// A number without a fractional part, as JSON Schema counts (1.0 and 1e2 are integers).
    bool is_integer() const noexcept;

    /// Null unless of that kind: `if (auto* s = json.if_string()) …`
    const bool* if_bool() const noexcept { return std::get_if<bool>(&value_); }
    const std::string* if_string() const noexcept { return std::get_if<std::string>(&value_); }
    const JsonArray* if_array() const noexcept { return std::get_if<JsonArray>(&value_); }
    const JsonObject* if_object() const noexcept { return std::get_if<JsonObject>(&value_); }
    JsonArray* if_array() noexcept { return std::get_if<JsonArray>(&value_); }
    JsonObject* if_object() noexcept { return std::get_if<JsonObject>(&value_); }
    std::string* if_string() noexcept { return std::get_if<std::string>(&value_); }

    /// The number's exact text; empty unless a number.
    std::string_view number_text() const noexcept;
    /// Empty unless a number that fits without loss ("1.0" fits, "1.5" and 2^70 do not).
    std::optional<std::int64_t> as_int() const noexcept;
    std::optional<std::uint64_t> as_uint() const noexcept;
    /// Nearest double; empty unless a number. Overflow gives an infinity.
    std::optional<double> as_double() const noexcept;

    /// Member or element by name or place; null when absent or of another kind.
    const Json* find(std::string_view key) const noexcept;
    Json* find(std::string_view key) noexcept;
    const Json* at(std::size_t index) const noexcept;
    /// Follows an RFC 6901 pointer such as "/params/name"; null when it leads nowhere.
    const Json* at_pointer(std::string_view pointer) const;
    /// The member's text if it is a string, else `fallback`.
    std::string_view string_at(std::string_view key, std::string_view fallback = {}) const noexcept;

    /// Numbers compare by mathematical value (1, 1.0 and 1e0 are equal), objects without order.
    friend bool operator==(const Json& a, const Json& b);

    /// A number with exactly this text. The caller vouches that it is a JSON number.
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
