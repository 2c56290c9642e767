#include "mcp/client/tool_schemas.hpp"

#include <algorithm>

#include "base/schema/argument_error.hpp"

namespace gantry::mcp {

const std::optional<schema::Schema>& ToolSchemas::find(const ToolDefinition& tool, Part part) {
    const Key key(tool.get(), part);
    auto found = kept_.find(key);
    if (found == kept_.end()) {
        if (kept_.size() >= kMaxKept) {
            kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second.used; }));
        }
        const Json& source = part == Part::kInput ? tool->input_schema : *tool->output_schema;
        auto compiled = schema::Schema::compile(source, {.ignore_unsupported_patterns = true});
        ++compiled_;
        Kept kept{.tool = tool};
        if (compiled) kept.schema = *std::move(compiled);
        found = kept_.emplace(key, std::move(kept)).first;
    }
    found->second.used = ++uses_;
    return found->second.schema;
}

Result<void> ToolSchemas::check_arguments(const ToolDefinition& tool, const JsonObject& arguments) {
    const auto& schema = find(tool, Part::kInput);
    if (!schema) return {};
    if (const auto report = schema->validate(arguments); !report.valid())
        return fail(schema::argument_error(report, tool->input_schema));
    return {};
}

Result<void> ToolSchemas::check_result(const ToolDefinition& tool, const Json& structured) {
    if (!tool->output_schema) return {};
    const auto& schema = find(tool, Part::kOutput);
    if (!schema) return {};
    if (auto checked = schema->check(structured); !checked)
        return fail(checked.error().within("structured result of '" + tool->name + "'"));
    return {};
}

}  // namespace gantry::mcp
