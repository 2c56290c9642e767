#include <set>

#include "base/nearest.hpp"
#include "base/schema/argument_error.hpp"
#include "base/try.hpp"
#include "mcp/handlers/server_core.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/older.hpp"

namespace gantry::mcp {
namespace {

CallToolResult failed(std::string text) {
    CallToolResult result;
    result.is_error = true;
    result.content.push_back(TextContent{.text = std::move(text)});
    return result;
}

Result<void> check_mirrored(const http::Headers& headers, const ToolEntry& tool, const JsonObject& arguments) {
    std::string held;  // the check looks up one header at a time
    const auto lookup = [&](std::string_view name) -> const std::string* {
        const auto value = headers.get(name);
        if (!value) return nullptr;
        held = *value;
        return &held;
    };
    return check_param_headers(lookup, tool.headers, arguments);
}

/// Maximum number of names compared with an unknown one.
constexpr std::size_t kMostCompared = 500;

template <class Tools>
std::string no_tool(const Tools& tools, const std::string& name) {
    std::set<std::string_view> known;
    for (const auto& [other, entry] : tools) {
        if (known.size() < kMostCompared) known.insert(other);
    }
    const std::string shown = name.size() > 128 ? "of " + std::to_string(name.size()) + " bytes" : "'" + name + "'";
    return "no tool " + shown + did_you_mean(nearest_name(name, known));
}

std::string complaints(const schema::ValidationReport& report) {
    return report.to_error().message();
}

}  // namespace

Task<Answer> ServerCore::call_tool(const Context& ctx, const Call& call, ReplyChannel& line) {
    const Peer& peer = *call.peer;
    Json params = call.params();
    auto asked = decode<CallToolParams>(params, peer.revision);
    if (!asked) co_return Answer::failure(call, invalid_params(asked.error().message()));
    const auto found = tools.find(asked->name);
    if (found == tools.end()) co_return Answer::failure(call, invalid_params(no_tool(tools, asked->name)));
    const std::shared_ptr<const ToolEntry> tool = found->second;
    if (peer.modern() && call.headers != nullptr && !tool->headers.empty()) {
        if (auto agrees = check_mirrored(*call.headers, *tool, asked->arguments); !agrees) {
            co_return Answer::failure(call, header_mismatch(agrees.error().message()));
        }
    }

    const TaskSupport support = tool->task_support();
    const bool knows_tasks =
        peer.modern() ? peer.capabilities.extensions.contains(kTasksExtension) : peer.revision == Revision::k2025_11_25;
    const bool as_task = !peer.modern() && knows_tasks && asked->task && has_task_tools();
    if (peer.modern() && support == TaskSupport::kRequired && !knows_tasks) {
        ClientCapabilities required;
        required.extensions.set(std::string(kTasksExtension), JsonObject{});
        co_return Answer::failure(call, missing_capability(required, "the tool runs as a task only"));
    }
    if (!peer.modern() && knows_tasks &&
        (as_task ? support == TaskSupport::kForbidden : support == TaskSupport::kRequired)) {
        const char* complaint = as_task ? "the tool does not run as a task" : "the tool runs as a task only";
        co_return Answer::failure(call, RpcError{rpc_code::kMethodNotFound, complaint, {}});
    }

    if (const auto report = tool->input.validate(Json(asked->arguments)); !report.valid()) {
        // Models can correct a result they see; a protocol error usually never reaches them.
        const std::string text = schema::argument_error(report, tool->definition.input_schema).message();
        if (peer.revision < Revision::k2025_11_25) co_return Answer::failure(call, invalid_params(text));
        const auto shown = render(*tool, failed(text), peer.revision);
        co_return finished(call, Json(*shown));
    }

    auto run = std::make_shared<ToolRun>(tool, std::move(asked->arguments));
    run->served = serve(call, line, std::move(asked->meta));
    if (as_task) co_return run_as_task(call, line, *asked, std::move(run));
    if (peer.modern() && knows_tasks && support != TaskSupport::kForbidden) {
        co_return co_await run_apart(ctx, call, line, std::move(params), std::move(run));
    }
    if (support != TaskSupport::kForbidden) {
        run->served->make_task_ = [](const std::string&) -> Result<bool> { return false; };
    }
    co_return co_await run_in_place(ctx, call, line, std::move(params), std::move(run));
}

Task<Answer> ServerCore::run_in_place(const Context& ctx, const Call& call, ReplyChannel&, Json params,
                                      ToolRunPtr run) {
    const auto rounds = open_rounds(call, params, *run->served);
    if (!rounds) co_return Answer::failure(call, invalid_params(rounds.error().message()));
    const bool limited = options.call_timeout > Duration::zero();
    const Context limit = limited ? ctx.within(options.call_timeout) : ctx;
    run->outcome = co_await run->tool->handler(limit, *run->served, std::move(run->arguments));
    co_return conclude(ctx, call, *run, *rounds);
}

/// Runs the handler in the server's own scope, so that it can outlive the request once it is a task.
Task<Answer> ServerCore::run_apart(const Context& ctx, const Call& call, ReplyChannel&, Json params, ToolRunPtr run) {
    const auto rounds = open_rounds(call, params, *run->served);
    if (!rounds) co_return Answer::failure(call, invalid_params(rounds.error().message()));
    run->served->make_task_ = [this, peer = call.peer, raw = run.get()](std::string message) -> Result<bool> {
        GANTRY_TRY(const TaskPtr task, tasks.open(*peer, {}));
        task->cancel = raw->cancel;
        if (!message.empty()) task->state.status_message = std::move(message);
        raw->served->adopt(tasks, task);
        raw->changed.set();
        return true;
    };
    const CancelCallback stop(ctx.cancel(), [source = run->cancel] { source.cancel(); });
    scope.spawn(drive(run, Context(Deadline::after(options.tasks.ttl), run->cancel.token())));
    // The reply line is borrowed until we return, so wait for the handler even if the client has cancelled.
    co_await run->changed.wait(Context::background());
    if (run->served->in_task()) co_return created(call, *run->served->task_);
    co_return conclude(ctx, call, *run, *rounds);
}

/// 2025-11-25: the client decides, and is answered before the handler starts.
Answer ServerCore::run_as_task(const Call& call, ReplyChannel&, const CallToolParams& params, ToolRunPtr run) {
    auto task = tasks.open(*call.peer, params.task->ttl_ms);
    if (!task) return Answer::failure(call, internal_error(task.error().message()));
    (*task)->cancel = run->cancel;
    run->served->adopt(tasks, *task);
    Answer answer = created(call, **task);
    scope.spawn(drive(run, Context(Deadline((*task)->expires), run->cancel.token())));
    return answer;
}

Task<void> ServerCore::drive(ToolRunPtr run, Context ctx) {
    // Stopping the server cancels its tasks.
    const CancelCallback stop(scope.context().cancel(), [source = run->cancel] { source.cancel(); });
    auto outcome = co_await run->tool->handler(ctx, *run->served, std::move(run->arguments));
    if (const TaskPtr task = run->served->task_) {
        bool is_error = false;
        auto result = render(*run->tool, std::move(outcome), task->revision, &is_error);
        tasks.finish(*task, std::move(result), is_error);
    } else {
        run->outcome = std::move(outcome);
    }
    run->changed.set();
}

Answer ServerCore::conclude(const Context& ctx, const Call& call, ToolRun& run, const Rounds& rounds) const {
    Result<CallToolResult>& outcome = *run.outcome;
    if (!outcome) {
        if (waits_for_client(*run.served, outcome.error())) return ask_client(call, *run.served, rounds);
        if (auto live = ctx.check(); !live && live.error().code() == ErrorCode::kCancelled) return {};
    }
    auto result = render(*run.tool, std::move(outcome), call.peer->revision);
    if (!result) return Answer::failure(call, result.error());
    return finished(call, Json(*std::move(result)));
}

Result<JsonObject> ServerCore::render(const ToolEntry& tool, Result<CallToolResult> outcome, Revision revision,
                                      bool* is_error) const {
    if (!outcome && outcome.error().rpc() != nullptr) return fail(outcome.error());
    CallToolResult result = outcome ? *std::move(outcome) : failed(outcome.error().message());
    if (!result.is_error && tool.output) {
        if (!result.structured_content) {
            result = failed("the tool returned no structured result although it has an output schema");
        } else if (const auto report = tool.output->validate(*result.structured_content); !report.valid()) {
            result = failed("the tool's result does not fit its output schema: " + complaints(report));
        }
    }
    if (result.structured_content && result.content.empty()) {
        result.content.push_back(TextContent{.text = result.structured_content->dump()});
    }
    if (is_error != nullptr) *is_error = result.is_error;
    const Json* schema = tool.definition.output_schema ? &*tool.definition.output_schema : nullptr;
    Json json = call_result_for(encode(result, kLatestRevision), revision, schema);
    return std::move(*json.if_object());
}

Answer ServerCore::created(const Call& call, const TaskRecord& task) const {
    CreateTaskResult result{.task = task.state};
    // Only the handle: input requests and the result are returned by tasks/get.
    result.task.input_requests.clear();
    result.task.result.reset();
    result.task.error.reset();
    return finished(call, encode(result, call.peer->revision));
}

}  // namespace gantry::mcp
