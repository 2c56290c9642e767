#include "gateway/sources/mcp/modern_tasks.hpp"

#include <algorithm>

#include "base/json/text.hpp"
#include "base/try.hpp"
#include "gateway/sources/mcp/answers.hpp"
#include "gateway/sources/mcp/params.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"

namespace gantry::gateway {

namespace {

constexpr Duration kCancelWithin = seconds(5);

std::string task_params(std::string_view id, const json::Span& responses = {}, const json::Span& meta = {}) {
    std::string params = R"({"taskId":)";
    json::quote_to(id, params);
    if (responses) params.append(R"(,"inputResponses":)").append(responses.raw());
    if (meta) params.append(R"(,"_meta":)").append(meta.raw());
    return params + '}';
}

Duration poll_interval(const Json& task) {
    const Json* wish = task.find("pollIntervalMs");
    const auto interval = wish != nullptr ? wish->as_int() : std::nullopt;
    return milliseconds(std::clamp<std::int64_t>(interval.value_or(1000), 20, 60'000));
}

Error failed(const Json& task) {
    RpcError why = mcp::internal_error("the task failed");
    if (const Json* error = task.find("error"); error != nullptr) {
        const Json* code = error->find("code");
        if (code != nullptr && code->as_int()) why.code = *code->as_int();
        why.message = std::string(error->string_at("message", why.message));
        if (const Json* data = error->find("data")) why.data = data->dump();
    }
    return mcp::to_error(std::move(why), mcp::method::kCallTool);
}

/// Asks the client one question after the other and collects the answers.
Task<Result<JsonObject>> ask_all(const Context& ctx, ReplyLine& line, JsonObject questions) {
    JsonObject answers;
    for (const auto& [key, question] : questions) {
        const Json* params = question.find("params");
        const std::string method(question.string_at("method"));
        GANTRY_CO_TRY(const std::string answer,
                      co_await line.ask(ctx, method, params != nullptr ? params->dump() : std::string("{}")));
        GANTRY_CO_TRY(Json result, Json::parse(answer));
        answers.set(key, std::move(result));
    }
    co_return answers;
}

}  // namespace

Task<Result<Output>> ModernTasks::serve(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const std::string_view own = call.own_name();
    if (!own.starts_with(kPrefix) || !connection_.link()->modern()) co_return fail(invalid_params("unknown task"));
    const IncomingCall& incoming = call.incoming();
    const ForwardedCapabilitiesPtr forwarded =
        sharing_.forwarded(call.client(), call.client().modern() || line.can_ask(), false);
    GANTRY_CO_TRY(const Placement placement, co_await placer_.wait(ctx, call, *forwarded));
    GANTRY_CO_TRY(
        const OwnParams params,
        OwnParams::read(task_params(own.substr(kPrefix.size()), incoming.view.input_responses, incoming.view.meta)));
    const mcp::RelayRequest request{.method = method_of(call.verb()),
                                    .params = params.text(),
                                    .view = params.view(),
                                    .capabilities = forwarded->modern_text,
                                    .log_level = line.log_level(),
                                    .correlation_id = incoming.correlation_id,
                                    .times = times_of(spec_),
                                    .max_result_bytes = spec_.max_result_bytes};
    // Reading, answering and cancelling a task are idempotent.
    GANTRY_CO_TRY(auto answer, co_await placement.lease->client().relay(ctx, request, true));
    co_return to_output(std::move(answer), placement.lease.again());
}

Task<Result<Json>> ModernTasks::ask_about(const Context& ctx, Link& link, const ForwardedCapabilities& forwarded,
                                          std::string_view method, std::string params,
                                          std::string_view correlation_id) {
    GANTRY_CO_TRY(const OwnParams own, OwnParams::read(params));
    const mcp::RelayRequest request{.method = method,
                                    .params = own.text(),
                                    .view = own.view(),
                                    .capabilities = forwarded.modern_text,
                                    .correlation_id = correlation_id,
                                    .times = times_of(spec_),
                                    .hold_bytes = spec_.max_result_bytes,
                                    .max_result_bytes = spec_.max_result_bytes};
    GANTRY_CO_TRY(const auto answer, co_await link.client().relay(ctx, request, true));
    if (answer.stream) co_return fail(ErrorCode::kLimit, "the task's result is too large");
    co_return Json::parse(answer.message.view().result.raw());
}

Task<Result<Output>> ModernTasks::finish(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                         ForwardedCapabilitiesPtr forwarded, Placement placement, std::string task_id) {
    const std::string& correlation_id = call.incoming().correlation_id;
    const Context capped = ctx.within(spec_.total_timeout);
    Link& link = *placement.lease;
    std::set<std::string> answered;
    for (;;) {
        auto task =
            co_await ask_about(capped, link, *forwarded, mcp::method::kGetTask, task_params(task_id), correlation_id);
        Result<void> going = task ? Result<void>() : fail(task.error());
        if (task) {
            const std::string_view status = task->string_at("status");
            if (status == "completed") {
                const Json* result = task->find("result");
                if (result == nullptr) co_return fail(ErrorCode::kProtocol, "the task ended without its result");
                co_return make_output(result->dump(), link.server().revision);
            }
            if (status == "failed") co_return fail(failed(*task));
            if (status == "cancelled") co_return fail(ErrorCode::kCancelled, "the server cancelled the task");
            if (status == "input_required")
                going = co_await answer(capped, call, line, *forwarded, link, *task, answered);
            if (going) going = co_await sleep_for(capped, poll_interval(*task));
        }
        if (going) continue;
        // The caller gave up or cannot continue, and no other client knows the task.
        auto told = co_await ask_about(Context::background().within(kCancelWithin), link, *forwarded,
                                       mcp::method::kCancelTask, task_params(task_id), correlation_id);
        static_cast<void>(told);  // best effort
        co_return fail(going.error());
    }
}

/// Keys are unique for the lifetime of a task, so a question is answered once even if the server still lists it.
Task<Result<void>> ModernTasks::answer(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                       const ForwardedCapabilities& forwarded, Link& link, const Json& task,
                                       std::set<std::string>& answered) {
    const Json* requests = task.find("inputRequests");
    if (requests == nullptr || !requests->is_object()) co_return Result<void>();
    GANTRY_CO_CHECK(check_input_requests(forwarded, *requests));
    JsonObject open;
    for (const auto& [key, request] : *requests->if_object()) {
        if (!answered.contains(key)) open.set(key, request);
    }
    if (open.empty()) co_return Result<void>();
    if (!line.can_ask())
        co_return fail(ErrorCode::kUnsupported, "the task asks for input, and the client cannot be asked");
    GANTRY_CO_TRY(JsonObject answers, co_await ask_all(ctx, line, open));
    for (const auto& [key, request] : open) answered.insert(key);
    const JsonObject params{{"taskId", task.string_at("taskId")}, {"inputResponses", std::move(answers)}};
    GANTRY_CO_CHECK(co_await ask_about(ctx, link, forwarded, mcp::method::kUpdateTask, Json(params).dump(),
                                       call.incoming().correlation_id));
    co_return Result<void>();
}

Task<Result<Json>> ModernTasks::look_at(const Context& ctx, Link& link, const std::string& task_id) {
    const ForwardedCapabilitiesPtr forwarded = carry(ClientTraits{}, false, true);
    co_return co_await ask_about(ctx, link, *forwarded, mcp::method::kGetTask, task_params(task_id));
}

}  // namespace gantry::gateway
