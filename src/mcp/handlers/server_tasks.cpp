#include <set>

#include "base/crypto/base64url.hpp"
#include "mcp/handlers/questions.hpp"
#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {

Task<Answer> ServerCore::serve_task(const Context& ctx, const Call& call, ReplyChannel& line) {
    const Peer& peer = *call.peer;
    const Json params = call.params();
    if (peer.modern() && !peer.capabilities.extensions.contains(kTasksExtension)) {
        ClientCapabilities required;
        required.extensions.set(std::string(kTasksExtension), JsonObject{});
        co_return Answer::failure(call, missing_capability(required, "the client did not declare the tasks extension"));
    }
    if (call.method == method::kListTasks) co_return list_tasks(call, params);
    const Json* id = params.find("taskId");
    if (id == nullptr || !id->is_string()) co_return Answer::failure(call, invalid_params("taskId: missing"));
    const TaskPtr task = tasks.find(peer, *id->if_string());
    if (!task) co_return Answer::failure(call, invalid_params("unknown task"));

    if (call.method == method::kTaskResult) co_return co_await task_result(ctx, call, line, task);
    if (call.method == method::kUpdateTask) {
        const auto update = decode<UpdateTaskParams>(params, peer.revision);
        if (!update) co_return Answer::failure(call, invalid_params(update.error().message()));
        if (auto taken = tasks.update(*task, update->input_responses); !taken) {
            co_return Answer::failure(call, invalid_params(taken.error().message()));
        }
        co_return finished(call, encode(EmptyResult{}, peer.revision));
    }
    if (call.method == method::kCancelTask) {
        if (!peer.modern() && task->over()) co_return Answer::failure(call, invalid_params("the task is over"));
        tasks.cancel(*task);
        if (peer.modern()) co_return finished(call, encode(EmptyResult{}, peer.revision));
    }
    co_return finished(call, encode(GetTaskResult{task->state}, peer.revision));
}

/// 2025-11-25: waits for the end of the task and meanwhile sends its questions to the client.
Task<Answer> ServerCore::task_result(const Context& ctx, const Call& call, ReplyChannel& line, TaskPtr task) {
    std::set<std::string> asked;
    Scope asking(ctx);
    Result<void> waited;
    while (!task->over() && waited) {
        for (const auto& [key, request] : task->state.input_requests) {
            if (!line.can_ask() || !asked.insert(key).second) continue;
            asking.spawn(put_question(asking.context(), call.peer, line, task, key, request));
        }
        waited = co_await task->changed.wait(ctx);
    }
    asking.cancel();
    co_await asking.join();
    if (!task->over()) co_return Answer();
    if (task->state.error) co_return Answer::failure(call, *task->state.error);
    if (!task->state.result) co_return Answer::failure(call, internal_error("the task was cancelled"));
    JsonObject result = *task->state.result;
    JsonObject meta;
    if (const Json* given = result.find("_meta"); given != nullptr && given->is_object()) meta = *given->if_object();
    stamp_related_task(meta, task->state.task_id);
    result.set("_meta", std::move(meta));
    co_return finished(call, Json(std::move(result)));
}

Task<void> ServerCore::put_question(Context ctx, PeerPtr peer, ReplyChannel& line, TaskPtr task, std::string key,
                                    InputRequest request) {
    auto question = question_for(request, *peer);
    Result<Json> answer = fail(ErrorCode::kUnsupported, "the client cannot be asked");
    if (question) {
        JsonObject meta;
        stamp_related_task(meta, task->state.task_id);
        question->params.if_object()->set("_meta", std::move(meta));
        const auto text = co_await line.ask(ctx, question->method, question->params.dump());
        if (!text && text.error().code() == ErrorCode::kCancelled) co_return;  // the next tasks/result asks again
        answer = text ? answer_from(key, request, *text, peer->revision) : Result<Json>(fail(text.error()));
    }
    if (!answer && std::holds_alternative<ElicitParams>(request)) answer = Json(JsonObject{{"action", "cancel"}});
    if (answer) {
        InputResponses responses;
        responses.set(key, *std::move(answer));
        if (tasks.update(*task, responses)) co_return;
    }
    tasks.finish(*task, fail(ErrorCode::kUnsupported, "the client refused " + std::string(name_of(request))), true);
    task->cancel.cancel();
}

Answer ServerCore::list_tasks(const Call& call, const Json& params) {
    std::string after;
    if (const Json* cursor = params.find("cursor"); cursor != nullptr && !cursor->is_null()) {
        const auto plain = cursor->is_string() ? crypto::base64url_decode(*cursor->if_string())
                                               : Result<std::string>(fail(ErrorCode::kParse, "no text"));
        if (!plain || !plain->starts_with('k')) {
            return Answer::failure(call, invalid_params("the cursor is not one of this list"));
        }
        after = plain->substr(1);
    }
    ListTasksResult result;
    auto page = tasks.list(*call.peer, after, options.page_size + 1);
    if (page.size() > options.page_size) {
        page.pop_back();
        result.next_cursor = crypto::base64url_encode("k" + page.back()->state.task_id);
    }
    for (const TaskPtr& task : page) result.tasks.push_back(task->state);
    return finished(call, encode(result, call.peer->revision));
}

void ServerCore::tell_task(const TaskRecord& task) {
    if (!is_modern(task.revision)) return;
    changes.tell(
        {.kind = Change::Kind::kTask, .uri = {}, .task = encode(TaskStatusChanged{task.state}, task.revision)});
}

}  // namespace gantry::mcp
