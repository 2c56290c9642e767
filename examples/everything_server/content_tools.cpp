#include "fixture.hpp"
#include "io/loop.hpp"

namespace everything {
namespace {

using gantry::milliseconds;
using mcp::ServerCall;

constexpr std::string_view kSchemaOf2020 = R"({
    "$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
    "$defs":{"address":{"$anchor":"addressDef","type":"object",
        "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
    "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
        "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
    "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
    "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
    "then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false})";

mcp::EmbeddedResource embedded(std::string uri, std::string type, std::string text) {
    mcp::EmbeddedResource block;
    block.resource.uri = std::move(uri);
    block.resource.mime_type = std::move(type);
    block.resource.text = std::move(text);
    return block;
}

mcp::ImageContent image() {
    return {.data = std::string(kPng), .mime_type = "image/png"};
}

mcp::CallToolResult of(std::vector<mcp::Content> content) {
    mcp::CallToolResult result;
    result.content = std::move(content);
    return result;
}

/// Tools that always say the same.
void add_constant(mcp::Server& server, std::string name, std::string description, mcp::CallToolResult result) {
    must(server.add(tool(std::move(name), std::move(description)), [result = std::move(result)](
                                                                       const Context&, ServerCall&, JsonObject) {
        return [](mcp::CallToolResult result) -> Task<Result<mcp::CallToolResult>> { co_return result; }(result);
    }));
}

Task<Result<mcp::CallToolResult>> with_progress(const Context& ctx, ServerCall& call, JsonObject) {
    for (const int step : {0, 50, 100}) {
        call.progress(step, 100, "Completed step " + std::to_string(step) + " of 100");
        if (auto slept = co_await gantry::sleep_for(ctx, milliseconds(50)); !slept)
            co_return gantry::fail(slept.error());
    }
    co_return text("Tool with progress executed successfully");
}

Task<Result<mcp::CallToolResult>> with_logging(const Context& ctx, ServerCall& call, JsonObject) {
    for (const char* line : {"Tool execution started", "Tool processing data", "Tool execution completed"}) {
        call.log(mcp::LogLevel::kInfo, line, "everything");
        if (auto slept = co_await gantry::sleep_for(ctx, milliseconds(50)); !slept)
            co_return gantry::fail(slept.error());
    }
    co_return text("Tool with logging executed successfully");
}

Task<Result<mcp::CallToolResult>> log_once(const Context&, ServerCall& call, JsonObject) {
    call.log(mcp::LogLevel::kInfo, "A line for whoever asked to hear it", "everything");
    co_return text("Logged, if you wanted to know");
}

Task<Result<mcp::CallToolResult>> reconnect(const Context& ctx, ServerCall& call, JsonObject) {
    call.hang_up(milliseconds(500));
    if (auto slept = co_await gantry::sleep_for(ctx, milliseconds(100)); !slept) co_return gantry::fail(slept.error());
    co_return text("Reconnection test completed successfully. If you received this, the client properly reconnected.");
}

Task<Result<mcp::CallToolResult>> trigger(mcp::Server* server, mcp::Change::Kind kind) {
    server->list_changed(kind);
    co_return text("The list has changed");
}

Task<Result<mcp::CallToolResult>> echo_region(const Context&, ServerCall&, JsonObject arguments) {
    co_return text("Called with " + std::to_string(arguments.size()) + " argument(s)");
}

}  // namespace

void add_content_tools(mcp::Server& server) {
    add_constant(server, "test_simple_text", "Returns one text block",
                 text("This is a simple text response for testing."));
    add_constant(server, "test_image_content", "Returns one image", of({image()}));
    add_constant(server, "test_audio_content", "Returns one sound",
                 of({mcp::AudioContent{.data = std::string(kWav), .mime_type = "audio/wav"}}));
    add_constant(server, "test_embedded_resource", "Returns a resource inside the result",
                 of({embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
    add_constant(server, "test_multiple_content_types", "Returns text, an image and a resource",
                 of({mcp::TextContent{.text = "Multiple content types test:"}, image(),
                     embedded("test://mixed-content-resource", "application/json", R"({"test":"data","value":123})")}));
    mcp::CallToolResult failure = text("This tool intentionally returns an error for testing");
    failure.is_error = true;
    add_constant(server, "test_error_handling", "Always fails", std::move(failure));

    must(server.add(tool("test_tool_with_progress", "Tells how far it is"), with_progress));
    must(server.add(tool("test_tool_with_logging", "Logs three lines"), with_logging));
    must(server.add(tool("test_logging_tool", "Logs one line to clients that want it"), log_once));
    must(server.add(tool("test_reconnection", "Ends its stream before its answer"), reconnect));
    must(server.add(tool("json_schema_2020_12_tool", "Has every keyword of its schema", kSchemaOf2020), echo_region));
    must(server.add(tool("test_x_mcp_header", "Mirrors an argument in a header",
                         R"({"type":"object","properties":{
                             "region":{"type":"string","description":"Where","x-mcp-header":"Region"},
                             "level":{"type":"integer","description":"How much"}}})"),
                    echo_region));
    for (const auto& [name, kind] : {std::pair("test_trigger_tool_change", mcp::Change::Kind::kTools),
                                     std::pair("test_trigger_prompt_change", mcp::Change::Kind::kPrompts)}) {
        must(server.add(
            tool(name, "Tells listeners that a list has changed"),
            [server = &server, kind](const Context&, ServerCall&, JsonObject) { return trigger(server, kind); }));
    }
}

}  // namespace everything
