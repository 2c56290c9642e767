#include "mcp/client/inputs.hpp"

#include "base/try.hpp"
#include "io/scope.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {

namespace {

Error not_offered(std::string_view what) {
    const std::string text = "this client did not offer " + std::string(what);
    return Error(ErrorCode::kNotFound, text).rpc({.code = rpc_code::kMethodNotFound, .message = text, .data = {}});
}

Task<Result<Json>> serve_elicit(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                                ElicitParams params) {
    if (!handlers.elicit) co_return fail(not_offered("elicitation"));
    const auto mode = params.mode.known();
    if (!mode || (*mode == ElicitMode::kUrl && !handlers.elicit_by_url)) {
        co_return fail(Error(ErrorCode::kInvalidArgument, "this client does not offer that mode of elicitation"));
    }
    const Json schema = params.requested_schema;
    GANTRY_CO_TRY(ElicitResult answer, co_await handlers.elicit(ctx, std::move(params)));
    if (*mode == ElicitMode::kForm && answer.action == ElicitAction::kAccept) {
        answer.content = fill_defaults(schema, std::move(answer.content).value_or(JsonObject{}));
        GANTRY_CO_CHECK(check_elicit_content(schema, *answer.content));
    } else {
        answer.content.reset();
    }
    co_return encode(answer, revision);
}

Task<Result<Json>> serve_sample(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                                CreateMessageParams params) {
    if (!handlers.sample) co_return fail(not_offered("sampling"));
    if (!params.tools.empty() && !handlers.sample_with_tools) {
        co_return fail(Error(ErrorCode::kInvalidArgument, "this client did not offer sampling with tools"));
    }
    GANTRY_CO_TRY(CreateMessageResult answer, co_await handlers.sample(ctx, std::move(params)));
    co_return encode(answer, revision);
}

Task<Result<Json>> serve_roots(const Context& ctx, const SessionHandlers& handlers, Revision revision) {
    if (!handlers.roots) co_return fail(not_offered("roots"));
    GANTRY_CO_TRY(std::vector<Root> roots, co_await handlers.roots(ctx));
    ListRootsResult answer;
    answer.roots = std::move(roots);
    co_return encode(answer, revision);
}

Task<Result<Json>> serve(const Context& ctx, const SessionHandlers& handlers, Revision revision, InputRequest request) {
    if (auto* elicit = std::get_if<ElicitParams>(&request)) {
        co_return co_await serve_elicit(ctx, handlers, revision, std::move(*elicit));
    }
    if (auto* sample = std::get_if<CreateMessageParams>(&request)) {
        co_return co_await serve_sample(ctx, handlers, revision, std::move(*sample));
    }
    if (std::holds_alternative<ListRootsInput>(request)) co_return co_await serve_roots(ctx, handlers, revision);
    co_return fail(not_offered(std::get<UnknownInput>(request).method));
}

Task<void> serve_into(Context ctx, const SessionHandlers& handlers, Revision revision, InputRequest request,
                      std::optional<Result<Json>>& answer) {
    answer = co_await serve(ctx, handlers, revision, std::move(request));
}

}  // namespace

Task<Result<Json>> serve_input(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                               std::string method, Json params) {
    if (method == "elicitation/create") {
        GANTRY_CO_TRY(auto request, decode<ElicitParams>(params, revision));
        co_return co_await serve_elicit(ctx, handlers, revision, std::move(request));
    }
    if (method == "sampling/createMessage") {
        GANTRY_CO_TRY(auto request, decode<CreateMessageParams>(params, revision));
        co_return co_await serve_sample(ctx, handlers, revision, std::move(request));
    }
    if (method == "roots/list") co_return co_await serve_roots(ctx, handlers, revision);
    co_return fail(not_offered(method));
}

Task<Result<InputResponses>> serve_inputs(const Context& ctx, const SessionHandlers& handlers, Revision revision,
                                          const InputRequests& requests) {
    std::vector<std::optional<Result<Json>>> answers(requests.size());
    Scope scope(ctx);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        scope.spawn(serve_into(scope.context(), handlers, revision, requests[i].second, answers[i]));
    }
    co_await scope.join();

    InputResponses responses;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!*answers[i]) co_return fail(answers[i]->error().within("input request '" + requests[i].first + "'"));
        responses.set(requests[i].first, **std::move(answers[i]));
    }
    co_return responses;
}

}  // namespace gantry::mcp
