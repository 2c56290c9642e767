#include "scenarios.hpp"

#include <cstdio>

namespace conformance {

namespace {

using gantry::Client;
using gantry::Json;
using gantry::JsonObject;
using gantry::Result;
namespace mcp = gantry::mcp;

Result<mcp::ElicitResult> accept_with(JsonObject content) {
    mcp::ElicitResult result;
    result.action = mcp::ElicitAction::kAccept;
    result.content = std::move(content);
    return result;
}

gantry::Handlers handlers_for(const Setting& setting) {
    gantry::Handlers handlers;
    const bool confirms = setting.scenario == "sep-2322-client-request-state";
    handlers.elicit = [confirms](const mcp::ElicitParams&) {
        return accept_with(confirms ? JsonObject{{"confirmed", true}} : JsonObject{});
    };
    if (setting.scenario == "request-metadata") {
        handlers.sample = [](const mcp::CreateMessageParams&) -> Result<mcp::CreateMessageResult> {
            mcp::CreateMessageResult result;
            result.model = "none";
            result.content = {mcp::TextContent{.text = "nothing to say"}};
            return result;
        };
        handlers.roots = [] { return Result<std::vector<mcp::Root>>(); };
    }
    return handlers;
}

Result<void> call(Client& client, const std::string& tool, JsonObject arguments) {
    auto result = client.call(tool, std::move(arguments), {.validate = false});
    if (!result) return std::unexpected(result.error());
    return {};
}

/// A tool that fails on purpose must not end the scenario.
void try_call(Client& client, const std::string& tool, JsonObject arguments) {
    if (auto called = call(client, tool, std::move(arguments)); !called) {
        std::fprintf(stderr, "%s: %s\n", tool.c_str(), called.error().to_string().c_str());
    }
}

/// Uses the first tool, resource and prompt the server lists.
Result<void> use_one_of_each(Client& client) {
    auto tools = client.list_tools();
    if (!tools) return std::unexpected(tools.error());
    if (!tools->empty()) try_call(client, tools->front().definition().name, {});
    if (auto resources = client.list_resources(); resources && !resources->empty()) {
        if (auto read = client.read_resource(resources->front().uri); !read) return std::unexpected(read.error());
    }
    if (auto prompts = client.list_prompts(); prompts && !prompts->empty()) {
        gantry::Fields arguments;
        for (const auto& argument : prompts->front().arguments) arguments.emplace_back(argument.name, "x");
        if (auto got = client.get_prompt(prompts->front().name, arguments); !got) return std::unexpected(got.error());
    }
    return {};
}

Result<void> call_as_told(Client& client, const Json& context) {
    const Json* calls = context.find("toolCalls");
    if (calls == nullptr || !calls->is_array())
        return gantry::fail(gantry::ErrorCode::kInvalidArgument, "the context names no toolCalls");
    for (const Json& one : *calls->if_array()) {
        const Json* arguments = one.find("arguments");
        const JsonObject given =
            arguments != nullptr && arguments->is_object() ? *arguments->if_object() : JsonObject{};
        try_call(client, std::string(one.string_at("name")), given);
    }
    return {};
}

Result<void> echo_schema(Client& client, const std::vector<gantry::Tool>& tools) {
    for (const gantry::Tool& tool : tools) {
        if (tool.name() == "json_schema_2020_12_tool")
            return call(client, "json_schema_echo", {{"schema", tool.input_schema()}});
    }
    return gantry::fail(gantry::ErrorCode::kNotFound, "the server lists no json_schema_2020_12_tool");
}

Result<void> follow(const Setting& setting, Client& client) {
    auto tools = client.list_tools();
    if (!tools) return std::unexpected(tools.error());
    const std::string& name = setting.scenario;
    if (name == "tools_call") return call(client, "add_numbers", {{"a", 5}, {"b", 3}});
    if (name == "elicitation-sep1034-client-defaults") return call(client, "test_client_elicitation_defaults", {});
    if (name == "sse-retry") return call(client, "test_reconnection", {});
    if (name == "http-standard-headers") return use_one_of_each(client);
    if (name == "http-custom-headers") return call_as_told(client, setting.context);
    if (name == "json-schema-2020-12-preservation") return echo_schema(client, *tools);
    if (name == "http-invalid-tool-headers") {
        for (const gantry::Tool& tool : *tools) try_call(client, tool.name(), {{"region", "us-west1"}});
        return {};
    }
    if (name == "sep-2322-client-request-state") {
        for (const char* tool :
             {"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"}) {
            try_call(client, tool, {});
        }
        return {};
    }
    if (name.starts_with("auth/")) return call(client, "test-tool", {});
    return {};
}

}  // namespace

Result<void> play(const Setting& setting) {
    gantry::HttpServer server{.url = setting.url, .transport = gantry::HttpServer::Transport::kStreamableHttp};
    if (setting.scenario.starts_with("auth/")) server.authorization = authorization_for(setting);
    auto client = gantry::connect({.server = std::move(server), .era = setting.era, .handlers = handlers_for(setting)});
    if (!client) return std::unexpected(client.error());
    auto followed = follow(setting, *client);
    client->close();
    return followed;
}

}  // namespace conformance
