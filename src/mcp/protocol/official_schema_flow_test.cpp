// Messages of clients, and those sent while a request runs, validated against the official schemas.

#include "mcp/protocol/official_schema_test_support.hpp"

namespace gantry::mcp {
namespace {

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

/// Every method defined by a schema has an entry in the method table, with the right direction.

}  // namespace
}  // namespace gantry::mcp
