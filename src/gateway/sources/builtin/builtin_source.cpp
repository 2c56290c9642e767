#include "gateway/sources/builtin/builtin_source.hpp"

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "gantry/mcp/tools.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {
namespace {

ItemPtr item_of(const BuiltinTool& tool) {
    mcp::Tool definition;
    definition.name = tool.name;
    definition.description = tool.description;
    definition.input_schema = tool.input_schema;
    definition.annotations = mcp::ToolAnnotations{.read_only_hint = tool.hints.read_only,
                                                  .destructive_hint = tool.hints.destructive,
                                                  .idempotent_hint = tool.hints.idempotent,
                                                  .open_world_hint = tool.hints.open_world};
    Item item{.kind = ItemKind::kTool,
              .name = tool.name,
              .text = mcp::encode(definition, mcp::kLatestRevision).dump(),
              .hints = tool.hints};
    if (auto schema = schema::Schema::compile(tool.input_schema))
        item.input_schema = std::make_shared<const schema::Schema>(*std::move(schema));
    return std::make_shared<const Item>(std::move(item));
}

}  // namespace

BuiltinSource::BuiltinSource(std::string name, std::vector<BuiltinTool> tools) : name_(std::move(name)) {
    Inventory inventory;
    inventory.capabilities.tools = mcp::ListChangedCapability{};
    inventory.is_public = true;
    inventory.modern = true;
    inventory.ttl_ms = std::numeric_limits<std::int64_t>::max();
    for (BuiltinTool& tool : tools) {
        inventory.items.push_back(item_of(tool));
        tools_.emplace(tool.name, std::move(tool));
    }
    inventory_ = std::make_shared<const Inventory>(std::move(inventory));
}

void BuiltinSource::start() {
    if (tell_) tell_({.kind = SourceChange::Kind::kInventory});
}

Task<void> BuiltinSource::stop() {
    co_return;
}

Task<Result<Output>> BuiltinSource::execute(const Context&, const AdmittedCall& call, ReplyLine&) {
    const auto found = tools_.find(call.own_name());
    if (call.verb() != Verb::kCallTool || found == tools_.end())
        co_return fail(ErrorCode::kNotFound, "no tool '" + std::string(call.own_name()) + "'");
    Json arguments = JsonObject{};
    if (call.incoming().view.arguments.is_object()) {
        GANTRY_CO_TRY(arguments, Json::parse(call.incoming().view.arguments.raw()));
    }
    auto text = found->second.run(arguments);
    mcp::CallToolResult result;
    result.is_error = !text.has_value();
    result.content.push_back(mcp::TextContent{.text = text ? *std::move(text) : text.error().message()});
    co_return make_output(mcp::encode(result, mcp::kLatestRevision).dump(), mcp::kLatestRevision);
}

Task<std::set<std::string>> BuiltinSource::follow(const Context&, std::set<std::string>) {
    co_return std::set<std::string>();
}

}  // namespace gantry::gateway
