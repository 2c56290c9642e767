// Client's typed calls: one function per request of the specification.

#include <algorithm>

#include "base/try.hpp"
#include "mcp/client/client.hpp"
#include "mcp/client/time_limit.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/protocol/result.hpp"

namespace gantry::mcp {

template <class Answer>
Task<Result<Answer>> Client::ask(const Context& ctx, const char* method, Json params) {
    SessionRequest asked{.method = method, .times = settings_.times};
    if (JsonObject* object = params.if_object()) asked.params = std::move(*object);
    GANTRY_CO_TRY(const Json answer, co_await request(ctx, std::move(asked), true));
    auto decoded = decode<Answer>(answer, server().revision);
    if (!decoded) co_return fail(decoded.error().within(method));
    co_return *std::move(decoded);
}

// Also used by the other files, for tasks and subscriptions.
template Task<Result<EmptyResult>> Client::ask(const Context&, const char*, Json);
template Task<Result<GetTaskResult>> Client::ask(const Context&, const char*, Json);

bool Client::mirrors_headers() const noexcept {
    return wire_ == Wire::kHttp && is_modern(server().revision);
}

ToolDefinition Client::known_definition(const std::string& name) const {
    const auto& known = tools_.latest();
    if (!known) return nullptr;
    const auto found = std::ranges::find(*known, name, &Tool::name);
    // Aliasing: shares ownership of the list, points at the tool.
    return found == known->end() ? nullptr : ToolDefinition(known, &*found);
}

Task<Result<ToolDefinition>> Client::find_tool(const Context& ctx, std::string name) {
    if (auto known = known_definition(name)) co_return known;
    GANTRY_CO_CHECK(co_await list_tools(ctx));
    co_return known_definition(name);
}

Task<Result<ToolDefinition>> Client::definition_of(const Context& ctx, std::string name, RetryBudget& budget) {
    // The last list is used even if stale; a caller that detects a mismatch fetches it again.
    if (auto known = known_definition(name)) co_return known;
    if (mirrors_headers()) GANTRY_CO_CHECK(co_await list_tools(ctx, false, budget));
    co_return known_definition(name);
}

/// Rejects arguments only on the basis of a fresh list: a stale one may lack what the server has added since.
Task<Result<ToolDefinition>> Client::definition_for(const Context& ctx, const CallToolParams& params, bool validate,
                                                    RetryBudget& budget) {
    GANTRY_CO_TRY(ToolDefinition tool, co_await definition_of(ctx, params.name, budget));
    if (!tool || !validate) co_return tool;
    auto checked = schemas_.check_arguments(tool, params.arguments);
    if (!checked && tools_.fresh() == nullptr) {
        GANTRY_CO_CHECK(co_await list_tools(ctx, true, budget));
        tool = known_definition(params.name);
        checked = tool ? schemas_.check_arguments(tool, params.arguments) : Result<void>();
    }
    if (!checked) co_return fail(checked.error());
    co_return tool;
}

Task<Result<void>> Client::check_structured(const Context& ctx, std::string name, const CallToolResult& result) {
    if (result.is_error || !result.structured_content) co_return Result<void>();
    ToolDefinition tool = known_definition(name);
    if (!tool) co_return Result<void>();
    auto checked = schemas_.check_result(tool, *result.structured_content);
    if (checked || tools_.fresh() != nullptr) co_return checked;
    // If no new list can be fetched, the old one decides.
    if (!co_await list_tools(ctx, true)) co_return checked;
    tool = known_definition(name);
    co_return tool ? schemas_.check_result(tool, *result.structured_content) : Result<void>();
}

Task<Result<Json>> Client::send_call(const Context& ctx, CallToolParams params, const CallSettings& call,
                                     RetryBudget& budget) {
    for (int attempt = 0;; ++attempt) {
        GANTRY_CO_TRY(const ToolDefinition tool, co_await definition_for(ctx, params, call.validate, budget));

        SessionRequest asked{.method = std::string(method::kCallTool),
                             .params = std::move(*encode(params, server().revision).if_object()),
                             .times = call.times.value_or(settings_.times),
                             .on_progress = call.on_progress};
        if (tool && mirrors_headers()) {
            GANTRY_CO_TRY(const auto mirrored, header_params(tool->input_schema));
            GANTRY_CO_TRY(asked.headers, param_headers(mirrored, params.arguments));
        }
        const bool repeatable = tool && tool->annotations && tool->annotations->idempotent();
        auto answer = co_await request(ctx, std::move(asked), repeatable, budget);
        const bool stale_headers = !answer && answer.error().rpc() != nullptr &&
                                   answer.error().rpc()->code == rpc_code::kHeaderMismatch && attempt == 0;
        if (!stale_headers) co_return answer;
        // The tool's schema changed: fetch it again and mirror the headers it requires now.
        GANTRY_CO_CHECK(co_await list_tools(ctx, true, budget));
    }
}

Task<Result<CallToolResult>> Client::call_tool(const Context& ctx, std::string name, JsonObject arguments,
                                               CallSettings call) {
    const bool validate = call.validate;
    // One cap for the whole call, also if the server turns it into a task.
    const Duration cap = call.times.value_or(settings_.times).total;
    const Context capped = ctx.within(cap);
    auto started = co_await start_tool(capped, name, std::move(arguments), std::move(call), false);
    if (!started) co_return fail(naming_limit(started.error(), cap, capped.deadline(), ctx).on_tool(name));
    Result<CallToolResult> result;
    if (auto* task = std::get_if<TaskState>(&*started)) {
        result = co_await finish_task(capped, std::move(*task));
    } else {
        result = std::get<CallToolResult>(std::move(*started));
    }
    if (!result) co_return fail(naming_limit(result.error(), cap, capped.deadline(), ctx).on_tool(name));
    if (validate) GANTRY_CO_CHECK(co_await check_structured(capped, name, *result));
    co_return result;
}

Task<Result<ReadResourceResult>> Client::read_resource(const Context& ctx, std::string uri) {
    ReadResourceParams params;
    params.uri = std::move(uri);
    return ask<ReadResourceResult>(ctx, "resources/read", encode(params, server().revision));
}

Task<Result<GetPromptResult>> Client::get_prompt(const Context& ctx, GetPromptParams params) {
    return ask<GetPromptResult>(ctx, "prompts/get", encode(params, server().revision));
}

Task<Result<CompleteResult>> Client::complete(const Context& ctx, CompleteParams params) {
    return ask<CompleteResult>(ctx, "completion/complete", encode(params, server().revision));
}

Task<Result<void>> Client::set_log_level(const Context& ctx, LogLevel level) {
    GANTRY_CO_TRY(auto session, co_await supervisor_.session(ctx));
    // Modern servers receive the level with every request, legacy ones once; both again after a reconnect.
    if (!session->modern()) {
        SetLevelParams params;
        params.level = level;
        GANTRY_CO_CHECK(co_await ask<EmptyResult>(ctx, "logging/setLevel", encode(params, session->revision())));
    }
    settings_.log_level = level;
    co_return Result<void>();
}

Task<Result<void>> Client::ping(const Context& ctx) {
    GANTRY_CO_TRY(auto session, co_await supervisor_.session(ctx));
    const std::string method(session->modern() ? method::kDiscover : method::kPing);
    GANTRY_CO_CHECK(co_await request(ctx, {.method = method, .times = settings_.times}, true));
    co_return Result<void>();
}

Task<Result<void>> Client::announce_roots(const Context& ctx) {
    if (closed_) co_return fail(ErrorCode::kInvalidArgument, "the client is closed");
    if (!settings_.handlers.roots) {
        co_return fail(ErrorCode::kInvalidArgument, "roots were not offered when the client was made");
    }
    // Without a connection there is nothing to announce: a new session asks for the roots anyway.
    const auto session = supervisor_.live_session();
    if (!session || session->modern() || !settings_.handlers.roots_may_change) co_return Result<void>();
    co_return co_await session->rpc().notify(ctx.within(settings_.times.idle), std::string(method::kRootsChanged),
                                             Json());
}

}  // namespace gantry::mcp
