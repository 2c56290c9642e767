#pragma once

#include <array>
#include <span>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/codec/values.hpp"

// The wire form of a struct as a table that drives both decoding and encoding:
//
//     GANTRY_MCP_CODEC(Root,
//                      must<&Root::uri>("uri"),
//                      may<&Root::name>("name"),
//                      may<&Root::meta>("_meta").since(Revision::k2025_06_18));

namespace gantry::mcp {

enum class Need : std::uint8_t {
    kMay,       // omitted if empty
    kAlways,    // always written; may be absent when read
    kMust,      // always written; absent is an error
    kNullable,  // written as null if empty; may be absent when read
};

/// What a field may hold for legacy peers. kObject marks one that may hold any JSON value, null
/// included, since 2026-07-28; for all other fields null means absent.
enum class LegacyForm : std::uint8_t { kAny, kObject, kObjectSchema };

/// One type-erased member, so that decoding and encoding are compiled once (fields.cpp).
struct Field {
    std::string_view name = {};
    Need need = Need::kMay;
    Result<void> (*read)(const Json& json, void* owner, Revision revision, const Place& place) = nullptr;
    Json (*write)(const void* owner, Revision revision) = nullptr;
    bool (*empty)(const void* owner) = nullptr;
    std::string_view constant = {};
    Revision first = kAllRevisions.front();
    Revision last = kAllRevisions.back();
    Revision strict = kAllRevisions.front();
    bool is_hint = false;
    LegacyForm form = LegacyForm::kAny;

    constexpr Field since(Revision revision) const {
        Field copy = *this;
        copy.first = revision;
        return copy;
    }
    constexpr Field until(Revision revision) const {
        Field copy = *this;
        copy.last = revision;
        return copy;
    }
    /// A missing `must` is an error only from this revision on.
    constexpr Field strict_since(Revision revision) const {
        Field copy = *this;
        copy.strict = revision;
        return copy;
    }
    /// A value of the wrong type is kept as an unknown member: only display depends on it.
    constexpr Field hint() const {
        Field copy = *this;
        copy.is_hint = true;
        return copy;
    }
    /// Omitted for legacy peers unless it has the only form they allow.
    constexpr Field legacy(LegacyForm value) const {
        Field copy = *this;
        copy.form = value;
        return copy;
    }

    constexpr bool in(Revision revision) const { return first <= revision && revision <= last; }
};

template <class M>
constexpr bool is_optional = false;
template <class V>
constexpr bool is_optional<std::optional<V>> = true;
template <class M>
constexpr bool is_open = false;
template <class E>
constexpr bool is_open<Open<E>> = true;

template <class M>
bool is_empty(const M& value) {
    if constexpr (is_optional<M>) {
        return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
        return value.empty();
    } else if constexpr (std::same_as<M, Json>) {
        return value.is_null();
    } else if constexpr (std::same_as<M, bool> || is_open<M>) {
        return value == M{};
    } else {
        return false;
    }
}

template <auto kMember>
struct MemberOf;
template <class S, class M, M S::* kMember>
struct MemberOf<kMember> {
    /// Leaves the member unchanged if the value does not fit.
    static Result<void> read(const Json& json, void* owner, Revision revision, const Place& place) {
        M& member = static_cast<S*>(owner)->*kMember;
        if constexpr (is_optional<M>) {
            auto read = Codec<typename M::value_type>::read(json, member.emplace(), revision, place);
            if (!read) member.reset();
            return read;
        } else {
            M value{};
            auto read = Codec<M>::read(json, value, revision, place);
            if (read) member = std::move(value);
            return read;
        }
    }
    static Json write(const void* owner, Revision revision) {
        const M& member = static_cast<const S*>(owner)->*kMember;
        if constexpr (is_optional<M>) {
            return member ? Codec<typename M::value_type>::write(*member, revision) : Json();
        } else {
            return Codec<M>::write(member, revision);
        }
    }
    static bool empty(const void* owner) { return is_empty(static_cast<const S*>(owner)->*kMember); }
    static constexpr Field field(std::string_view name, Need need) { return {name, need, read, write, empty}; }
};

template <auto kMember>
constexpr Field may(std::string_view name) {
    return MemberOf<kMember>::field(name, Need::kMay);
}
template <auto kMember>
constexpr Field always(std::string_view name) {
    return MemberOf<kMember>::field(name, Need::kAlways);
}
template <auto kMember>
constexpr Field must(std::string_view name) {
    return MemberOf<kMember>::field(name, Need::kMust);
}
template <auto kMember>
constexpr Field nullable(std::string_view name) {
    return MemberOf<kMember>::field(name, Need::kNullable);
}

/// A member whose text is determined by the type. Not checked when read: it already selected the type.
constexpr Field constant(std::string_view name, std::string_view text) {
    Field field{.name = name};
    field.constant = text;
    return field;
}
/// A known member that is written elsewhere.
constexpr Field ignored(std::string_view name) {
    return constant(name, {});
}
/// The discriminator of modern results; omitted for legacy peers.
constexpr Field result_type(std::string_view value = "complete") {
    return constant("resultType", value).since(Revision::k2026_07_28);
}

/// The ttl of a modern answer. Invalid and negative values mean zero.
template <auto kMember>
constexpr Field ttl() {
    Field field = always<kMember>("ttlMs").since(Revision::k2026_07_28).hint();
    field.read = [](const Json& json, void* owner, Revision revision, const Place& place) {
        const auto given = json.as_int();
        return MemberOf<kMember>::read(given && *given < 0 ? Json(0) : json, owner, revision, place);
    };
    return field;
}

using FieldTable = std::span<const Field>;

/// Precondition: `owner` is freshly constructed. Members not in the table go to `extra`.
Result<void> read_members(FieldTable table, const Json& json, void* owner, JsonObject& extra, Revision revision,
                          const Place& place);
Json write_members(FieldTable table, const void* owner, const JsonObject& extra, Revision revision);

template <class S>
Result<void> read_fields(FieldTable table, const Json& json, S& out, Revision revision, const Place& place) {
    out = S{};
    return read_members(table, json, &out, out.extra, revision, place);
}

template <class S>
Json write_fields(FieldTable table, const S& value, Revision revision) {
    return write_members(table, &value, value.extra, revision);
}

template <class T>
Json encode(const T& value, Revision revision) {
    return Codec<T>::write(value, revision);
}

template <class T>
Result<T> decode(const Json& json, Revision revision) {
    T value;
    if (auto read = Codec<T>::read(json, value, revision, Place{}); !read) return fail(std::move(read).error());
    return value;
}

}  // namespace gantry::mcp

/// Instantiates encode() and decode() for a type with a handwritten Codec.
#define GANTRY_MCP_EXPORT(T)                  \
    template Json encode(const T&, Revision); \
    template Result<T> decode<T>(const Json&, Revision)

/// Defines the codec of a type by its table. Use in namespace gantry::mcp, after the types it consists of.
#define GANTRY_MCP_CODEC(T, ...)                                                                   \
    template <>                                                                                    \
    Result<void> Codec<T>::read(const Json& json, T& out, Revision revision, const Place& place) { \
        static constexpr std::array kTable{__VA_ARGS__};                                           \
        return read_fields(kTable, json, out, revision, place);                                    \
    }                                                                                              \
    template <>                                                                                    \
    Json Codec<T>::write(const T& value, Revision revision) {                                      \
        static constexpr std::array kTable{__VA_ARGS__};                                           \
        return write_fields(kTable, value, revision);                                              \
    }                                                                                              \
    GANTRY_MCP_EXPORT(T)
