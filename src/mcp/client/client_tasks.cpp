// Client's tasks: calls that continue after their request was answered, in both protocol forms.

#include <algorithm>
#include <iterator>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/client.hpp"
#include "mcp/client/inputs.hpp"
#include "mcp/client/list_page.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/result.hpp"

namespace gantry::mcp {

namespace {

constexpr Duration kUsualPoll = seconds(1);
constexpr Duration kShortestPoll = milliseconds(20);
constexpr Duration kLongestPoll = seconds(60);
constexpr Duration kCancelWithin = seconds(5);

Duration poll_interval(const TaskState& task) {
    if (!task.poll_interval_ms) return kUsualPoll;
    return std::clamp<Duration>(milliseconds(std::clamp<std::int64_t>(*task.poll_interval_ms, 0, 3'600'000)),
                                kShortestPoll, kLongestPoll);
}

bool runs_tasks(const ServerCapabilities& capabilities) {
    if (!capabilities.tasks || !capabilities.tasks->requests) return false;
    const Json* tools = capabilities.tasks->requests->find("tools");
    return tools != nullptr && tools->find("call") != nullptr;
}

}  // namespace

Task<Result<Client::Started>> Client::start_tool(const Context& ctx, std::string name, JsonObject arguments,
                                                 CallSettings call, bool prefer_task) {
    CallToolParams params;
    params.name = std::move(name);
    params.arguments = std::move(arguments);
    bool as_task = false;
    RetryBudget budget = supervisor_.begin();
    if (server().revision == Revision::k2025_11_25 && runs_tasks(server().capabilities)) {
        ToolDefinition tool = known_definition(params.name);
        if (!tool) {
            // Only the list says which tools may or must run as tasks.
            GANTRY_CO_CHECK(co_await list_tools(ctx, false, budget));
            tool = known_definition(params.name);
        }
        const auto support = tool && tool->execution ? tool->execution->task_support : std::nullopt;
        as_task =
            support && (*support == TaskSupport::kRequired || (prefer_task && *support == TaskSupport::kOptional));
        if (as_task) {
            params.task.emplace();
            if (call.task_ttl) params.task->ttl_ms = std::chrono::duration_cast<milliseconds>(*call.task_ttl).count();
        }
    }
    GANTRY_CO_TRY(const Json answer, co_await send_call(ctx, std::move(params), call, budget));
    const Revision revision = server().revision;
    GANTRY_CO_TRY(auto decoded,
                  decode_answer<CallToolResult>(answer, revision, *find_method(method::kCallTool, revision), as_task));
    if (auto* task = std::get_if<CreateTaskResult>(&decoded)) co_return Started(std::move(task->task));
    if (auto* result = std::get_if<CallToolResult>(&decoded)) co_return Started(std::move(*result));
    co_return fail(ErrorCode::kProtocol, "tools/call: the server asked for input outside a round");
}

Task<Result<TaskState>> Client::get_task(const Context& ctx, std::string task_id) {
    TaskParams params;
    params.task_id = std::move(task_id);
    GANTRY_CO_TRY(GetTaskResult got, co_await ask<GetTaskResult>(ctx, "tasks/get", encode(params, server().revision)));
    co_return std::move(got.task);
}

Task<Result<void>> Client::cancel_task(const Context& ctx, std::string task_id) {
    TaskParams params;
    params.task_id = std::move(task_id);
    SessionRequest asked{.method = std::string(method::kCancelTask),
                         .params = std::move(*encode(params, server().revision).if_object()),
                         .times = settings_.times};
    GANTRY_CO_CHECK(co_await request(ctx, std::move(asked), true));
    co_return Result<void>();
}

Task<Result<CallToolResult>> Client::finish_task(const Context& ctx, TaskState task, FollowSettings settings) {
    auto result = co_await follow(ctx, std::move(task), settings.cancel_when_given_up);
    if (result && !settings.tool.empty()) GANTRY_CO_CHECK(co_await check_structured(ctx, settings.tool, *result));
    co_return result;
}

Task<Result<CallToolResult>> Client::follow(const Context& ctx, TaskState task, bool cancel_when_given_up) {
    std::set<std::string> answered;
    for (;;) {
        const auto status = task.status.known();
        if (!status) co_return fail(ErrorCode::kProtocol, "the server reports a task status this client does not know");
        if (!is_modern(server().revision) && (is_terminal(*status) || *status == TaskStatus::kInputRequired)) {
            co_return co_await finish_legacy_task(ctx, task.task_id);
        }
        switch (*status) {
            case TaskStatus::kCompleted: {
                if (!task.result)
                    co_return fail(ErrorCode::kProtocol, "the server completed a task without its result");
                co_return decode<CallToolResult>(*task.result, server().revision);
            }
            case TaskStatus::kFailed: {
                RpcError why = task.error.value_or(RpcError{.code = -32603, .message = "the task failed", .data = {}});
                co_return fail(Error(ErrorCode::kRpc, "the task failed: " + why.message).rpc(std::move(why)));
            }
            case TaskStatus::kCancelled: co_return fail(ErrorCode::kCancelled, "the task was cancelled");
            case TaskStatus::kInputRequired:
            case TaskStatus::kWorking: break;
        }
        auto next = co_await advance(ctx, task, answered);
        if (!next && cancel_when_given_up && !ctx.check()) {
            // The caller gave up; the server need not continue.
            auto told = co_await cancel_task(Context::background().within(kCancelWithin), task.task_id);
            static_cast<void>(told);  // best effort
        }
        if (!next) co_return fail(next.error());
        task = *std::move(next);
    }
}

Task<Result<std::vector<TaskState>>> Client::list_tasks(const Context& ctx) {
    const auto& tasks = server().capabilities.tasks;
    if (server().revision != Revision::k2025_11_25 || !tasks || !tasks->list) {
        co_return fail(ErrorCode::kUnsupported, "this server has no list of tasks; keep the ids of those you start");
    }
    RetryBudget budget = supervisor_.begin();
    std::vector<TaskState> all;
    std::set<std::string> seen;
    PageParams params;
    for (std::size_t number = 0; number < settings_.max_pages; ++number) {
        SessionRequest asked{.method = std::string(method::kListTasks),
                             .params = std::move(*encode(params, server().revision).if_object()),
                             .times = settings_.times};
        GANTRY_CO_TRY(Json answer, co_await request(ctx, std::move(asked), true, budget));
        GANTRY_CO_TRY(auto page,
                      (read_page<ListTasksResult, TaskState>(std::move(answer), "tasks", server().revision,
                                                             [this](Error why) { left_out(std::move(why)); })));
        if (all.size() + page.tasks.size() > settings_.max_list_items) break;
        std::ranges::move(page.tasks, std::back_inserter(all));
        if (!page.next_cursor) co_return all;
        if (!seen.insert(*page.next_cursor).second)
            co_return fail(ErrorCode::kProtocol, "tasks/list: the server handed out the same cursor twice");
        params.cursor = std::move(page.next_cursor);
    }
    co_return fail(ErrorCode::kLimit, "tasks/list: the server's list is longer than allowed");
}

/// Answers the task's input requests, waits for the poll interval and polls again.
Task<Result<TaskState>> Client::advance(const Context& ctx, const TaskState& task, std::set<std::string>& answered) {
    if (task.status == TaskStatus::kInputRequired) GANTRY_CO_CHECK(co_await answer_task(ctx, task, answered));
    GANTRY_CO_CHECK(co_await sleep_for(ctx, poll_interval(task)));
    co_return co_await get_task(ctx, task.task_id);
}

/// Keys are unique for a task's lifetime, so a question is answered once even if the server still lists it.
Task<Result<void>> Client::answer_task(const Context& ctx, const TaskState& task, std::set<std::string>& answered) {
    InputRequests open;
    for (const auto& [key, request] : task.input_requests) {
        if (!answered.contains(key)) open.emplace_back(key, request);
    }
    if (open.empty()) co_return Result<void>();
    UpdateTaskParams params;
    params.task_id = task.task_id;
    GANTRY_CO_TRY(params.input_responses, co_await serve_inputs(ctx, settings_.handlers, server().revision, open));
    GANTRY_CO_CHECK(co_await ask<EmptyResult>(ctx, "tasks/update", encode(params, server().revision)));
    for (const auto& [key, request] : open) answered.insert(key);
    co_return Result<void>();
}

/// tasks/result blocks until the task ends; questions of the server arrive meanwhile as ordinary requests.
Task<Result<CallToolResult>> Client::finish_legacy_task(const Context& ctx, std::string task_id) {
    TaskParams params;
    params.task_id = std::move(task_id);
    SessionRequest asked{.method = std::string(method::kTaskResult),
                         .params = std::move(*encode(params, server().revision).if_object()),
                         .times = {.idle = settings_.times.total, .total = settings_.times.total}};
    GANTRY_CO_TRY(const Json answer, co_await request(ctx, std::move(asked), true));
    co_return decode<CallToolResult>(answer, server().revision);
}

}  // namespace gantry::mcp
