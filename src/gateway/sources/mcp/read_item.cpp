// Reads one entry of a server's list as an item: decodes it and compiles its schema.

#include <algorithm>

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "gateway/sources/mcp/inventory.hpp"
#include "mcp/protocol/codec.hpp"

namespace gantry::gateway {

namespace {

/// A typical tool's schema has about ten subschemas; one beyond these bounds is not meant for validation.
const schema::CompileOptions kToolSchema{.ignore_unsupported_patterns = true,
                                         .max_nodes = 10'000,
                                         .max_depth = 100,
                                         .max_pattern_size = 50'000,
                                         .max_fan_out = 20'000};

bool is_trivial(const Json& schema) {
    const JsonObject* members = schema.if_object();
    if (members == nullptr) return true;
    return std::ranges::all_of(*members, [](const auto& member) {
        return member.first == "type" || member.first == "$schema" || member.first == "title" ||
               member.first == "description" ||
               (member.first == "properties" && member.second.is_object() && member.second.if_object()->empty());
    });
}

Result<void> read_tool(const Json& entry, mcp::Revision revision, bool mirrors_headers, Item& item) {
    GANTRY_TRY(const mcp::Tool tool, mcp::decode<mcp::Tool>(entry, revision));
    item.name = tool.name;
    if (tool.annotations) {
        item.hints = {.read_only = tool.annotations->read_only(),
                      .destructive = tool.annotations->destructive(),
                      .idempotent = tool.annotations->idempotent(),
                      .open_world = tool.annotations->open_world()};
    }
    if (revision == mcp::Revision::k2025_11_25 && tool.execution && tool.execution->task_support) {
        if (*tool.execution->task_support == mcp::TaskSupport::kOptional) item.task_use = TaskUse::kOptional;
        if (*tool.execution->task_support == mcp::TaskSupport::kRequired) item.task_use = TaskUse::kRequired;
    }
    auto mirrored = mcp::header_params(tool.input_schema);
    if (mirrored) {
        item.header_params = *std::move(mirrored);
    } else if (mirrors_headers) {
        return fail(mirrored.error());
    }
    if (is_trivial(tool.input_schema)) return {};
    auto compiled = schema::Schema::compile(tool.input_schema, kToolSchema);
    // Without a schema the server alone validates the arguments.
    if (compiled) {
        item.input_schema = std::make_shared<const schema::Schema>(*std::move(compiled));
    } else {
        item.schema_fault = compiled.error().message();
    }
    return {};
}

template <class Entry>
Result<void> read_named(const Json& entry, mcp::Revision revision, std::string Entry::* name, Item& item) {
    GANTRY_TRY(const Entry read, mcp::decode<Entry>(entry, revision));
    item.name = read.*name;
    return {};
}

}  // namespace

Result<ItemPtr> read_item(ItemKind kind, const Json& entry, mcp::Revision revision, bool mirrors_headers) {
    auto item = std::make_shared<Item>();
    item->kind = kind;
    item->revision = revision;
    switch (kind) {
        case ItemKind::kTool: {
            GANTRY_CHECK(read_tool(entry, revision, mirrors_headers, *item));
            break;
        }
        case ItemKind::kPrompt: {
            GANTRY_CHECK(read_named(entry, revision, &mcp::Prompt::name, *item));
            break;
        }
        case ItemKind::kResource: {
            GANTRY_CHECK(read_named(entry, revision, &mcp::Resource::uri, *item));
            break;
        }
        case ItemKind::kTemplate: {
            GANTRY_CHECK(read_named(entry, revision, &mcp::ResourceTemplate::uri_template, *item));
            break;
        }
    }
    if (item->name.empty()) return fail(ErrorCode::kProtocol, "it has no name");
    item->text = entry.dump();
    return item;
}

}  // namespace gantry::gateway
