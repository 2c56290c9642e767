// Everything we encode, held against the official schema of every revision that has it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/schema/schema.hpp"
#include "base/try.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/message.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::mcp {
namespace {

using enum Revision;

const std::filesystem::path kSchemas = GANTRY_SOURCE_DIR "/../shared/mcp-schema";

class OfficialSchema : public testing::Test {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(kSchemas / "2026-07-28.json"))
            GTEST_SKIP() << "the official MCP schemas are not here";
    }

    static const Json& document(const std::string& name) {
        static std::map<std::string, Json> loaded;
        auto& json = loaded[name];
        if (json.is_null()) {
            std::ifstream file(kSchemas / (name + ".json"));
            std::stringstream text;
            text << file.rdbuf();
            json = Json::parse(text.str()).value();
        }
        return json;
    }

    static Result<void> check(const std::string& name, const std::string& definition, const Json& value) {
        Json schema = document(name);
        const std::string definitions = schema.find("$defs") != nullptr ? "$defs" : "definitions";
        if (schema.find(definitions)->find(definition) == nullptr)
            return fail(ErrorCode::kNotFound, "no such definition");
        schema.if_object()->set("$ref", "#/" + definitions + "/" + definition);
        GANTRY_TRY(const auto compiled, schema::Schema::compile(schema));
        return compiled.check(value);
    }

    /// Fails the test unless `value` satisfies the definition.
    static void expect_fits(const std::string& name, const std::string& definition, const Json& value) {
        const auto checked = check(name, definition, value);
        EXPECT_TRUE(checked) << name << " " << definition << ": " << (checked ? "" : checked.error().message()) << "\n"
                             << value.pretty();
    }

    template <class T>
    static void result(const std::string& definition, const T& value, Revision first, Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            expect_fits(std::string(to_string(revision)), definition, encode(value, revision));
        }
    }

    template <class T>
    static void request(const std::string& definition, std::string_view method, const T& value, Revision first,
                        Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            EXPECT_TRUE(find_method(method, revision)) << method;
            Json params = encode(value, revision);
            RequestMeta meta;
            meta.client_info =
                Implementation{.name = "c", .version = "1", .title = "C", .icons = {{.src = "https://i"}}};
            meta.capabilities = client_capabilities();
            meta.log_level = LogLevel::kInfo;
            meta.progress_token = "t";
            stamp_meta(params, revision, meta);
            const std::string line = encode_message(RequestMessage{"id", std::string(method), std::move(params)});
            expect_fits(std::string(to_string(revision)), definition, Json::parse(line).value());
        }
    }

    template <class T>
    static void notification(const std::string& definition, std::string_view method, const T& value, Revision first,
                             Revision last = k2026_07_28) {
        for (const Revision revision : kAllRevisions) {
            if (revision < first || revision > last) continue;
            EXPECT_TRUE(find_method(method, revision)) << method;
            const std::string line = encode_message(NotificationMessage{std::string(method), encode(value, revision)});
            expect_fits(std::string(to_string(revision)), definition, Json::parse(line).value());
        }
    }

    static ClientCapabilities client_capabilities() {
        ClientCapabilities all;
        all.roots.emplace().list_changed = true;
        all.sampling.emplace().tools = JsonObject{};
        all.sampling->context = JsonObject{};
        all.elicitation.emplace().form = JsonObject{};
        all.elicitation->url = JsonObject{};
        all.tasks.emplace().list = JsonObject{};
        all.tasks->requests = JsonObject{{"sampling", JsonObject{{"createMessage", JsonObject{}}}}};
        all.experimental.set("e", JsonObject{{"k", 1}});
        all.extensions.set(std::string(kTasksExtension), JsonObject{});
        return all;
    }

    static ServerCapabilities server_capabilities() {
        ServerCapabilities all;
        all.tools.emplace().list_changed = true;
        all.prompts.emplace();
        all.resources.emplace().subscribe = true;
        all.completions = JsonObject{};
        all.logging = JsonObject{};
        all.tasks.emplace().cancel = JsonObject{};
        all.tasks->requests = JsonObject{{"tools", JsonObject{{"call", JsonObject{}}}}};
        all.experimental.set("e", JsonObject{});
        all.extensions.set("x/y", JsonObject{});
        return all;
    }

    static Annotations annotations() {
        return {.audience = {Role::kUser, Role::kAssistant}, .priority = 0.5, .last_modified = "2025-01-12T15:00:58Z"};
    }

    static Tool tool() {
        Tool all{.name = "t", .title = "T", .description = "d"};
        all.output_schema = JsonObject{{"type", "object"}};
        all.annotations = ToolAnnotations{.title = "T",
                                          .read_only_hint = true,
                                          .destructive_hint = false,
                                          .idempotent_hint = true,
                                          .open_world_hint = false};
        all.execution.emplace().task_support = TaskSupport::kOptional;
        all.icons = {{.src = "https://i", .mime_type = "image/png", .sizes = {"48x48"}, .theme = IconTheme::kDark}};
        all.meta.set("k", 1);
        return all;
    }

    /// What each revision may carry: audio came with the second, links with the third.
    static std::vector<Content> content(Revision revision) {
        std::vector<Content> blocks = {
            TextContent{.text = "x", .annotations = annotations()},
            ImageContent{.data = "AA==", .mime_type = "image/png"},
            EmbeddedResource{.resource = {.uri = "file:///a", .mime_type = "text/plain", .text = "x"}},
            EmbeddedResource{.resource = {.uri = "file:///a", .blob = "AA=="}, .annotations = annotations()}};
        if (revision >= k2025_03_26) blocks.push_back(AudioContent{.data = "AA==", .mime_type = "audio/wav"});
        if (revision >= k2025_06_18) blocks.push_back(ResourceLink{{.uri = "file:///a", .name = "a", .size = 3}});
        return blocks;
    }

    static ElicitParams form() {
        return {
            .message = "m",
            .requested_schema = Json::parse(R"({"type":"object","required":["a"],"properties":{"a":{"type":"string"},
                    "n":{"type":"integer","minimum":1},"b":{"type":"boolean","default":true},"e":{"type":"string","enum":["x"]}}})")
                                    .value()};
    }

    static TaskState task(TaskStatus status) {
        TaskState all{.task_id = "t",
                      .status = status,
                      .status_message = "s",
                      .created_at = "2025-11-25T10:30:00Z",
                      .last_updated_at = "2025-11-25T10:30:00Z"};
        all.poll_interval_ms = 500;
        return all;
    }
};

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

TEST_F(OfficialSchema, ClientFeatures) {
    CreateMessageParams ask{.messages = {{.role = Role::kUser, .content = {TextContent{.text = "x"}}}},
                            .max_tokens = 5};
    ask.system_prompt = "s";
    ask.model_preferences = ModelPreferences{
        .hints = {{.name = "m"}}, .cost_priority = 0.5, .speed_priority = 1, .intelligence_priority = 0};
    ask.include_context = IncludeContext::kThisServer;
    ask.temperature = 0.5;
    ask.stop_sequences = {"."};
    ask.metadata = JsonObject{{"k", 1}};
    ask.tools = {Tool{.name = "t"}};
    ask.tool_choice.emplace().mode = ToolChoiceMode::kRequired;
    ask.task.emplace().ttl_ms = 1;
    request("CreateMessageRequest", method::kCreateMessage, ask, k2024_11_05, k2025_11_25);
    CreateMessageResult answer{.content = {TextContent{.text = "x"}}, .model = "m", .stop_reason = "endTurn"};
    result("CreateMessageResult", answer, k2024_11_05);
    answer.content = {ToolUseContent{.id = "1", .name = "t"},
                      ToolResultContent{.tool_use_id = "1", .content = content(k2025_11_25), .is_error = true}};
    result("CreateMessageResult", answer, k2025_11_25);

    request("ListRootsRequest", method::kListRoots, EmptyParams{}, k2024_11_05, k2025_11_25);
    result("ListRootsResult", ListRootsResult{.roots = {{.uri = "file:///r", .name = "r"}}}, k2024_11_05);
    notification("RootsListChangedNotification", method::kRootsChanged, EmptyParams{}, k2024_11_05, k2025_11_25);

    request("ElicitRequest", method::kElicit, form(), k2025_06_18, k2025_11_25);
    const ElicitParams page{.mode = ElicitMode::kUrl, .message = "m", .url = "https://x", .elicitation_id = "e"};
    request("ElicitRequest", method::kElicit, page, k2025_11_25, k2025_11_25);
    result("ElicitResult",
           ElicitResult{.action = ElicitAction::kAccept, .content = JsonObject{{"a", "x"}, {"n", 1}, {"b", true}}},
           k2025_06_18);
    result("ElicitResult", ElicitResult{.action = ElicitAction::kDecline}, k2025_06_18);
    notification("ElicitationCompleteNotification", method::kElicitationComplete,
                 ElicitationComplete{.elicitation_id = "e"}, k2025_11_25, k2025_11_25);

    InputRequired asked{.request_state = "s"};
    asked.input_requests = {{"f", form()}, {"u", page}, {"s", ask}, {"r", ListRootsInput{}}};
    result("InputRequiredResult", asked, k2026_07_28);
}

TEST_F(OfficialSchema, Notifications) {
    notification("ProgressNotification", method::kProgress,
                 Progress{.token = 1, .progress = 0.5, .total = 2, .message = "m"}, k2024_11_05);
    notification("LoggingMessageNotification", method::kMessage,
                 LogMessage{.level = LogLevel::kAlert, .logger = "l", .data = JsonObject{{"a", 1}}}, k2024_11_05);
    request("SetLevelRequest", method::kSetLevel, SetLevelParams{.level = LogLevel::kNotice}, k2024_11_05, k2025_11_25);
    notification("CancelledNotification", method::kCancelled, Cancelled{.request_id = RequestId(0), .reason = "r"},
                 k2024_11_05);
    const SubscriptionFilter filter{.tools_list_changed = true, .resource_subscriptions = {"file:///a"}};
    request("SubscriptionsListenRequest", method::kListen, ListenParams{.notifications = filter}, k2026_07_28);
    notification("SubscriptionsAcknowledgedNotification", method::kAcknowledged,
                 SubscriptionsAcknowledged{.notifications = filter}, k2026_07_28);
    EmptyResult ended;
    ended.meta.set(std::string(meta_key::kSubscriptionId), 1);
    result("SubscriptionsListenResult", ended, k2026_07_28);
}

TEST_F(OfficialSchema, ExperimentalTasks) {
    const TaskState working = task(TaskStatus::kWorking);
    result("Task", working, k2025_11_25, k2025_11_25);
    result("CreateTaskResult", CreateTaskResult{.task = working}, k2025_11_25, k2025_11_25);
    result("GetTaskResult", GetTaskResult{.task = working}, k2025_11_25, k2025_11_25);
    result("CancelTaskResult", GetTaskResult{.task = task(TaskStatus::kCancelled)}, k2025_11_25, k2025_11_25);
    result("ListTasksResult", ListTasksResult{.tasks = {working}, .next_cursor = "c"}, k2025_11_25, k2025_11_25);
    for (const auto& [definition, name] :
         std::map<std::string, std::string_view>{{"GetTaskRequest", method::kGetTask},
                                                 {"GetTaskPayloadRequest", method::kTaskResult},
                                                 {"CancelTaskRequest", method::kCancelTask}}) {
        request(definition, name, TaskParams{.task_id = "t"}, k2025_11_25, k2025_11_25);
    }
    request("ListTasksRequest", method::kListTasks, PageParams{}, k2025_11_25, k2025_11_25);
    notification("TaskStatusNotification", method::kLegacyTaskStatus, TaskStatusChanged{.task = working}, k2025_11_25,
                 k2025_11_25);
}

TEST_F(OfficialSchema, TasksExtension) {
    const std::string name = "ext-tasks-draft";
    const auto message = [](std::string_view method, Json params) {
        stamp_meta(params, k2026_07_28, {});
        return Json::parse(encode_message(RequestMessage{1, std::string(method), std::move(params)})).value();
    };
    TaskState input = task(TaskStatus::kInputRequired);
    input.input_requests = {{"f", form()}};
    TaskState completed = task(TaskStatus::kCompleted);
    completed.result = JsonObject{{"content", JsonArray{}}};
    TaskState failed = task(TaskStatus::kFailed);
    failed.error = RpcError{-32603, "m", {}};
    for (const TaskState& state :
         {task(TaskStatus::kWorking), input, completed, failed, task(TaskStatus::kCancelled)}) {
        expect_fits(name, "GetTaskResult", encode(GetTaskResult{.task = state}, k2026_07_28));
        expect_fits(name, "DetailedTask", encode(state, k2026_07_28));
        const auto line = encode_message(NotificationMessage{std::string(method::kTaskStatus),
                                                             encode(TaskStatusChanged{.task = state}, k2026_07_28)});
        expect_fits(name, "TaskStatusNotification", Json::parse(line).value());
    }
    expect_fits(name, "CreateTaskResult", encode(CreateTaskResult{.task = task(TaskStatus::kWorking)}, k2026_07_28));
    expect_fits(name, "GetTaskRequest", message(method::kGetTask, encode(TaskParams{.task_id = "t"}, k2026_07_28)));
    expect_fits(name, "CancelTaskRequest",
                message(method::kCancelTask, encode(TaskParams{.task_id = "t"}, k2026_07_28)));
    const UpdateTaskParams update{
        .task_id = "t", .input_responses = {{"f", encode(ElicitResult{.action = ElicitAction::kCancel}, k2026_07_28)}}};
    expect_fits(name, "UpdateTaskRequest", message(method::kUpdateTask, encode(update, k2026_07_28)));
    expect_fits(name, "UpdateTaskResult", encode(EmptyResult{}, k2026_07_28));
}

TEST_F(OfficialSchema, Errors) {
    const auto message = [](RpcError error) {
        return Json::parse(encode_message(ResponseMessage{RequestId(1), std::unexpected(std::move(error))})).value();
    };
    ClientCapabilities needed;
    needed.sampling.emplace();
    expect_fits("2026-07-28", "MissingRequiredClientCapabilityError", message(missing_capability(needed, "m")));
    expect_fits("2026-07-28", "UnsupportedProtocolVersionError", message(unsupported_version("x", kAllRevisions)));
    expect_fits("2026-07-28", "HeaderMismatchError", message(header_mismatch("m")));
    const std::array pages = {
        ElicitParams{.mode = ElicitMode::kUrl, .message = "m", .url = "https://x", .elicitation_id = "e"}};
    expect_fits("2025-11-25", "URLElicitationRequiredError", message(url_elicitation_required(pages)));
}

/// Every method a schema defines has a row in the method table, with the right direction.
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
            if (bare) continue;  // only ever inside an input round
            const MethodInfo* info = find_method(method, revision);
            ASSERT_TRUE(info) << to_string(revision) << " " << method;
            EXPECT_EQ(info->notification, method.starts_with("notifications/")) << method;
        }
        EXPECT_GT(seen, 10U);
    }
}

}  // namespace
}  // namespace gantry::mcp
