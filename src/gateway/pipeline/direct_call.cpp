#include "gateway/pipeline/direct_call.hpp"

#include "base/json/scan.hpp"
#include "base/try.hpp"

namespace gantry::gateway {
namespace {

ItemKind kind_of(const DirectCall& call) noexcept {
    if (call.verb == Verb::kGetPrompt) return ItemKind::kPrompt;
    if (call.verb == Verb::kReadResource) return ItemKind::kResource;
    return call.verb == Verb::kComplete ? call.about : ItemKind::kTool;
}

/// The params as an MCP client would send them.
JsonObject params_of(DirectCall& call) {
    JsonObject params;
    if (call.verb == Verb::kReadResource) {
        params.set("uri", call.name);
    } else if (is_about_task(call.verb)) {
        params.set("taskId", call.name);
        if (call.verb == Verb::kUpdateTask) params.set("inputResponses", std::move(call.arguments));
    } else if (call.verb == Verb::kComplete) {
        const bool prompt = call.about == ItemKind::kPrompt;
        params.set("ref",
                   JsonObject{{"type", prompt ? "ref/prompt" : "ref/resource"}, {prompt ? "name" : "uri", call.name}});
        params.set("argument", std::move(call.arguments));
    } else {
        params.set("name", call.name);
        params.set("arguments", std::move(call.arguments));
    }
    if (call.state) {
        params.set("inputResponses", std::move(call.answers));
        params.set("requestState", *call.state);
    }
    return params;
}

Task<Result<Json>> read_stream(const Context& ctx, OutputStream& stream, std::size_t most) {
    std::string text;
    for (;;) {
        GANTRY_CO_TRY(const auto piece, co_await stream.next(ctx));
        if (!piece) break;
        if (text.size() + piece->size() > most)
            co_return fail(ErrorCode::kLimit, "the result is larger than " + std::to_string(most) + " bytes");
        text.append(*piece);
    }
    co_return Json::parse(text);
}

}  // namespace

Task<Result<std::string>> SilentLine::ask(const Context&, std::string_view method, std::string) {
    co_return fail(ErrorCode::kRpc, std::string(method) + ": this caller cannot be asked");
}

Task<Result<DirectOutcome>> call_directly(const Context& ctx, Pipeline& pipeline, DirectCaller caller, DirectCall call,
                                          std::size_t max_result_bytes) {
    const std::string text = Json(JsonObject{{"params", params_of(call)}}).dump();
    GANTRY_CO_TRY(const json::EnvelopeView view, json::scan_envelope(text));
    const IncomingCall incoming{.verb = call.verb,
                                .name = call.name,
                                .about = kind_of(call),
                                .params = view.params.raw(),
                                .view = view.in_params,
                                .client = caller.client,
                                .snapshot = *caller.snapshot,
                                .scope = call.scope,
                                .correlation_id = call.correlation_id,
                                .trace = call.trace};
    GANTRY_CO_TRY(Output output, co_await pipeline.run(ctx, incoming, caller.principal, caller.line));
    DirectOutcome outcome{.kind = output.kind, .revision = output.revision, .state = std::move(output.state)};
    if (output.kind == Output::Kind::kInputRequired) {
        if (!output.questions.empty()) {
            GANTRY_CO_TRY(outcome.result, Json::parse(output.questions));
        }
    } else if (output.stream) {
        GANTRY_CO_TRY(outcome.result, co_await read_stream(ctx, *output.stream, max_result_bytes));
    } else {
        GANTRY_CO_TRY(outcome.result, Json::parse(output.result()));
    }
    const Json* failed = outcome.result.find("isError");
    outcome.is_error = failed != nullptr && failed->if_bool() != nullptr && *failed->if_bool();
    co_return outcome;
}

}  // namespace gantry::gateway
