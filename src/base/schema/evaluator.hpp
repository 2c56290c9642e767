#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/evaluated.hpp"
#include "base/schema/program.hpp"

namespace gantry::schema {

/// Path from the root value to the current one. A linked list on the stack; converted to text
/// only for a report.
struct Path {
    const Path* parent = nullptr;
    std::string_view key;  ///< member name, unless `index` names an element
    std::size_t index = kMember;

    static constexpr std::size_t kMember = ~std::size_t{0};
};

/// The mutable state of one evaluation of a program against a value.
class Evaluator {
public:
    Evaluator(const Program& program, const ValidateOptions& options)
        : program_(program),
          options_(options),
          max_issues_(options.max_issues == 0 ? 1 : options.max_issues),
          steps_left_(options.max_steps) {}

    ValidationReport run(const Json& value);

private:
    /// A value, its path, and where to record what was evaluated of it.
    struct At {
        const Json& value;
        const Path* path;
        Evaluated* evaluated;
    };

    bool apply(NodeId id, const At& at);
    bool apply_rules(NodeId id, const Node& node, const At& at);
    /// Whether the value would be accepted, without reporting.
    bool accepts(NodeId id, const At& at);

    bool check_type(NodeId id, const Node& node, const At& at);
    bool check_value(NodeId id, const ValueRules& rules, const At& at);
    bool check_number(NodeId id, const NumberRules& rules, const At& at);
    bool check_string(NodeId id, const StringRules& rules, const At& at);
    bool check_array(NodeId id, const ArrayRules& rules, const At& at);
    bool check_items(NodeId id, const ArrayRules& rules, const At& at);
    bool check_contains(NodeId id, const ArrayRules& rules, const At& at);
    bool check_unique(NodeId id, const At& at);
    bool check_object(NodeId id, const ObjectRules& rules, const At& at);
    bool check_members(NodeId id, const ObjectRules& rules, const At& at);
    bool check_member(NodeId id, const ObjectRules& rules, const At& at, std::size_t place,
                      const JsonObject::Member& member, const Slot* slot);
    bool check_name(NodeId id, const ObjectRules& rules, const At& at, const std::string& name);
    bool report_missing(NodeId id, const ObjectRules& rules, const At& at);
    bool check_dependent_names(NodeId id, const ObjectRules& rules, const At& at);
    bool check_in_place(NodeId id, const InPlaceRules& rules, const At& at);
    bool check_any_of(NodeId id, const InPlaceRules& rules, const At& at);
    bool check_one_of(NodeId id, const InPlaceRules& rules, const At& at);
    bool check_condition(const InPlaceRules& rules, const At& at);
    bool check_unevaluated_items(NodeId id, NodeId rest, const At& at);
    bool check_unevaluated_properties(NodeId id, NodeId rest, const At& at);
    bool explain_alternatives(NodeId id, const std::vector<NodeId>& branches, const char* keyword, const At& at);
    NodeId dynamic_target(const InPlaceRules& rules);
    /// Recording a branch is counted as work too: one bit per member or element.
    bool merge(Evaluated& into, const Evaluated& branch);

    /// False once a limit is reached; then everything returns at once.
    bool spend(std::uint64_t steps);
    void stop(std::string why);
    /// Records the issue unless evaluating quietly. Always returns false.
    bool refuse(NodeId id, std::string_view keyword, const Path* path, std::string expectation);
    /// Whether looking for further issues after a failure is useful.
    bool curious() const { return quiet_ == 0 && !stopped_ && report_.issues.size() < max_issues_; }

    const Program& program_;
    const ValidateOptions& options_;
    std::size_t max_issues_;
    ValidationReport report_;
    std::vector<std::uint32_t> scopes_;
    std::uint64_t steps_left_;
    std::size_t depth_ = 0;
    unsigned quiet_ = 0;
    bool stopped_ = false;
};

/// RFC 6901, with long names truncated.
std::string pointer_text(const Path* path);
/// "string or null".
std::string type_names(std::uint8_t types);
std::uint8_t type_of(const Json& value) noexcept;
/// Adds the steps it takes to `work`.
std::uint64_t hash_value(const Json& value, std::uint64_t& work, unsigned depth = 0);

}  // namespace gantry::schema
