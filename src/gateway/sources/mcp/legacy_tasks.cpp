#include "gateway/sources/mcp/legacy_tasks.hpp"

#include <algorithm>

#include "base/json/splice.hpp"
#include "base/json/text.hpp"
#include "base/try.hpp"
#include "gateway/sources/mcp/answers.hpp"
#include "gateway/sources/mcp/legacy_task.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {

namespace {

/// How long tasks/get waits for the questions of a task that requires input.
constexpr Duration kQuestionsWithin = seconds(2);
constexpr Duration kAfterTtl = std::chrono::minutes(1);
/// A server may choose its poll interval, within limits.
constexpr Duration kShortestPoll = milliseconds(100);
constexpr Duration kLongestPoll = std::chrono::minutes(1);

std::string task_params(std::string_view id) {
    std::string params = R"({"taskId":)";
    json::quote_to(id, params);
    return params + '}';
}

/// The result as the tool itself would have returned it, without its link to the task.
Json without_related_task(Json result) {
    JsonObject* members = result.if_object();
    Json* meta = members != nullptr ? members->find("_meta") : nullptr;
    if (meta == nullptr || !meta->is_object()) return result;
    meta->if_object()->erase(mcp::meta_key::kRelatedTask);
    if (meta->if_object()->empty()) members->erase("_meta");
    return result;
}

}  // namespace

bool runs_tasks(const mcp::ServerDescription& server) {
    const auto& tasks = server.capabilities.tasks;
    if (server.revision != mcp::Revision::k2025_11_25 || !tasks || !tasks->requests) return false;
    const Json* tools = tasks->requests->find("tools");
    return tools != nullptr && tools->find("call") != nullptr;
}

Result<TaskWish> task_wish(const AdmittedCall& call, const ForwardedCapabilities& forwarded,
                           const mcp::ServerDescription& server) {
    if (call.verb() != Verb::kCallTool || !call.item() || call.item()->task_use == TaskUse::kNever) {
        return TaskWish::kNone;
    }
    if (!runs_tasks(server)) return TaskWish::kNone;
    if (forwarded.tasks) return TaskWish::kHandle;
    if (!call.client().modern()) {
        GANTRY_TRY(const Json params, Json::parse(call.incoming().params));
        if (params.find("task") != nullptr) return TaskWish::kHandle;
    }
    return call.item()->task_use == TaskUse::kRequired ? TaskWish::kFollow : TaskWish::kNone;
}

LegacyTasks::LegacyTasks(const McpServerSpec& spec, const McpSourceOptions& options, Scope& scope, Tell tell)
    : spec_(spec), options_(options), scope_(scope), tell_(std::move(tell)) {}

LegacyTasks::~LegacyTasks() = default;

Task<Result<Json>> LegacyTasks::create(const Context& ctx, const AdmittedCall& call, ReplyLine& line, Link& link) {
    const IncomingCall& incoming = call.incoming();
    GANTRY_CO_TRY(Json params, Json::parse(incoming.params));
    if (params.find("task") == nullptr || call.client().modern()) params.if_object()->set("task", JsonObject{});
    GANTRY_CO_TRY(const OwnParams own, OwnParams::read(params.dump()));
    mcp::RelayRequest request{.method = method_of(call.verb()),
                              .params = own.text(),
                              .view = own.view(),
                              .name = call.own_name(),
                              .correlation_id = incoming.correlation_id,
                              .times = {.idle = spec_.timeout, .total = spec_.total_timeout},
                              .hold_bytes = spec_.max_result_bytes,
                              .max_result_bytes = spec_.max_result_bytes,
                              .wants_progress = line.wants_progress()};
    request.hooks.on_progress = [&line](std::string_view progress, const json::ParamsView& view) {
        if (line.wants_progress()) line.progress(without_token(progress, view));
    };
    GANTRY_CO_TRY(const auto answer, co_await link.client().relay(ctx, request, false));
    if (answer.stream) co_return fail(ErrorCode::kLimit, "the server's answer is too large for a task's handle");
    co_return Json::parse(answer.message.view().result.raw());
}

Result<std::string> LegacyTasks::keep(HeldPtr held) {
    if (tasks_.size() >= options_.max_tasks) {
        return fail(ErrorCode::kLimit, "too many tasks of this server are held");
    }
    held->expires = SteadyClock::now() + held->keep;
    std::string id = "t." + random_name();
    tasks_.emplace(id, std::move(held));
    if (!std::exchange(sweeping_, true)) scope_.spawn(expire_old());
    changed_.pulse();
    return id;
}

Task<Result<Output>> LegacyTasks::start(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                        ForwardedCapabilitiesPtr forwarded, Lease lease) {
    const mcp::Revision revision = lease->server().revision;
    if (tasks_.size() >= options_.max_tasks)
        co_return fail(ErrorCode::kLimit, "too many tasks of this server are held");
    GANTRY_CO_TRY(Json answer, co_await create(ctx, call, line, *lease));
    if (answer.find("task") == nullptr) co_return make_output(answer.dump(), revision);
    GANTRY_CO_TRY(mcp::CreateTaskResult created, mcp::decode<mcp::CreateTaskResult>(answer, revision));
    auto held = std::make_shared<Held>();
    held->principal = call.principal().id;
    held->inner = created.task.task_id;
    held->correlation_id = call.incoming().correlation_id;
    held->poll =
        std::clamp<Duration>(milliseconds(created.task.poll_interval_ms.value_or(5000)), kShortestPoll, kLongestPoll);
    held->modern = call.client().modern();
    held->forwarded = std::move(forwarded);
    held->lease = std::move(lease);
    held->keep = options_.task_keep;
    // Tasks the server has dropped need not be held.
    if (created.task.ttl_ms && *created.task.ttl_ms >= 0 && *created.task.ttl_ms < 86'400'000) {
        held->keep = std::min<Duration>(held->keep, milliseconds(*created.task.ttl_ms) + kAfterTtl);
    }
    const bool modern = held->modern;
    GANTRY_CO_TRY(std::string id, keep(std::move(held)));
    created.task.task_id = id;
    const mcp::Revision said = modern ? mcp::kLatestRevision : revision;
    Output output = make_output(mcp::encode(created, said).dump(), said);
    output.kind = Output::Kind::kTask;
    output.state = std::move(id);
    co_return output;
}

Task<Result<std::shared_ptr<SuspendableCall>>> LegacyTasks::start_and_wait(const Context& ctx, const AdmittedCall& call,
                                                                           ReplyLine& line,
                                                                           ForwardedCapabilitiesPtr forwarded,
                                                                           Lease lease) {
    GANTRY_CO_TRY(Json answer, co_await create(ctx, call, line, *lease));
    GANTRY_CO_TRY(mcp::CreateTaskResult created, mcp::decode<mcp::CreateTaskResult>(answer, lease->server().revision));
    auto held = std::make_shared<Held>();
    held->principal = call.principal().id;
    held->inner = created.task.task_id;
    held->correlation_id = call.incoming().correlation_id;
    held->forwarded = std::move(forwarded);
    held->lease = std::move(lease);
    held->followed = true;
    auto waiting = wait_for_result(held);
    waiting->set_about(std::string(method_of(call.verb())).append("\n").append(call.own_name()));
    co_return waiting;
}

/// tasks/result blocks until the task is over; the server's questions arrive while it is open.
std::shared_ptr<SuspendableCall> LegacyTasks::wait_for_result(const HeldPtr& held) {
    if (held->result) return held->result;
    auto params = OwnParams::read(task_params(held->inner));
    held->result = std::make_shared<SuspendableCall>(
        held->principal, held->inner,
        SuspendableCall::Request{.method = std::string(mcp::method::kTaskResult),
                                 .params = params ? *std::move(params) : OwnParams(),
                                 .correlation_id = held->correlation_id,
                                 .forwarded = held->forwarded,
                                 .times = {.idle = spec_.total_timeout, .total = spec_.total_timeout},
                                 .max_result_bytes = spec_.max_result_bytes,
                                 .repeatable = true,
                                 .task = held->followed ? held->inner : std::string(),
                                 .lease = held->lease.again()});
    scope_.spawn(SuspendableCall::run(held->result));
    return held->result;
}

Task<Result<Json>> LegacyTasks::ask(const Context& ctx, const HeldPtr& held, std::string_view method,
                                    std::string_view correlation_id) {
    if (!held->lease) co_return fail(invalid_params("the task is over"));
    JsonObject params{{"taskId", held->inner}};
    if (!correlation_id.empty())
        params.set("_meta", JsonObject{{std::string(mcp::meta_key::kCorrelationId), correlation_id}});
    co_return co_await held->lease->client().request(ctx,
                                                     {.method = std::string(method),
                                                      .params = std::move(params),
                                                      .times = {.idle = spec_.timeout, .total = spec_.total_timeout}},
                                                     true);
}

Task<Result<Output>> LegacyTasks::serve(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const auto found = tasks_.find(call.own_name());
    if (found == tasks_.end() || found->second->principal != call.principal().id) {
        co_return fail(invalid_params("unknown task"));
    }
    HeldPtr held = found->second;
    held->expires = SteadyClock::now() + held->keep;
    if (!held->modern) {
        if (call.verb() == Verb::kTaskResult) co_return co_await result_as_is(ctx, std::move(held), line);
        co_return co_await get_as_is(ctx, std::move(held), call);
    }
    switch (call.verb()) {
        case Verb::kGetTask: {
            auto output = co_await get(ctx, std::move(held), call.incoming().correlation_id);
            co_return output;
        }
        case Verb::kUpdateTask: co_return update(held, call.incoming().view.input_responses);
        case Verb::kCancelTask: co_return co_await cancel(ctx, std::move(held), call.incoming().correlation_id);
        default: break;
    }
    co_return fail(Error(ErrorCode::kUnsupported, "the tasks extension has no such method")
                       .rpc(mcp::method_not_found(method_of(call.verb()))));
}

Task<Result<Output>> LegacyTasks::get(const Context& ctx, HeldPtr held, std::string_view correlation_id) {
    if (held->ended) co_return make_output(held->ended->dump(), mcp::kLatestRevision);
    const mcp::Revision revision = held->lease->server().revision;
    GANTRY_CO_TRY(const Json answer, co_await ask(ctx, held, mcp::method::kGetTask, correlation_id));
    GANTRY_CO_TRY(mcp::GetTaskResult got, mcp::decode<mcp::GetTaskResult>(answer, revision));
    mcp::TaskState& task = got.task;
    const auto status = task.status.known();
    if (!status) co_return fail(ErrorCode::kProtocol, "the server reports a task status nobody knows");
    const bool over = *status == mcp::TaskStatus::kCompleted || *status == mcp::TaskStatus::kFailed;
    std::optional<JsonObject> questions;
    if (over || *status == mcp::TaskStatus::kInputRequired) {
        const auto waiting = wait_for_result(held);
        co_await waiting->settle(over ? ctx : ctx.within(kQuestionsWithin), options_.coalesce);
        GANTRY_CO_CHECK(ctx.check());
        // A concurrent request received the result first.
        if (held->ended) co_return make_output(held->ended->dump(), mcp::kLatestRevision);
        if (waiting->done()) {
            Lease lease;
            auto result = waiting->take_outcome(lease);
            if (!result && result.error().rpc() == nullptr) {
                held->result.reset();
                co_return fail(result.error());
            }
            // A tool that ran and failed has completed; only protocol errors count as failed.
            task.status = result ? mcp::TaskStatus::kCompleted : mcp::TaskStatus::kFailed;
            if (!result) {
                task.error = *result.error().rpc();
            } else if (result->stream) {
                co_return fail(ErrorCode::kLimit, "the task's result is too large to stand inside tasks/get");
            } else {
                GANTRY_CO_TRY(Json inner, Json::parse(result->message.view().result.raw()));
                task.result = std::move(*without_related_task(std::move(inner)).if_object());
            }
        } else if (waiting->has_questions()) {
            questions = waiting->question_objects();
        } else {
            // The task requires input but has not sent its question yet.
            task.status = mcp::TaskStatus::kWorking;
        }
    }
    task.task_id = held->inner;
    Json said = mcp::encode(got, mcp::kLatestRevision);
    if (questions) said.if_object()->set("inputRequests", *std::move(questions));
    const auto final_status = task.status.known();
    if (final_status && mcp::is_terminal(*final_status)) {
        held->ended = said;
        held->result.reset();
        held->lease.release();
    }
    co_return make_output(said.dump(), mcp::kLatestRevision);
}

Result<Output> LegacyTasks::update(const HeldPtr& held, const json::Span& responses) {
    if (held->result && responses) {
        GANTRY_TRY(const Json answers, Json::parse(responses.raw()));
        GANTRY_CHECK(held->result->check(answers));
        held->result->answer(answers);
    }
    return make_output(R"({"resultType":"complete"})", mcp::kLatestRevision);
}

Task<Result<Output>> LegacyTasks::cancel(const Context& ctx, HeldPtr held, std::string_view correlation_id) {
    if (held->lease) {
        auto told = co_await ask(ctx, held, mcp::method::kCancelTask, correlation_id);
        // A task that is already over counts as cancelled.
        if (!told && told.error().rpc() == nullptr) co_return fail(told.error());
    }
    co_return make_output(R"({"resultType":"complete"})", mcp::kLatestRevision);
}

Task<Result<Output>> LegacyTasks::get_as_is(const Context& ctx, HeldPtr held, const AdmittedCall& call) {
    const mcp::Revision revision = held->lease->server().revision;
    GANTRY_CO_TRY(Json answer, co_await ask(ctx, held, method_of(call.verb()), call.incoming().correlation_id));
    if (JsonObject* task = answer.if_object(); task != nullptr && task->contains("taskId"))
        task->set("taskId", call.own_name());
    co_return make_output(answer.dump(), revision);
}

Task<Result<Output>> LegacyTasks::result_as_is(const Context& ctx, HeldPtr held, ReplyLine& line) {
    // Every request for the result is sent separately, as the client made it.
    held->result.reset();
    const auto waiting = wait_for_result(held);
    GANTRY_CO_TRY(const SuspendableCall::Turn turn, co_await waiting->turn(ctx, line, options_.coalesce));
    if (turn == SuspendableCall::Turn::kAsked) {
        waiting->abandon();
        co_return fail(ErrorCode::kUnsupported, "the task asks for input, and the client cannot be asked");
    }
    Lease lease;
    GANTRY_CO_TRY(auto answer, waiting->take_outcome(lease));
    co_return to_output(std::move(answer), std::move(lease));
}

Task<void> LegacyTasks::expire_old() {
    const Context ctx = scope_.context();
    for (;;) {
        Deadline next = Deadline::never();
        const TimePoint now = SteadyClock::now();
        std::erase_if(tasks_, [&next, now](const auto& entry) {
            if (entry.second->expires > now) {
                next = earlier(next, Deadline(entry.second->expires));
                return false;
            }
            if (entry.second->result) entry.second->result->abandon();
            entry.second->unwatch();
            return true;
        });
        auto waited = co_await changed_.wait(ctx.until(next));
        if (!waited && ctx.cancel().cancelled()) break;
    }
}

void LegacyTasks::close() {
    for (const auto& [id, held] : std::exchange(tasks_, {})) {
        if (held->result) held->result->abandon();
        held->unwatch();
    }
}

}  // namespace gantry::gateway
