#pragma once

#include <tuple>

#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/codec/values.hpp"

// A struct's wire form as a table, from which reading and writing follow:
//
//     GANTRY_MCP_CODEC(Root,
//                      must("uri", &Root::uri),
//                      may("name", &Root::name),
//                      may("_meta", &Root::meta).since(Revision::k2025_06_18));

namespace gantry::mcp {

enum class Need : std::uint8_t {
    kMay,       // left out when empty
    kAlways,    // always written, may be missing when read
    kMust,      // always written, missing is an error
    kNullable,  // written as null when empty, may be missing when read
};

/// What a field may hold toward legacy peers. kObject marks one that may hold any JSON value, null
/// included, since 2026-07-28; everywhere else null means absent.
enum class LegacyForm : std::uint8_t { kAny, kObject, kObjectSchema };

template <class S, class M>
struct Field {
    std::string_view name;
    M S::* member;
    Need need;
    Revision first = kAllRevisions.front();
    Revision last = kAllRevisions.back();
    Revision strict = kAllRevisions.front();
    bool is_hint = false;
    bool at_least_zero = false;
    LegacyForm form = LegacyForm::kAny;

    constexpr Field since(Revision revision) const { return with(&Field::first, revision); }
    constexpr Field until(Revision revision) const { return with(&Field::last, revision); }
    /// Only from here on is it an error when a `must` is missing.
    constexpr Field strict_since(Revision revision) const { return with(&Field::strict, revision); }
    /// Of the wrong shape it is kept as an unknown member: nothing but display depends on it.
    constexpr Field hint() const { return with(&Field::is_hint, true); }
    /// A negative number reads as 0.
    constexpr Field non_negative() const { return with(&Field::at_least_zero, true); }
    /// Left out for legacy peers unless it has the only form they allow.
    constexpr Field legacy(LegacyForm value) const { return with(&Field::form, value); }

    constexpr bool in(Revision revision) const { return first <= revision && revision <= last; }

private:
    template <class V>
    constexpr Field with(V Field::* option, V value) const {
        Field copy = *this;
        copy.*option = value;
        return copy;
    }
};

template <class S, class M>
constexpr Field<S, M> may(std::string_view name, M S::* member) {
    return {name, member, Need::kMay};
}
template <class S, class M>
constexpr Field<S, M> always(std::string_view name, M S::* member) {
    return {name, member, Need::kAlways};
}
template <class S, class M>
constexpr Field<S, M> must(std::string_view name, M S::* member) {
    return {name, member, Need::kMust};
}
template <class S, class M>
constexpr Field<S, M> nullable(std::string_view name, M S::* member) {
    return {name, member, Need::kNullable};
}

/// A member whose text the type itself decides. Not checked when read: whoever chose the type did.
struct Constant {
    std::string_view name;
    std::string_view value;  // empty: known, but written by someone else
    Revision first = kAllRevisions.front();

    constexpr Constant since(Revision revision) const { return {name, value, revision}; }
};
constexpr Constant constant(std::string_view name, std::string_view value) {
    return {name, value};
}
constexpr Constant ignored(std::string_view name) {
    return {name, {}};
}
/// The discriminator of modern results; legacy peers never see it.
constexpr Constant result_type(std::string_view value = "complete") {
    return constant("resultType", value).since(Revision::k2026_07_28);
}

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

template <class M>
Result<void> read_value(const Json& json, M& out, Revision revision, const Place& place) {
    if constexpr (is_optional<M>) {
        return Codec<typename M::value_type>::read(json, out.emplace(), revision, place);
    } else {
        return Codec<M>::read(json, out, revision, place);
    }
}

template <class M>
Json write_value(const M& value, Revision revision) {
    if constexpr (is_optional<M>) {
        return value ? Codec<typename M::value_type>::write(*value, revision) : Json();
    } else {
        return Codec<M>::write(value, revision);
    }
}

template <class S>
Result<void> read_field(const Constant&, const JsonObject&, S&, Revision, const Place&) {
    return {};
}

template <class S, class M>
Result<void> read_field(const Field<S, M>& field, const JsonObject& object, S& out, Revision revision,
                        const Place& place) {
    const Json* json = object.find(field.name);
    const bool known = field.in(revision);
    if (json == nullptr || (json->is_null() && !(field.form == LegacyForm::kObject && is_modern(revision)))) {
        const bool demanded = known && field.need == Need::kMust && revision >= field.strict;
        if (demanded) return misfit(place.member(field.name), "missing");
        return {};
    }
    M& member = out.*field.member;
    if (!known && !is_empty(member)) return {};  // the revision's own name for it has spoken
    auto read = read_value(*json, member, revision, place.member(field.name));
    if constexpr (std::same_as<M, std::int64_t>) {
        if (field.at_least_zero && member < 0) member = 0;
    }
    if (read || (known && !field.is_hint)) return read;
    member = S{}.*field.member;
    out.extra.set(std::string(field.name), *json);
    return {};
}

inline void write_field(const Constant& field, const auto&, JsonObject& out, Revision revision) {
    if (!field.value.empty() && field.first <= revision) out.set(std::string(field.name), Json(field.value));
}

inline bool has_legacy_form(const Json& json, LegacyForm form) {
    if (form == LegacyForm::kAny) return true;
    return json.is_object() && (form == LegacyForm::kObject || json.string_at("type") == "object");
}

template <class S, class M>
void write_field(const Field<S, M>& field, const S& value, JsonObject& out, Revision revision) {
    if (!field.in(revision)) return;
    const M& member = value.*field.member;
    if (field.need == Need::kMay && is_empty(member)) return;
    Json json = write_value(member, revision);
    if (!is_modern(revision) && !has_legacy_form(json, field.form)) return;
    out.set(std::string(field.name), std::move(json));
}

template <class S, class Table>
Result<void> read_fields(const Table& table, const Json& json, S& out, Revision revision, const Place& place) {
    static const JsonObject kNothing;
    const JsonObject* object = json.is_null() && place.up == nullptr ? &kNothing : json.if_object();
    if (object == nullptr) return misfit(place, "expected an object");
    out = S{};
    return std::apply(
        [&](const auto&... field) {
            Result<void> outcome;
            static_cast<void>(
                ((outcome = read_field(field, *object, out, revision, place), outcome.has_value()) && ...));
            if (!outcome) return outcome;
            for (const auto& [name, value] : *object) {
                if (!((name == field.name) || ...)) out.extra.set(name, value);
            }
            return outcome;
        },
        table);
}

template <class S, class Table>
Json write_fields(const Table& table, const S& value, Revision revision) {
    JsonObject out;
    std::apply([&](const auto&... field) { (write_field(field, value, out, revision), ...); }, table);
    for (const auto& [name, json] : value.extra) {
        if (!out.contains(name)) out.set(name, json);
    }
    return out;
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

/// Makes encode() and decode() of a type whose Codec is written by hand available to others.
#define GANTRY_MCP_EXPORT(T)                  \
    template Json encode(const T&, Revision); \
    template Result<T> decode<T>(const Json&, Revision)

/// A type told by its table. To stand in namespace gantry::mcp, after the types it is made of.
#define GANTRY_MCP_CODEC(T, ...)                                                                   \
    template <>                                                                                    \
    Result<void> Codec<T>::read(const Json& json, T& out, Revision revision, const Place& place) { \
        static constexpr std::tuple kTable{__VA_ARGS__};                                           \
        return read_fields(kTable, json, out, revision, place);                                    \
    }                                                                                              \
    template <>                                                                                    \
    Json Codec<T>::write(const T& value, Revision revision) {                                      \
        static constexpr std::tuple kTable{__VA_ARGS__};                                           \
        return write_fields(kTable, value, revision);                                              \
    }                                                                                              \
    GANTRY_MCP_EXPORT(T)
