#include "base/schema/evaluator.hpp"

#include <algorithm>
#include <array>

namespace gantry::schema {
namespace {

constexpr std::size_t kMaxTokenBytes = 128;

constexpr auto kTypeNames = std::to_array<std::pair<std::uint8_t, std::string_view>>({
    {kTypeNull, "null"},
    {kTypeBoolean, "boolean"},
    {kTypeInteger, "integer"},
    {kTypeNumber, "number"},
    {kTypeString, "string"},
    {kTypeArray, "array"},
    {kTypeObject, "object"},
});

/// The schema's own text, shortened for a message.
std::string quoted(const Json& json) {
    std::string text = json.dump();
    if (text.size() > 80) return json.is_string() ? "a certain text" : "a certain value";
    return text;
}

}  // namespace

std::string pointer_text(const Path* path) {
    std::vector<const Path*> way;
    for (; path && path->parent; path = path->parent) way.push_back(path);
    std::string out;
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
        out.push_back('/');
        if ((*step)->index != Path::kMember) {
            out.append(std::to_string((*step)->index));
            continue;
        }
        std::string_view key = (*step)->key;
        const bool cut = key.size() > kMaxTokenBytes;
        if (cut) {
            std::size_t end = kMaxTokenBytes;
            while (end > 0 && (static_cast<unsigned char>(key[end]) & 0xC0) == 0x80) --end;
            key = key.substr(0, end);
        }
        out.append(escape_token(key));
        if (cut) out.append("…");
    }
    return out;
}

std::string type_names(std::uint8_t types) {
    std::string out;
    for (const auto& [bit, name] : kTypeNames) {
        if ((types & bit) == 0) continue;
        if (!out.empty()) out.append(" or ");
        out.append(name);
    }
    return out;
}

std::uint8_t type_of(const Json& value) noexcept {
    return static_cast<std::uint8_t>(1u << static_cast<unsigned>(value.kind()));
}

ValidationReport Evaluator::run(const Json& value) {
    const Path root;
    apply(program_.root, At{value, &root, nullptr});
    return std::move(report_);
}

bool Evaluator::spend(std::uint64_t steps) {
    if (stopped_) return false;
    if (steps > steps_left_) {
        stop("validation takes more than " + std::to_string(options_.max_steps) + " steps");
        return false;
    }
    steps_left_ -= steps;
    return true;
}

bool Evaluator::merge(Evaluated& into, const Evaluated& branch) {
    if (!spend(branch.places.words() / 8)) return false;
    into.merge(branch);
    return true;
}

void Evaluator::stop(std::string why) {
    if (stopped_) return;
    stopped_ = true;
    report_.limit_reached = true;
    report_.issues.push_back({"", "", std::move(why)});
}

bool Evaluator::refuse(NodeId id, std::string_view keyword, const Path* path, std::string expectation) {
    if (!curious()) return false;
    ValidationIssue issue;
    issue.instance_path = pointer_text(path);
    issue.keyword_path = describe_place(program_.places, id);
    if (!keyword.empty()) issue.keyword_path.append("/").append(keyword);
    issue.message = issue.instance_path.empty() ? "(root)" : issue.instance_path;
    issue.message.append(": ").append(expectation);
    if (!keyword.empty()) issue.message.append(" (").append(keyword).append(")");
    report_.issues.push_back(std::move(issue));
    return false;
}

bool Evaluator::accepts(NodeId id, const At& at) {
    ++quiet_;
    const bool accepted = apply(id, at);
    --quiet_;
    return accepted;
}

bool Evaluator::apply(NodeId id, const At& at) {
    if (!spend(1)) return false;
    const Node& node = program_.nodes[id];
    if (node.never) return refuse(id, "", at.path, "nothing is allowed here");
    if (depth_ >= options_.max_depth) {
        stop("validation nests more than " + std::to_string(options_.max_depth) +
             " schemas; the value is too deep or a $ref leads back to itself");
        return false;
    }
    ++depth_;
    const bool entered = program_.has_dynamic_refs && (scopes_.empty() || scopes_.back() != node.resource);
    if (entered) scopes_.push_back(node.resource);
    const bool accepted = apply_rules(id, node, at);
    if (entered) scopes_.pop_back();
    --depth_;
    return accepted;
}

bool Evaluator::apply_rules(NodeId id, const Node& node, const At& at) {
    if (!check_type(id, node, at)) return false;
    bool ok = true;
    // Continues with the next group only as long as more issues are wanted.
    const auto failed = [&](bool accepted) {
        ok = ok && accepted;
        return !accepted && !curious();
    };
    const bool watches = node.unevaluated_items != kNoNode || node.unevaluated_properties != kNoNode;
    Evaluated own;
    const At here{at.value, at.path, watches ? &own : at.evaluated};

    if (node.value && failed(check_value(id, *node.value, here))) return false;
    switch (at.value.kind()) {
        case Json::Kind::kNumber:
            if (node.number && failed(check_number(id, *node.number, here))) return false;
            break;
        case Json::Kind::kString:
            if (node.string && failed(check_string(id, *node.string, here))) return false;
            break;
        case Json::Kind::kArray:
            if (node.array && failed(check_array(id, *node.array, here))) return false;
            break;
        case Json::Kind::kObject:
            if (node.object && failed(check_object(id, *node.object, here))) return false;
            break;
        default: break;
    }
    if (node.in_place && failed(check_in_place(id, *node.in_place, here))) return false;
    if (!watches) return ok;
    // A failed member may count as unevaluated only because it failed.
    if (!ok) return false;
    if (node.unevaluated_items != kNoNode && at.value.is_array()) {
        ok = check_unevaluated_items(id, node.unevaluated_items, here);
    }
    if (node.unevaluated_properties != kNoNode && at.value.is_object()) {
        ok = check_unevaluated_properties(id, node.unevaluated_properties, here);
    }
    return ok && (!at.evaluated || merge(*at.evaluated, own));
}

bool Evaluator::check_type(NodeId id, const Node& node, const At& at) {
    if ((node.types & type_of(at.value)) != 0) return true;
    if ((node.types & kTypeInteger) != 0 && at.value.is_number() && at.value.is_integer()) return true;
    return refuse(id, "type", at.path, "must be " + type_names(node.types));
}

bool Evaluator::check_value(NodeId id, const ValueRules& rules, const At& at) {
    if (!spend(rules.cost)) return false;
    bool ok = true;
    if (rules.constant && *rules.constant != at.value) {
        ok = refuse(id, "const", at.path, "must be " + quoted(*rules.constant));
    }
    if (!rules.options || std::ranges::find(*rules.options, at.value) != rules.options->end()) return ok;
    if (!curious()) return false;
    std::string listed;
    for (const Json& option : *rules.options) {
        if (listed.size() > 300) {
            listed.append(", …");
            break;
        }
        if (!listed.empty()) listed.append(", ");
        listed.append(quoted(option));
    }
    return refuse(id, "enum", at.path, "must be one of: " + listed);
}

ValidationReport run_program(const Program& program, const Json& value, const ValidateOptions& options) {
    return Evaluator(program, options).run(value);
}

}  // namespace gantry::schema
