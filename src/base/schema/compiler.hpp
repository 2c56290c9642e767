#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema/program.hpp"

namespace gantry::schema {

/// Compiles every schema reachable from the root into a Node. Uses a work list instead of recursion, so
/// that a chain of references needs no stack.
class Compiler {
public:
    explicit Compiler(const CompileOptions& options) : options_(options), index_(options) {}

    Result<Program> run(const Json& schema);

private:
    /// One keyword being compiled.
    struct Word {
        NodeId id;
        Keyword keyword;
        const std::string& name;
        const Json& value;
    };

    NodeId need(PlaceId id);
    NodeId subschema(const Json& json) { return need(index_.place_of(json)); }
    std::vector<NodeId> subschemas(const JsonArray& list);
    Result<void> drain();
    Result<void> need_dynamic_anchors();
    Result<void> build(NodeId id);
    Result<void> reference(const Word& word);
    Result<void> dynamic_reference(const Word& word);
    Result<void> apply(const Word& word);
    Result<void> apply_in_place(const Word& word);
    Result<void> apply_to_array(const Word& word, const JsonObject& schema);
    Result<void> apply_to_object(const Word& word);
    Result<void> assert_value(const Word& word);
    Result<void> assert_number(const Word& word);
    Result<void> assert_size(const Word& word);
    Result<void> assert_text(const Word& word);
    Result<void> dependencies(const Word& word);
    Result<void> refuse_endless_references() const;
    Result<void> refuse_explosions() const;

    Result<std::uint8_t> types(const Word& word) const;
    Result<std::uint64_t> count(const Word& word) const;
    Result<std::vector<std::string>> names(const Word& word, const Json& list) const;
    Result<const Pattern*> pattern(const Word& word, const std::string& text);
    Result<std::uint64_t> charge_constant(const Word& word, const Json& value);
    std::unexpected<Error> wrong(const Word& word, std::string_view what, ErrorCode code = ErrorCode::kSchema) const;

    Node& node(NodeId id) { return program_.nodes[id]; }
    NumberRules& number(NodeId id);
    StringRules& string(NodeId id);
    ArrayRules& array(NodeId id);
    ObjectRules& object(NodeId id);
    InPlaceRules& in_place(NodeId id);
    ValueRules& value(NodeId id);
    Slot& slot(NodeId id, const std::string& name);
    void finish_object(ObjectRules& rules);

    const CompileOptions& options_;
    Index index_;
    Program program_;
    std::vector<NodeId> work_;
    std::vector<bool> seen_;
    std::map<std::string, const Pattern*, std::less<>> patterns_;
    std::size_t pattern_size_ = 0;
    std::size_t constant_size_ = 0;
    std::vector<std::string> dynamic_names_;
    std::map<std::string, std::size_t, std::less<>> slot_of_;  // for the object being built
};

}  // namespace gantry::schema
