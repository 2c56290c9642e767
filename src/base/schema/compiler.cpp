#include "base/schema/compiler.hpp"

#include <algorithm>

#include "base/schema/uri.hpp"
#include "base/try.hpp"

namespace gantry::schema {
namespace {

template <class T>
T& made(std::unique_ptr<T>& pointer) {
    if (!pointer) pointer = std::make_unique<T>();
    return *pointer;
}

/// Every node that is applied to the same value as `node`.
template <class Use>
void each_in_place(const Node& node, const Use& use) {
    const InPlaceRules* rules = node.in_place.get();
    if (!rules) return;
    for (const NodeId one :
         {rules->ref, rules->dynamic_ref, rules->negated, rules->condition, rules->then, rules->otherwise}) {
        if (one != kNoNode) use(one);
    }
    for (const auto* many : {&rules->all_of, &rules->any_of, &rules->one_of}) {
        for (const NodeId one : *many) use(one);
    }
    for (const auto& dependent : rules->dependent) use(dependent.node);
}

}  // namespace

NumberRules& Compiler::number(NodeId id) {
    return made(node(id).number);
}
StringRules& Compiler::string(NodeId id) {
    return made(node(id).string);
}
ArrayRules& Compiler::array(NodeId id) {
    return made(node(id).array);
}
ObjectRules& Compiler::object(NodeId id) {
    return made(node(id).object);
}
InPlaceRules& Compiler::in_place(NodeId id) {
    return made(node(id).in_place);
}
ValueRules& Compiler::value(NodeId id) {
    return made(node(id).value);
}

std::unexpected<Error> Compiler::wrong(const Word& word, std::string_view what, ErrorCode code) const {
    return fail(code, "schema at " + index_.describe(word.id) + ": " + word.name + " " + std::string(what));
}

Result<Program> Compiler::run(const Json& schema) {
    GANTRY_TRY(const PlaceId root, index_.add_root(schema));
    program_.root = need(root);
    GANTRY_CHECK(drain());
    GANTRY_CHECK(refuse_endless_references());
    GANTRY_CHECK(refuse_explosions());
    program_.places = std::move(index_).take_places();
    return std::move(program_);
}

NodeId Compiler::need(PlaceId id) {
    if (seen_.size() <= id) {
        seen_.resize(index_.size());
        program_.nodes.resize(index_.size());
    }
    if (!seen_[id]) {
        seen_[id] = true;
        work_.push_back(id);
    }
    return id;
}

std::vector<NodeId> Compiler::subschemas(const JsonArray& list) {
    std::vector<NodeId> out;
    out.reserve(list.size());
    for (const Json& json : list) out.push_back(subschema(json));
    return out;
}

Result<void> Compiler::drain() {
    do {
        while (!work_.empty()) {
            const NodeId id = work_.back();
            work_.pop_back();
            GANTRY_CHECK(build(id));
        }
        GANTRY_CHECK(need_dynamic_anchors());
    } while (!work_.empty());
    return {};
}

/// A $dynamicRef may resolve to any anchor of its name in any resource, so all are needed.
Result<void> Compiler::need_dynamic_anchors() {
    program_.scopes.assign(index_.resource_count(), {});
    for (std::uint32_t name = 0; name < dynamic_names_.size(); ++name) {
        for (std::uint32_t i = 0; i < program_.scopes.size(); ++i) {
            const auto& anchors = index_.resource(i).dynamic_anchors;
            const auto found = anchors.find(dynamic_names_[name]);
            if (found != anchors.end()) program_.scopes[i].anchors.emplace_back(name, need(found->second));
        }
    }
    return {};
}

Result<void> Compiler::build(NodeId id) {
    const Json& schema = *index_.place(id).json;
    node(id).resource = index_.place(id).resource;
    if (const bool* constant = schema.if_bool()) {
        node(id).never = !*constant;
        return {};
    }
    const JsonObject& members = *schema.if_object();
    const Dialect dialect = index_.resource(node(id).resource).dialect;
    const bool draft7 = dialect.draft == Draft::kDraft7;
    slot_of_.clear();
    if (const Json* ref = draft7 ? schema.find("$ref") : nullptr) {
        static const std::string kName = "$ref";
        return reference(Word{id, Keyword::kRef, kName, *ref});
    }
    for (const auto& [name, value] : members) {
        const KeywordInfo* info = find_keyword(name, dialect);
        if (!info) continue;
        const Word word{id, info->keyword, name, value};
        if (info->keyword == Keyword::kFormat) {
            const bool asserted = options_.assert_formats || (dialect.vocabularies & kFormatAssertion) != 0;
            if (!asserted) continue;
        }
        switch (info->keyword) {
            case Keyword::kPrefixItems:
            case Keyword::kItems:
            case Keyword::kAdditionalItems:
            case Keyword::kContains: GANTRY_CHECK(apply_to_array(word, members)); break;
            default: GANTRY_CHECK(apply(word)); break;
        }
    }
    if (node(id).object) finish_object(*node(id).object);
    return {};
}

Result<void> Compiler::apply(const Word& word) {
    switch (word.keyword) {
        case Keyword::kRef: return reference(word);
        case Keyword::kDynamicRef: return dynamic_reference(word);
        case Keyword::kId:
        case Keyword::kSchema:
        case Keyword::kAnchor:
        case Keyword::kDynamicAnchor:
            if (!word.value.is_string()) return wrong(word, "must be a string");
            return {};
        case Keyword::kDefs: return {};
        case Keyword::kAllOf:
        case Keyword::kAnyOf:
        case Keyword::kOneOf:
        case Keyword::kNot:
        case Keyword::kIf:
        case Keyword::kThen:
        case Keyword::kElse:
        case Keyword::kDependentSchemas: return apply_in_place(word);
        case Keyword::kDependencies:
        case Keyword::kDependentRequired: return dependencies(word);
        case Keyword::kProperties:
        case Keyword::kPatternProperties:
        case Keyword::kAdditionalProperties:
        case Keyword::kPropertyNames:
        case Keyword::kRequired: return apply_to_object(word);
        case Keyword::kUnevaluatedItems: node(word.id).unevaluated_items = subschema(word.value); return {};
        case Keyword::kUnevaluatedProperties: node(word.id).unevaluated_properties = subschema(word.value); return {};
        case Keyword::kType:
        case Keyword::kEnum:
        case Keyword::kConst: return assert_value(word);
        case Keyword::kMultipleOf:
        case Keyword::kMaximum:
        case Keyword::kExclusiveMaximum:
        case Keyword::kMinimum:
        case Keyword::kExclusiveMinimum: return assert_number(word);
        case Keyword::kPattern:
        case Keyword::kFormat: return assert_text(word);
        default: return assert_size(word);
    }
}

Result<void> Compiler::reference(const Word& word) {
    const std::string* target = word.value.if_string();
    if (!target) return wrong(word, "must be a string");
    GANTRY_TRY(const PlaceId place, index_.resolve(word.id, *target));
    const NodeId found = need(place);
    in_place(word.id).ref = found;
    return {};
}

Result<void> Compiler::dynamic_reference(const Word& word) {
    const std::string* target = word.value.if_string();
    if (!target) return wrong(word, "must be a string");
    GANTRY_TRY(const PlaceId place, index_.resolve(word.id, *target));
    const NodeId found = need(place);
    InPlaceRules& rules = in_place(word.id);
    rules.dynamic_ref = found;
    // Dynamic only if it first resolves to a dynamic anchor of that name.
    const std::string name = percent_decode(split_fragment(*target).second);
    const auto& anchors = index_.resource(index_.place(place).resource).dynamic_anchors;
    if (const auto anchor = anchors.find(name); anchor == anchors.end() || anchor->second != place) return {};
    const auto known = std::ranges::find(dynamic_names_, name);
    rules.dynamic_name = static_cast<std::uint32_t>(known - dynamic_names_.begin());
    if (known == dynamic_names_.end()) dynamic_names_.push_back(name);
    program_.has_dynamic_refs = true;
    return {};
}

/// $ref and allOf apply to the same value unconditionally: a cycle of them never ends.
/// Cycles through other keywords may end and are left to the limits of evaluation.
Result<void> Compiler::refuse_endless_references() const {
    enum : std::uint8_t { kNew, kOpen, kDone };
    std::vector<std::uint8_t> state(program_.nodes.size(), kNew);
    std::vector<std::pair<NodeId, std::size_t>> way;
    const auto edge = [&](NodeId id, std::size_t n) {
        const InPlaceRules* rules = program_.nodes[id].in_place.get();
        if (!rules) return kNoNode;
        if (rules->ref != kNoNode && n-- == 0) return rules->ref;
        return n < rules->all_of.size() ? rules->all_of[n] : kNoNode;
    };
    for (NodeId start = 0; start < state.size(); ++start) {
        if (state[start] != kNew) continue;
        way.assign(1, {start, 0});
        state[start] = kOpen;
        while (!way.empty()) {
            auto& [id, next] = way.back();
            const NodeId to = edge(id, next++);
            if (to == kNoNode) {
                state[id] = kDone;
                way.pop_back();
            } else if (state[to] == kOpen) {
                return fail(ErrorCode::kSchema,
                            "schema at " + index_.describe(id) + ": $ref leads back to itself without end");
            } else if (state[to] == kNew) {
                state[to] = kOpen;
                way.emplace_back(to, 0);
            }
        }
    }
    return {};
}

/// Counts, for every node, how many nodes are applied to the same value with it. A back edge to a node being
/// counted adds one: whether such a cycle ends depends on the value, and the depth of an evaluation is bounded.
Result<void> Compiler::refuse_explosions() const {
    constexpr std::uint64_t kNew = 0, kOpen = ~std::uint64_t{0};
    std::vector<std::uint64_t> reach(program_.nodes.size(), kNew);
    std::vector<std::pair<NodeId, bool>> way;
    for (NodeId start = 0; start < reach.size(); ++start) {
        if (reach[start] != kNew) continue;
        way.assign(1, {start, false});
        while (!way.empty()) {
            const auto [id, counted] = way.back();
            if (!counted) {
                if (reach[id] != kNew) {
                    way.pop_back();
                    continue;
                }
                reach[id] = kOpen;
                way.back().second = true;
                each_in_place(program_.nodes[id], [&](NodeId to) {
                    if (reach[to] == kNew) way.emplace_back(to, false);
                });
                continue;
            }
            way.pop_back();
            std::uint64_t sum = 1;
            each_in_place(program_.nodes[id], [&](NodeId to) { sum += reach[to] == kOpen ? 1 : reach[to]; });
            if (sum > options_.max_fan_out) {
                return fail(ErrorCode::kLimit, "schema at " + index_.describe(id) +
                                                   ": $ref, allOf and the like apply more than " +
                                                   std::to_string(options_.max_fan_out) + " subschemas to one value");
            }
            reach[id] = sum;
        }
    }
    return {};
}

Result<Program> compile_program(const Json& schema, const CompileOptions& options) {
    return Compiler(options).run(schema);
}

}  // namespace gantry::schema
