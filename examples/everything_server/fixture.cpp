#include "fixture.hpp"

#include <cstdio>
#include <cstdlib>

namespace everything {

const std::string_view kPng =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const std::string_view kWav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

mcp::Implementation self() {
    mcp::Implementation self;
    self.name = "gantry-everything-server";
    self.version = "1.0.0";
    return self;
}

mcp::ServerOptions options() {
    mcp::ServerOptions options;
    options.instructions = "A server with one of everything, for conformance tests.";
    options.tasks.poll_interval = gantry::milliseconds(100);
    return options;
}

void furnish(mcp::Server& server) {
    add_content_tools(server);
    add_asking_tools(server);
    add_round_tools(server);
    add_task_tools(server);
    add_resources(server);
    add_prompts(server);
}

Json json(std::string_view text) {
    auto parsed = Json::parse(text);
    if (!parsed) must(gantry::fail(parsed.error()));
    return *std::move(parsed);
}

mcp::CallToolResult text(std::string text) {
    mcp::CallToolResult result;
    result.content.push_back(mcp::TextContent{.text = std::move(text)});
    return result;
}

mcp::Tool tool(std::string name, std::string description, std::string_view input_schema) {
    mcp::Tool tool;
    tool.name = std::move(name);
    tool.description = std::move(description);
    tool.input_schema = json(input_schema);
    return tool;
}

mcp::ElicitParams form(std::string message, std::string_view schema) {
    mcp::ElicitParams params;
    params.message = std::move(message);
    params.requested_schema = json(schema);
    return params;
}

mcp::CreateMessageParams prompt_for_model(std::string text) {
    mcp::CreateMessageParams params;
    mcp::SamplingMessage message;
    message.role = mcp::Role::kUser;
    message.content.push_back(mcp::TextContent{.text = std::move(text)});
    params.messages.push_back(std::move(message));
    params.max_tokens = 100;
    return params;
}

void must(const Result<void>& added) {
    if (added) return;
    std::fprintf(stderr, "everything_server: %s\n", added.error().to_string().c_str());
    std::abort();
}

}  // namespace everything
