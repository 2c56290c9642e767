// Messages of servers, and the method table, validated against the official schemas.

#include "mcp/protocol/official_schema_test_support.hpp"

namespace gantry::mcp {
namespace {

TEST_F(OfficialSchema, RefusesWhatIsWrong) {
    for (const Revision revision : kAllRevisions) {
        const std::string name(to_string(revision));
        for (const auto& [definition, value] : std::vector<std::pair<std::string, Json>>{
                 {"Tool", JsonObject{{"name", "t"}}},
                 {"CallToolResult", JsonObject{{"resultType", "complete"}, {"content", JsonArray{1}}}},
                 {"Implementation", JsonObject{{"name", 1}, {"version", "1"}}}}) {
            const auto checked = check(name, definition, value);
            ASSERT_FALSE(checked) << name << " " << definition;
            EXPECT_EQ(checked.error().code(), ErrorCode::kSchema) << checked.error().message();
        }
    }
    EXPECT_FALSE(check("2026-07-28", "EmptyResult", encode(EmptyResult{}, k2025_11_25)));
}

TEST_F(OfficialSchema, Lifecycle) {
    const Implementation self{
        .name = "g", .version = "1", .title = "G", .description = "d", .website_url = "https://w"};
    for (const Revision revision : kAllRevisions) {
        if (is_modern(revision)) continue;
        request("InitializeRequest", method::kInitialize,
                InitializeParams{.protocol_version = std::string(to_string(revision)),
                                 .capabilities = client_capabilities(),
                                 .client_info = self},
                revision, revision);
        result("InitializeResult",
               InitializeResult{.protocol_version = std::string(to_string(revision)),
                                .capabilities = server_capabilities(),
                                .server_info = self,
                                .instructions = "i"},
               revision, revision);
    }
    notification("InitializedNotification", method::kInitialized, EmptyParams{}, k2024_11_05, k2025_11_25);
    request("PingRequest", method::kPing, EmptyParams{}, k2024_11_05, k2025_11_25);
    result("EmptyResult", EmptyResult{}, k2024_11_05);
    request("DiscoverRequest", method::kDiscover, EmptyParams{}, k2026_07_28);
    DiscoverResult discovered{
        .supported_versions = {"2026-07-28"}, .capabilities = server_capabilities(), .instructions = "i"};
    stamp_server_info(discovered.meta, self);
    result("DiscoverResult", discovered, k2026_07_28);
    for (const Revision revision : kAllRevisions) {
        result("ClientCapabilities", client_capabilities(), revision, revision);
        result("ServerCapabilities", server_capabilities(), revision, revision);
        result("Implementation", self, revision, revision);
    }
}

TEST_F(OfficialSchema, Tools) {
    request("ListToolsRequest", method::kListTools, PageParams{.cursor = "c"}, k2024_11_05);
    result("Tool", tool(), k2024_11_05);
    result("ListToolsResult", ListToolsResult{.tools = {tool(), Tool{.name = "min"}}, .next_cursor = "n"}, k2024_11_05);
    CallToolParams call{.name = "t", .arguments = {{"a", 1}}};
    call.task.emplace().ttl_ms = 5;
    call.input_responses = JsonObject{{"k", JsonObject{{"action", "accept"}}}};
    call.request_state = "s";
    request("CallToolRequest", method::kCallTool, call, k2024_11_05);
    for (const Revision revision : kAllRevisions) {
        result("CallToolResult",
               CallToolResult{.content = content(revision), .structured_content = JsonArray{1}, .is_error = true},
               revision, revision);
        result("CallToolResult", CallToolResult{.structured_content = JsonObject{{"a", 1}}}, revision, revision);
    }
    notification("ToolListChangedNotification", method::kToolsChanged, EmptyParams{}, k2024_11_05);
}

TEST_F(OfficialSchema, Resources) {
    const Resource resource{.uri = "file:///a",
                            .name = "a",
                            .title = "A",
                            .description = "d",
                            .mime_type = "text/plain",
                            .size = 3,
                            .annotations = annotations(),
                            .icons = {{.src = "https://i"}}};
    request("ListResourcesRequest", method::kListResources, PageParams{}, k2024_11_05);
    request("ListResourceTemplatesRequest", method::kListResourceTemplates, PageParams{}, k2024_11_05);
    result("ListResourcesResult", ListResourcesResult{.resources = {resource}, .next_cursor = ""}, k2024_11_05);
    result("ListResourceTemplatesResult",
           ListResourceTemplatesResult{.resource_templates = {{.uri_template = "file:///{x}",
                                                               .name = "x",
                                                               .title = "X",
                                                               .annotations = annotations()}}},
           k2024_11_05);
    request("ReadResourceRequest", method::kReadResource, ReadResourceParams{.uri = "file:///a", .request_state = "s"},
            k2024_11_05);
    result("ReadResourceResult",
           ReadResourceResult{
               .contents = {{.uri = "file:///a", .text = "x"}, {.uri = "file:///b", .mime_type = "m", .blob = "AA=="}},
               .ttl_ms = 5,
               .cache_scope = CacheScope::kPublic},
           k2024_11_05);
    request("SubscribeRequest", method::kSubscribe, SubscribeParams{.uri = "file:///a"}, k2024_11_05, k2025_11_25);
    request("UnsubscribeRequest", method::kUnsubscribe, SubscribeParams{.uri = "file:///a"}, k2024_11_05, k2025_11_25);
    notification("ResourceUpdatedNotification", method::kResourceUpdated, ResourceUpdated{.uri = "file:///a"},
                 k2024_11_05);
    notification("ResourceListChangedNotification", method::kResourcesChanged, EmptyParams{}, k2024_11_05);
}

TEST_F(OfficialSchema, PromptsAndCompletion) {
    const Prompt prompt{.name = "p",
                        .title = "P",
                        .description = "d",
                        .arguments = {{.name = "a", .title = "A", .required = true}},
                        .icons = {{.src = "https://i"}}};
    request("ListPromptsRequest", method::kListPrompts, PageParams{}, k2024_11_05);
    result("ListPromptsResult", ListPromptsResult{.prompts = {prompt}}, k2024_11_05);
    request("GetPromptRequest", method::kGetPrompt, GetPromptParams{.name = "p", .arguments = {{"a", "b"}}},
            k2024_11_05);
    for (const Revision revision : kAllRevisions) {
        GetPromptResult got{.description = "d"};
        for (Content& block : content(revision))
            got.messages.push_back({.role = Role::kAssistant, .content = std::move(block)});
        result("GetPromptResult", got, revision, revision);
    }
    notification("PromptListChangedNotification", method::kPromptsChanged, EmptyParams{}, k2024_11_05);
    request("CompleteRequest", method::kComplete,
            CompleteParams{.ref = PromptReference{.name = "p", .title = "P"},
                           .argument = {.name = "a", .value = ""},
                           .context = CompletionContext{.arguments = {{"b", "c"}}}},
            k2024_11_05);
    request("CompleteRequest", method::kComplete,
            CompleteParams{.ref = ResourceReference{.uri = "file:///{a}"}, .argument = {.name = "a", .value = "v"}},
            k2024_11_05);
    result("CompleteResult", CompleteResult{.completion = {.values = {"v"}, .total = 1, .has_more = false}},
           k2024_11_05);
}

TEST_F(OfficialSchema, MethodTableIsComplete) {
    for (const Revision revision : kAllRevisions) {
        const Json& schema = document(std::string(to_string(revision)));
        const Json* definitions = schema.find("$defs") != nullptr ? schema.find("$defs") : schema.find("definitions");
        std::size_t seen = 0;
        for (const auto& [name, definition] : *definitions->if_object()) {
            const Json* constant = definition.at_pointer("/properties/method/const");
            if (constant == nullptr) continue;
            ++seen;
            const std::string& method = *constant->if_string();
            const bool bare = is_modern(revision) && definition.at_pointer("/properties/jsonrpc") == nullptr;
            if (bare) continue;  // only occurs inside an input round
            const MethodInfo* info = find_method(method, revision);
            ASSERT_TRUE(info) << to_string(revision) << " " << method;
            EXPECT_EQ(info->notification, method.starts_with("notifications/")) << method;
        }
        EXPECT_GT(seen, 10U);
    }
}

}  // namespace
}  // namespace gantry::mcp
