// McpSource's calls: which connection each one uses, what is sent to the server, how its answer is handled.

#include <algorithm>

#include "base/try.hpp"
#include "gateway/sources/mcp/answers.hpp"
#include "gateway/sources/mcp/credentials.hpp"
#include "gateway/sources/mcp/legacy_tasks.hpp"
#include "gateway/sources/mcp/questions.hpp"
#include "gateway/sources/mcp/source.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway {

namespace {

bool is_task_verb(Verb verb) noexcept {
    return verb == Verb::kGetTask || verb == Verb::kUpdateTask || verb == Verb::kCancelTask ||
           verb == Verb::kTaskResult;
}

/// Safe to send twice: not a tool call, or the tool's hint that it is read-only or idempotent is trusted.
bool is_repeatable(const AdmittedCall& call, const McpServerSpec& spec) noexcept {
    if (call.verb() != Verb::kCallTool) return true;
    return spec.limits.retry.trust_hints && call.item() &&
           (call.item()->hints.read_only || call.item()->hints.idempotent);
}

/// Completions never ask questions.
bool may_be_asked(const AdmittedCall& call, const ForwardedCapabilities& forwarded) noexcept {
    return forwarded.can_be_asked() && call.verb() != Verb::kComplete;
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

/// Keeps the source alive while its answer is read, because the bytes arrive over its connections.
class HeldStream final : public OutputStream {
public:
    HeldStream(std::shared_ptr<Source> source, std::unique_ptr<OutputStream> stream)
        : source_(std::move(source)), stream_(std::move(stream)) {}

    Task<Result<std::optional<std::string_view>>> next(const Context& ctx) override { return stream_->next(ctx); }

private:
    std::shared_ptr<Source> source_;
    std::unique_ptr<OutputStream> stream_;
};

bool lost_connection(const Error& error) noexcept {
    return error.rpc() == nullptr &&
           (error.code() == ErrorCode::kConnection || error.code() == ErrorCode::kOutcomeUnknown);
}

/// Adds the server and the tool to the error.
Error placed(const Error& error, const std::string& server, const AdmittedCall& call, Duration timeout) {
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

}  // namespace

Task<Result<Output>> McpSource::execute(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const InUse awake(*this);
    if (!connected()) [[unlikely]] {
        GANTRY_CO_CHECK(co_await ready(ctx));
    }
    const std::uint64_t credentials = credentials_;
    auto output = co_await attempt(ctx, call, line);
    if (!output && is_refusal(output.error()) && co_await renew_credentials(ctx, credentials)) [[unlikely]] {
        // Rejected before it ran, so it may be repeated.
        output = co_await attempt(ctx, call, line);
    }
    if (!output && lost_connection(output.error())) [[unlikely]]
        suspect();
    if (!output) co_return fail(placed(output.error(), spec_.name, call, spec_.timeout));
    if (output->stream) {
        output->stream = std::make_unique<HeldStream>(weak_from_this().lock(), std::move(output->stream));
    }
    co_return output;
}

bool McpSource::connected() const noexcept {
    return !stopping_ && !closing_shared_ && shared_ && shared_->client().state() == mcp::ConnectionState::kConnected;
}

Task<Result<Output>> McpSource::attempt(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    if (is_task_verb(call.verb())) {
        return LegacyTasks::is_id(call.own_name()) ? tasks_->serve(ctx, call, line) : modern_task(ctx, call, line);
    }
    const std::string_view state = call.resume_state() ? std::string_view(*call.resume_state()) : std::string_view();
    if (ParkedCalls::is_state(state)) return resume_parked(ctx, call, line);
    if (is_visit_state(state) && !all_visited(call.incoming().view.input_responses.raw())) {
        return not_visited(call.verb());
    }
    // A legacy client does not support the extension, so the gateway follows its tasks.
    const bool follow_task = !call.client().modern() && call.verb() == Verb::kCallTool && shared_->modern() &&
                             shared_->server().capabilities.extensions.contains(mcp::kTasksExtension);
    ForwardedCapabilitiesPtr forwarded = memo_.of(call.client(), call.client().modern() || line.can_ask(), follow_task);
    if (Placement placement = placement_now(call, *forwarded); placement.lease) {
        return run_at(ctx, call, line, std::move(forwarded), std::move(placement));
    }
    return run_on_lane(ctx, call, line, std::move(forwarded));
}

Task<Result<Output>> McpSource::not_visited(Verb verb) {
    if (verb != Verb::kCallTool) co_return fail(ErrorCode::kDenied, "the server's page was not visited");
    co_return failed_tool("The page the tool needs was not visited.", shared_->server().revision);
}

Task<Result<Output>> McpSource::run_at(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                       ForwardedCapabilitiesPtr forwarded, Placement placement) {
    if (placement.lease->modern()) return run_modern(ctx, call, line, std::move(forwarded), std::move(placement));
    return run_legacy(ctx, call, line, std::move(forwarded), std::move(placement));
}

Task<Result<Output>> McpSource::run_on_lane(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                            ForwardedCapabilitiesPtr forwarded) {
    GANTRY_CO_TRY(Placement placement, co_await this->placement(ctx, call, *forwarded));
    co_return co_await run_at(ctx, call, line, std::move(forwarded), std::move(placement));
}

bool McpSource::asks(const ClientTraits& client, const ForwardedCapabilities& forwarded) const noexcept {
    if (!forwarded.can_be_asked()) return false;
    // A server of both eras asks its legacy clients questions that it does not ask modern ones.
    return !is_modern() || (!client.modern() && spec_.era == EraWish::kAuto && !modern_only_);
}

bool McpSource::asks(const AdmittedCall& call, const ForwardedCapabilities& forwarded) const noexcept {
    return may_be_asked(call, forwarded) && asks(call.client(), forwarded);
}

bool McpSource::may_share(bool asks) const noexcept {
    if (spec_.sharing != Sharing::kAuto) return spec_.sharing == Sharing::kShared;
    const bool child = spec_.url.empty();
    return !asks && (is_modern() || child);
}

LaneUse McpSource::lane_use(bool asks) const noexcept {
    if (spec_.sharing == Sharing::kPerCall) return LaneUse::kOnce;
    return asks && !upstream_.attributes_requests() ? LaneUse::kInTurn : LaneUse::kTogether;
}

LaneKey McpSource::lane_key(const Principal& principal, const ClientTraits& client,
                            const ForwardedCapabilities& forwarded, bool asks) const {
    LaneKey key{.owner = "principal " + principal.id};
    if (asks) {
        key.capabilities = forwarded.asked_text;
        key.offered = forwarded.offered_text;
    }
    // A server remembers the roots it received, and every client has its own.
    const bool alone = spec_.sharing == Sharing::kPerClient || (asks && forwarded.asked.roots);
    if (alone && !client.session.empty()) {
        key.owner = std::string(kClientOwner) + client.session;
        // A session id alone does not prove who is using it.
        key.capabilities = principal.id + '\n' + key.capabilities;
    }
    return key;
}

void McpSource::roots_changed(const Principal& principal, const ClientTraits& client) {
    if (stopping_ || !shared_) return;
    // The set of capabilities the lanes were opened with: that of a client that can be asked during a call.
    const ForwardedCapabilitiesPtr forwarded = memo_.of(client, true, false);
    if (forwarded->tells_roots() && asks(client, *forwarded))
        lanes_->roots_changed(lane_key(principal, client, *forwarded, true));
}

ItemPtr McpSource::bound_item(const AdmittedCall& call, const LaneKey& key) const {
    const InventoryPtr own = call.item() != nullptr ? lanes_->inventory(key) : nullptr;
    if (!own) return nullptr;
    const auto listed_in = [&call](const Inventory& inventory) {
        const auto found = std::ranges::find(inventory.items, call.item(), &ItemPtr::get);
        return found == inventory.items.end() ? nullptr : *found;
    };
    return listed_in(*offered_to(key)) == nullptr ? listed_in(*own) : nullptr;
}

McpSource::Placement McpSource::placement_now(const AdmittedCall& call, const ForwardedCapabilities& forwarded) {
    const bool asked = asks(call, forwarded);
    if (may_share(asked)) return {.lease = Lease(shared_)};
    if (lane_use(asked) != LaneUse::kTogether) return {};
    Placement placement{.lease = lanes_->try_acquire(lane_key(call.principal(), call.client(), forwarded, asked)),
                        .may_ask = asked};
    placement.lease.keep_open();
    return placement;
}

Task<Result<McpSource::Placement>> McpSource::placement(const Context& ctx, const AdmittedCall& call,
                                                        const ForwardedCapabilities& forwarded) {
    if (Placement there = placement_now(call, forwarded); there.lease) co_return there;
    const bool asked = asks(call, forwarded);
    LaneKey key = lane_key(call.principal(), call.client(), forwarded, asked);
    ItemPtr only = bound_item(call, key);
    auto lease = co_await lanes_->acquire(ctx, std::move(key), asked ? forwarded.asked : mcp::ClientCapabilities(),
                                          lane_use(asked), std::move(only));
    if (!lease && asked && is_modern() && refuses_legacy(lease.error())) {
        note_modern_only();
        co_return Placement{.lease = Lease(shared_)};
    }
    if (!lease) co_return fail(lease.error());
    lease->keep_open();
    co_return Placement{.lease = *std::move(lease), .may_ask = asked};
}

Task<Result<Output>> McpSource::run_modern(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
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
                              .times = times(),
                              .max_result_bytes = spec_.max_result_bytes,
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
    if (upstream_.attributes_requests()) {
        GANTRY_CO_TRY(request.headers, headers_for(call.item(), incoming));
        add_trace(request.headers, incoming);
    }
    auto answer = co_await placement.lease->client().relay(ctx, request, is_repeatable(call, spec_));
    if (!answer) co_return fail(answer.error());
    const bool follow_task = !call.client().modern();
    Lease held = placement.lease.again();
    GANTRY_CO_TRY(Output output, read_modern_answer(*std::move(answer), std::move(held), call.verb(), *forwarded,
                                                    forwarded->tasks || follow_task));
    if (output.kind != Output::Kind::kTask) co_return output;
    if (!follow_task) {
        output.state = "m." + *output.state;
        co_return output;
    }
    co_return co_await finish_modern_task(ctx, call, line, forwarded, std::move(placement), *output.state);
}

Task<Result<Output>> McpSource::run_legacy(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                           ForwardedCapabilitiesPtr forwarded, Placement placement) {
    const IncomingCall& incoming = call.incoming();
    if (line.log_level()) co_await placement.lease->open_logs(ctx.within(spec_.timeout));
    GANTRY_CO_TRY(const TaskWish wish, task_wish(call, *forwarded, placement.lease->server()));
    if (wish == TaskWish::kHandle)
        co_return co_await tasks_->start(ctx, call, line, forwarded, std::move(placement.lease));
    if (wish == TaskWish::kFollow) {
        GANTRY_CO_TRY(auto waiting,
                      co_await tasks_->start_and_wait(ctx, call, line, forwarded, std::move(placement.lease)));
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
                                                                       .times = times(),
                                                                       .max_result_bytes = spec_.max_result_bytes,
                                                                       .repeatable = is_repeatable(call, spec_),
                                                                       .lease = std::move(placement.lease)});
        scope_.spawn(SuspendableCall::run(kept));
        co_return co_await run_kept(ctx, call, line, forwarded, std::move(kept));
    }
    const bool changed = !own.text().empty();
    mcp::RelayRequest request{.method = method_of(call.verb()),
                              .params = changed ? own.text() : incoming.params,
                              .view = changed ? own.view() : incoming.view,
                              .name = name,
                              .correlation_id = incoming.correlation_id,
                              .times = times(),
                              .max_result_bytes = spec_.max_result_bytes,
                              .wants_progress = line.wants_progress()};
    attend(request.hooks, line, *placement.lease);
    if (upstream_.attributes_requests()) add_trace(request.headers, incoming);
    auto answer = co_await placement.lease->client().relay(ctx, request, is_repeatable(call, spec_));
    if (!answer) co_return read_legacy_error(answer.error(), call.client(), *forwarded);
    co_return to_output(*std::move(answer), std::move(placement.lease));
}

Task<Result<Output>> McpSource::run_kept(const Context& ctx, const AdmittedCall& call, ReplyLine& line,
                                         ForwardedCapabilitiesPtr forwarded, std::shared_ptr<SuspendableCall> kept) {
    GANTRY_CO_TRY(const SuspendableCall::Turn turn, co_await kept->turn(ctx, line, options_.coalesce));
    if (turn == SuspendableCall::Turn::kDone) {
        Lease lease;
        auto answer = kept->take_outcome(lease);
        if (!answer) co_return read_legacy_error(answer.error(), call.client(), *forwarded);
        co_return to_output(*std::move(answer), std::move(lease));
    }
    const std::string questions = kept->questions();
    GANTRY_CO_TRY(std::string state, parked_->park(std::move(kept)));
    Output output =
        make_output(R"({"resultType":"input_required","inputRequests":)" + questions + "}", mcp::kLatestRevision);
    output.kind = Output::Kind::kInputRequired;
    output.questions = questions;
    output.state = std::move(state);
    co_return output;
}

Task<Result<Output>> McpSource::resume_parked(const Context& ctx, const AdmittedCall& call, ReplyLine& line) {
    const std::string& state = *call.resume_state();
    GANTRY_CO_TRY(auto kept, parked_->find(state, call.principal().id, about(call)));
    const json::Span& responses = call.incoming().view.input_responses;
    Json answers(JsonObject{});
    if (responses) {
        GANTRY_CO_TRY(answers, Json::parse(responses.raw()));
    }
    // Invalid answers leave the call parked: the client may try again.
    GANTRY_CO_CHECK(kept->check(answers));
    parked_->take(state);
    kept->answer(answers);
    const ForwardedCapabilitiesPtr forwarded = memo_.of(call.client(), true, false);
    co_return co_await run_kept(ctx, call, line, forwarded, std::move(kept));
}

}  // namespace gantry::gateway
