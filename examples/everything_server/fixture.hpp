#pragma once

#include "mcp/handlers/server.hpp"

// Everything the official conformance suite looks for in a server, under the names it looks for. Handlers are written
// once: the same function serves legacy clients, asked while they wait, and modern ones, asked in rounds.

namespace everything {

using gantry::Context;
using gantry::Json;
using gantry::JsonObject;
using gantry::Result;
using gantry::Task;
namespace mcp = gantry::mcp;

/// What the server calls itself.
mcp::Implementation self();
mcp::ServerOptions options();

/// All of it. `server` must live as long as its handlers are called.
void furnish(mcp::Server& server);

void add_content_tools(mcp::Server& server);
void add_asking_tools(mcp::Server& server);
void add_round_tools(mcp::Server& server);
void add_task_tools(mcp::Server& server);
void add_resources(mcp::Server& server);
void add_prompts(mcp::Server& server);

/// JSON written in this program; a mistake in it ends the program.
Json json(std::string_view text);
mcp::CallToolResult text(std::string text);
mcp::Tool tool(std::string name, std::string description, std::string_view input_schema = R"({"type":"object"})");
mcp::ElicitParams form(std::string message, std::string_view schema);
mcp::CreateMessageParams prompt_for_model(std::string text);
/// Ends the program when the fixture itself is wrong.
void must(const Result<void>& added);

/// A red pixel and a moment of silence, in base64.
extern const std::string_view kPng;
extern const std::string_view kWav;

}  // namespace everything
