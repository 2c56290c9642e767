#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/schema/decimal.hpp"
#include "base/schema/format.hpp"
#include "base/schema/index.hpp"
#include "base/schema/pattern.hpp"

namespace gantry::schema {

using NodeId = PlaceId;
inline constexpr NodeId kNoNode = kNoPlace;

/// Types of JSON Schema as bits.
enum Type : std::uint8_t {
    kTypeNull = 1,
    kTypeBoolean = 2,
    kTypeNumber = 4,  ///< integers included
    kTypeString = 8,
    kTypeArray = 16,
    kTypeObject = 32,
    kTypeInteger = 64,  ///< integers only; no effect beside kTypeNumber
    kTypeAny = 63,
};

using Count = std::optional<std::uint64_t>;

struct NumberRules {
    std::optional<Bound> minimum, exclusive_minimum, maximum, exclusive_maximum, multiple_of;
};

struct StringRules {
    Count min_length, max_length;
    const Pattern* pattern = nullptr;
    Format format = Format::kNone;
};

struct ArrayRules {
    Count min_items, max_items;
    bool unique = false;
    std::vector<NodeId> prefix;
    NodeId rest = kNoNode;
    const char* rest_keyword = "items";
    NodeId contains = kNoNode;
    Count min_contains, max_contains;
};

/// A property name in the schema, from `properties` or `required`.
struct Slot {
    std::string name;
    NodeId node = kNoNode;
    bool required = false;
};

struct ObjectRules {
    Count min_properties, max_properties;
    std::vector<Slot> slots;
    std::vector<std::uint32_t> sorted;  ///< slots by (length, bytes); only if there are many
    std::size_t required = 0;
    std::vector<std::pair<const Pattern*, NodeId>> patterns;
    NodeId additional = kNoNode;
    NodeId names = kNoNode;
    struct DependentNames {
        std::string trigger;
        std::vector<std::string> names;
        const char* keyword;
    };
    std::vector<DependentNames> dependent_names;

    /// The slot of that name, or null. `hint` is the caller's position in the usual order.
    const Slot* find(std::string_view name, std::size_t& hint) const noexcept;
};

/// Keywords that apply further schemas to the same value.
struct InPlaceRules {
    NodeId ref = kNoNode;
    NodeId dynamic_ref = kNoNode;               ///< target unless the dynamic scope overrides it
    std::optional<std::uint32_t> dynamic_name;  ///< index into Program::resources[].anchors; absent: a plain $ref
    std::vector<NodeId> all_of, any_of, one_of;
    NodeId negated = kNoNode;
    NodeId condition = kNoNode, then = kNoNode, otherwise = kNoNode;
    struct Dependent {
        std::string trigger;
        NodeId node;
        const char* keyword;
    };
    std::vector<Dependent> dependent;
};

struct ValueRules {
    std::optional<Json> constant;
    std::optional<std::vector<Json>> options;
    std::uint64_t cost = 1;  ///< steps of one comparison with all of them
};

/// One schema, grouped by the kind of value its keywords apply to.
struct Node {
    bool never = false;  ///< the schema `false`
    std::uint8_t types = kTypeAny;
    std::uint32_t resource = 0;
    std::unique_ptr<ValueRules> value;
    std::unique_ptr<NumberRules> number;
    std::unique_ptr<StringRules> string;
    std::unique_ptr<ArrayRules> array;
    std::unique_ptr<ObjectRules> object;
    std::unique_ptr<InPlaceRules> in_place;
    NodeId unevaluated_items = kNoNode;
    NodeId unevaluated_properties = kNoNode;
};

/// Shared by copies of Schema. Immutable.
struct Program {
    struct Scope {
        /// (name, node) of every dynamic anchor in this resource.
        std::vector<std::pair<std::uint32_t, NodeId>> anchors;
    };

    NodeId root = 0;
    std::vector<Node> nodes;    ///< by place; unreachable ones are empty
    std::vector<Place> places;  ///< for messages
    std::vector<Scope> scopes;  ///< by resource
    std::vector<std::unique_ptr<Pattern>> patterns;
    bool has_dynamic_refs = false;
};

Result<Program> compile_program(const Json& schema, const CompileOptions& options);
ValidationReport run_program(const Program& program, const Json& value, const ValidateOptions& options);

}  // namespace gantry::schema
