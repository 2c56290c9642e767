#include "gateway/sources/mcp/call_runner.hpp"

#include "base/try.hpp"
#include "gateway/sources/mcp/answers.hpp"
#include "gateway/sources/mcp/params.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {

namespace {

/// Safe to send twice: not a tool call, or the tool's hint that it is read-only or idempotent is trusted.
bool is_repeatable(const AdmittedCall& call, const McpServerSpec& spec) noexcept {
    if (call.verb() != Verb::kCallTool) return true;
    return spec.limits.retry.trust_hints && call.item() &&
           (call.item()->hints.read_only || call.item()->hints.idempotent);
}

std::string about(const AdmittedCall& call) {
    return std::string(method_of(call.verb())).append("\n").append(call.own_name());
}

Result<mcp::HeaderList> headers_for(const Item* item, const IncomingCall& incoming) {
    if (!item || item->header_params.empty() || !incoming.view.arguments.is_object()) return mcp::HeaderList{};
    GANTRY_TRY(const Json arguments, Json::parse(incoming.view.arguments.raw()));
    return mcp::param_headers(item->header_params, *arguments.if_object());
}

/// Repeats the call's trace context as headers, for components that do not read bodies.
void add_trace(mcp::HeaderList& headers, const IncomingCall& incoming) {
    if (!incoming.trace) return;
    headers.emplace_back(kTraceParent, to_traceparent(incoming.trace));
    if (incoming.headers == nullptr) return;
    if (const std::string* state = (*incoming.headers)(kTraceState)) headers.emplace_back(kTraceState, *state);
}

/// A completion names its prompt or resource inside `ref`.
Result<OwnParams> with_own_ref(const AdmittedCall& call) {
    GANTRY_TRY(Json params, Json::parse(call.incoming().params));
    if (Json* ref = params.find("ref"); ref != nullptr && ref->is_object()) {
        const bool prompt = ref->string_at("type") == "ref/prompt";
        ref->if_object()->set(prompt ? "name" : "uri", call.own_name());
    }
    return OwnParams::read(params.dump());
}

/// A modern client's `task` member has no meaning and must not acquire one at a legacy server.
bool may_have_stray_task(const AdmittedCall& call) noexcept {
    const std::string_view params = call.incoming().params;
    return call.client().modern() && (params.contains(R"("task")") || params.contains(R"(\u)"));
}

Result<OwnParams> without_task(std::string_view params) {
    GANTRY_TRY(Json tree, Json::parse(params));
    tree.if_object()->erase("task");
    return OwnParams::read(tree.dump());
}

void attend(mcp::RelayHooks& hooks, ReplyLine& line, const Link& link) {
    if (line.wants_progress()) {
        hooks.on_progress = [&line](std::string_view params, const json::ParamsView& view) {
            line.progress(without_token(params, view));
        };
    }
    if (const auto wanted = link.log_level_for(line)) {
        hooks.on_log = [&line, wanted = *wanted](mcp::LogLevel level, std::string_view params) {
            if (level >= wanted) line.log(params);
        };
    }
    hooks.on_hang_up = [&line](Duration retry) { line.hang_up(retry); };
}

}  // namespace

Task<Result<Output>> CallRunner::run(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    if (is_about_task(call.verb())) {
        return LegacyTasks::is_id(call.own_name()) ? parts_.legacy_tasks.serve(ctx, call, line)
                                                   : parts_.modern_tasks.serve(ctx, call, line);
    }
    const std::string_view state = call.resume_state() ? std::string_view(*call.resume_state()) : std::string_view();
    if (ParkedCalls::is_state(state)) return resume_parked(ctx, call, line);
    if (is_visit_state(state) && !all_visited(call.incoming().view.input_responses.raw())) {
        return not_visited(call.verb());
    }
    // A legacy client does not support the extension, so the gateway follows its tasks.
    const bool follow_task = !call.client().modern() && call.verb() == Verb::kCallTool &&
                             parts_.connection.link()->modern() &&
                             parts_.connection.link()->server().capabilities.extensions.contains(mcp::kTasksExtension);
    ForwardedCapabilitiesPtr forwarded =
        parts_.sharing.forwarded(call.client(), call.client().modern() || line.can_ask(), follow_task);
    if (Placement placement = parts_.placer.now(call, *forwarded); placement.lease) {
        return run_at(ctx, call, line, std::move(forwarded), std::move(placement));
    }
    return run_on_lane(ctx, call, line, std::move(forwarded));
}

Task<Result<Output>> CallRunner::not_visited(Verb verb) {
    if (verb != Verb::kCallTool) co_return fail(ErrorCode::kDenied, "the server's page was not visited");
    co_return failed_tool("The page the tool needs was not visited.", parts_.connection.link()->server().revision);
}

Task<Result<Output>> CallRunner::run_at(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                        ForwardedCapabilitiesPtr forwarded, Placement placement) {
    if (placement.lease->modern()) return run_modern(ctx, call, line, std::move(forwarded), std::move(placement));
    return run_legacy(ctx, call, line, std::move(forwarded), std::move(placement));
}

Task<Result<Output>> CallRunner::run_on_lane(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                             ForwardedCapabilitiesPtr forwarded) {
    GANTRY_CO_TRY(Placement placement, co_await parts_.placer.wait(ctx, call, *forwarded));
    co_return co_await run_at(ctx, call, line, std::move(forwarded), std::move(placement));
}

Task<Result<Output>> CallRunner::run_modern(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                            ForwardedCapabilitiesPtr forwarded, Placement placement) {
    const IncomingCall& incoming = call.incoming();
    const std::string_view state = call.resume_state() ? inner_state(*call.resume_state()) : std::string_view();
    mcp::RelayRequest request{.method = method_of(call.verb()),
                              .params = incoming.params,
                              .view = incoming.view,
                              // only a state that the server issued
                              .request_state = state,
                              .capabilities = forwarded->modern_text,
                              .log_level = line.log_level(),
                              .correlation_id = incoming.correlation_id,
                              .times = times_of(parts_.spec),
                              .max_result_bytes = parts_.spec.max_result_bytes,
                              .wants_progress = line.wants_progress()};
    OwnParams own;
    if (call.own_name() != incoming.name) {
        request.name = call.own_name();
        if (call.verb() == Verb::kComplete) {
            GANTRY_CO_TRY(own, with_own_ref(call));
            request.params = own.text();
            request.view = own.view();
            request.name = {};
        }
    }
    attend(request.hooks, line, *placement.lease);
    if (parts_.upstream.attributes_requests()) {
        GANTRY_CO_TRY(request.headers, headers_for(call.item(), incoming));
        add_trace(request.headers, incoming);
    }
    auto answer = co_await placement.lease->client().relay(ctx, request, is_repeatable(call, parts_.spec));
    if (!answer) co_return fail(answer.error());
    const bool follow_task = !call.client().modern();
    Lease held = placement.lease.again();
    GANTRY_CO_TRY(Output output, read_modern_answer(*std::move(answer), std::move(held), call.verb(), *forwarded,
                                                    forwarded->tasks || follow_task));
    if (output.kind != Output::Kind::kTask) co_return output;
    if (!follow_task) {
        output.state = std::string(ModernTasks::kPrefix) + *output.state;
        co_return output;
    }
    co_return co_await parts_.modern_tasks.finish(ctx, call, line, forwarded, std::move(placement), *output.state);
}

Task<Result<Output>> CallRunner::run_legacy(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                            ForwardedCapabilitiesPtr forwarded, Placement placement) {
    const IncomingCall& incoming = call.incoming();
    if (line.log_level()) co_await placement.lease->open_logs(ctx.within(parts_.spec.timeout));
    GANTRY_CO_TRY(const TaskWish wish, task_wish(call, *forwarded, placement.lease->server()));
    if (wish == TaskWish::kHandle)
        co_return co_await parts_.legacy_tasks.start(ctx, call, line, forwarded, std::move(placement.lease));
    if (wish == TaskWish::kFollow) {
        GANTRY_CO_TRY(auto waiting, co_await parts_.legacy_tasks.start_and_wait(ctx, call, line, forwarded,
                                                                                std::move(placement.lease)));
        co_return co_await run_kept(ctx, call, line, forwarded, std::move(waiting));
    }
    OwnParams own;
    const bool renamed = call.own_name() != incoming.name;
    if (renamed && call.verb() == Verb::kComplete) {
        GANTRY_CO_TRY(own, with_own_ref(call));
    } else if (may_have_stray_task(call)) [[unlikely]] {
        GANTRY_CO_TRY(own, without_task(incoming.params));
    } else if (placement.may_ask) {
        GANTRY_CO_TRY(own, OwnParams::read(incoming.params));
    }
    const std::string name = renamed && call.verb() != Verb::kComplete ? std::string(call.own_name()) : std::string();
    if (placement.may_ask) {
        auto kept =
            std::make_shared<SuspendableCall>(call.principal().id, about(call),
                                              SuspendableCall::Request{.method = std::string(method_of(call.verb())),
                                                                       .params = std::move(own),
                                                                       .name = name,
                                                                       .correlation_id = incoming.correlation_id,
                                                                       .forwarded = forwarded,
                                                                       .times = times_of(parts_.spec),
                                                                       .max_result_bytes = parts_.spec.max_result_bytes,
                                                                       .repeatable = is_repeatable(call, parts_.spec),
                                                                       .lease = std::move(placement.lease)});
        parts_.scope.spawn(SuspendableCall::run(kept));
        co_return co_await run_kept(ctx, call, line, forwarded, std::move(kept));
    }
    const bool changed = !own.text().empty();
    mcp::RelayRequest request{.method = method_of(call.verb()),
                              .params = changed ? own.text() : incoming.params,
                              .view = changed ? own.view() : incoming.view,
                              .name = name,
                              .correlation_id = incoming.correlation_id,
                              .times = times_of(parts_.spec),
                              .max_result_bytes = parts_.spec.max_result_bytes,
                              .wants_progress = line.wants_progress()};
    attend(request.hooks, line, *placement.lease);
    if (parts_.upstream.attributes_requests()) add_trace(request.headers, incoming);
    auto answer = co_await placement.lease->client().relay(ctx, request, is_repeatable(call, parts_.spec));
    if (!answer) co_return read_legacy_error(answer.error(), call.client(), *forwarded);
    co_return to_output(*std::move(answer), std::move(placement.lease));
}

Task<Result<Output>> CallRunner::run_kept(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                          ForwardedCapabilitiesPtr forwarded, std::shared_ptr<SuspendableCall> kept) {
    GANTRY_CO_TRY(const SuspendableCall::Turn turn, co_await kept->turn(ctx, line, parts_.options.coalesce));
    if (turn == SuspendableCall::Turn::kDone) {
        Lease lease;
        auto answer = kept->take_outcome(lease);
        if (!answer) co_return read_legacy_error(answer.error(), call.client(), *forwarded);
        co_return to_output(*std::move(answer), std::move(lease));
    }
    const std::string questions = kept->questions();
    GANTRY_CO_TRY(std::string state, parts_.parked.park(std::move(kept)));
    Output output =
        make_output(R"({"resultType":"input_required","inputRequests":)" + questions + "}", mcp::kLatestRevision);
    output.kind = Output::Kind::kInputRequired;
    output.questions = questions;
    output.state = std::move(state);
    co_return output;
}

Task<Result<Output>> CallRunner::resume_parked(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const std::string& state = *call.resume_state();
    GANTRY_CO_TRY(auto kept, parts_.parked.find(state, call.principal().id, about(call)));
    const json::Span& responses = call.incoming().view.input_responses;
    Json answers(JsonObject{});
    if (responses) {
        GANTRY_CO_TRY(answers, Json::parse(responses.raw()));
    }
    // Invalid answers leave the call parked: the client may try again.
    GANTRY_CO_CHECK(kept->check(answers));
    parts_.parked.take(state);
    kept->answer(answers);
    const ForwardedCapabilitiesPtr forwarded = parts_.sharing.forwarded(call.client(), true, false);
    co_return co_await run_kept(ctx, call, line, forwarded, std::move(kept));
}

Error CallRunner::placed(const Error& error, const AdmittedCall& call) const {
    const std::string& server = parts_.spec.name;
    const Duration timeout = parts_.spec.timeout;
    Error named = error;
    if (error.rpc() == nullptr && error.code() == ErrorCode::kTimeout) {
        const auto limit = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
        named = Error(ErrorCode::kTimeout,
                      "'" + std::string(call.own_name()) + "' on server '" + server +
                          "' did not answer in time (limit without progress: " + std::to_string(limit) + " s)")
                    .caused_by(error);
    } else if (error.rpc() == nullptr && error.server().empty() && error.code() != ErrorCode::kCancelled) {
        named = error.within("server '" + server + "'");
    }
    named = std::move(named).on_server(server);
    if (call.verb() == Verb::kCallTool) named = std::move(named).on_tool(std::string(call.own_name()));
    return named;
}

}  // namespace gantry::gateway
