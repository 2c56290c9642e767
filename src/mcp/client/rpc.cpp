#include "mcp/client/rpc.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/rpc_pending.hpp"
#include "mcp/client/time_limit.hpp"
#include "mcp/protocol/codec.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {

namespace {

/// Maximum number and total size of the peer's requests handled concurrently; further ones are rejected.
constexpr std::size_t kMaxAnswering = 64;
constexpr std::size_t kMaxWorkingBytes = 16u << 20;
/// Length limit of a method name quoted in a rejection.
constexpr std::size_t kQuotedMethod = 128;
constexpr Duration kGiveUpLimit = seconds(5);

RpcError to_rpc_error(const Error& error) {
    if (error.rpc() != nullptr) return *error.rpc();
    if (error.code() == ErrorCode::kInvalidArgument || error.code() == ErrorCode::kProtocol)
        return invalid_params(error.message());
    return internal_error(error.message());
}

/// The id doubles as progress token: both must be unique among requests in flight.
void ask_for_progress(Json& params, const RequestId& id) {
    if (!params.is_object()) params = JsonObject{};
    JsonObject& object = *params.if_object();
    Json* meta = object.find("_meta");
    if (meta == nullptr || !meta->is_object()) {
        object.set("_meta", JsonObject{});
        meta = object.find("_meta");
    }
    meta->if_object()->set(std::string(meta_key::kProgressToken), to_json(id));
}

bool is_answer(const Incoming& incoming) noexcept {
    if (incoming.lost) return true;
    if (incoming.spooled) return !incoming.spooled->envelope().method;
    if (incoming.raw) return incoming.raw->is_response();
    return std::holds_alternative<ResponseMessage>(incoming.message);
}

std::optional<RequestId> id_in(const NotificationMessage& notification, std::string_view member) {
    const Json* token = notification.params.find(member);
    if (token == nullptr) return std::nullopt;
    if (auto number = token->as_int()) return RequestId(*number);
    if (const std::string* text = token->if_string()) return RequestId(*text);
    return std::nullopt;
}

}  // namespace

Rpc::Rpc(std::unique_ptr<Connection> connection, RpcHooks hooks, bool cancel_by_closing, UnsentLimits unsent,
         std::size_t hold_bytes)
    : connection_(std::move(connection)),
      hooks_(std::move(hooks)),
      cancel_by_closing_(cancel_by_closing),
      unsent_(unsent),
      scope_(Context::background()) {
    if (hold_bytes != 0) prefer_raw(hold_bytes);
    scope_.spawn(read_loop());
}

Rpc::~Rpc() = default;

Task<Result<Json>> Rpc::request(const Context& ctx, RpcCall call) {
    if (end_) co_return fail(*end_);
    GANTRY_CO_CHECK(ctx.check());

    auto pending = std::make_shared<Pending>();
    pending->id = RequestId(next_id_++);
    pending->method = call.method;
    pending->alive_since = pending->started = SteadyClock::now();
    pending->on_progress = std::move(call.on_progress);
    pending->on_notification = std::move(call.on_notification);
    if (call.id != nullptr) *call.id = pending->id;
    if (pending->on_progress) ask_for_progress(call.params, pending->id);
    pending_.emplace(pending->id, pending);

    Outgoing outgoing{.message = RequestMessage{pending->id, call.method, std::move(call.params)},
                      .headers = std::move(call.headers),
                      .failure = &pending->failure,
                      .on_login = [pending](bool waiting) { pending->hold(waiting); }};
    // The write runs in its own task: an HTTP peer may answer through read() before the write completes, and a
    // caller that gives up must not wait for it.
    scope_.spawn(send(pending, std::move(outgoing), scope_.context()));

    auto waited = co_await wait_for_answer(ctx, *pending, call.times);
    pending_.erase(pending->id);
    if (call.failure != nullptr) *call.failure = pending->failure;
    if (call.http_status != nullptr) *call.http_status = pending->http_status;
    if (pending->outcome) co_return *std::move(pending->outcome);

    const bool tell = call.cancellable && pending->sent;
    const std::string reason =
        waited.error().code() == ErrorCode::kTimeout ? "the client's time limit passed" : "the client no longer waits";
    scope_.spawn(give_up(pending->id, reason, tell));
    co_return fail(waited.error().within(call.method));
}

Task<Result<void>> Rpc::wait_for_answer(const Context& ctx, Pending& pending, const CallTimes& times) {
    while (!pending.outcome) {
        const bool our_turn = serving_ > 0;
        const Deadline idle = our_turn ? Deadline::never() : Deadline::after(times.idle, pending.alive_since);
        const Deadline cap = Deadline::after(times.total, pending.started + pending.held);
        // A login has its own timeout; the caller's context applies in any case.
        const bool held = pending.held_since.has_value();
        const Context waiting = held ? ctx : ctx.until(earlier(idle, cap));
        pending.changed.reset();
        const TimePoint before = pending.alive_since;
        if (auto waited = co_await pending.changed.wait(waiting); !waited) {
            if (pending.outcome || pending.alive_since != before || (!our_turn && serving_ > 0)) continue;
            if (held != pending.held_since.has_value()) continue;
            if (held) co_return waited;
            co_return fail(
                naming_limit(waited.error(), idle < cap ? times.idle : times.total, earlier(idle, cap), ctx));
        }
    }
    co_return Result<void>();
}

Task<void> Rpc::send(std::shared_ptr<Pending> pending, Outgoing outgoing, Context ctx) {
    pending->sent = true;
    auto written = co_await connection_->write(ctx, std::move(outgoing));
    pending->writing = false;
    if (written) co_return;
    end_if_stalled(written.error());
    // The answer may already have arrived although the exchange then broke.
    if (written.error().code() == ErrorCode::kConnection) pending->sent = false;
    pending->settle(fail(written.error()));
}

Task<void> Rpc::give_up(RequestId id, std::string reason, bool tell) {
    const Context ctx = Context::background().within(kGiveUpLimit);
    if (tell && !cancel_by_closing_ && !end_) {
        JsonObject params{{"requestId", to_json(id)}, {"reason", reason}};
        // Best effort: the peer may be gone or ignore it.
        auto told = co_await connection_->write(
            ctx, Outgoing{.message = NotificationMessage{"notifications/cancelled", std::move(params)}});
        if (!told) report_anomaly("the server did not take a cancellation");
    }
    co_await connection_->abandon(id);
}

Task<Result<void>> Rpc::notify(const Context& ctx, std::string method, Json params) {
    if (end_) co_return fail(*end_);
    co_return co_await connection_->write(
        ctx, Outgoing{.message = NotificationMessage{std::move(method), std::move(params)}});
}

Task<void> Rpc::read_loop() {
    const Context ctx = scope_.context();
    for (;;) {
        auto incoming = co_await connection_->read(ctx);
        if (!incoming) {
            if (incoming.error().fatal() || ctx.cancel().cancelled()) {
                end(incoming.error());
                break;
            }
            report_anomaly(incoming.error().message());
            if (!co_await stay_fair(ctx, 0, SteadyClock::now())) break;
            continue;
        }
        if (!*incoming) {
            end(Error(ErrorCode::kConnection,
                      closing_ ? "the connection was closed" : "the server closed the connection"));
            break;
        }
        const bool answers = is_answer(**incoming);
        const std::size_t bytes = (*incoming)->spooled ? (*incoming)->spooled->size() : (*incoming)->bytes;
        const TimePoint arrived = answers ? TimePoint() : SteadyClock::now();
        dispatch(*std::move(*incoming));
        if (answers) fair_.pass();
        if (unsent_.full() && !co_await catch_up(ctx)) break;
        if (!answers && !co_await stay_fair(ctx, bytes, arrived)) break;
    }
}

/// Called after a message that answers nothing: yields to other tasks, and pauses if the peer has exceeded its share of
/// the loop. False: the connection ends.
Task<bool> Rpc::stay_fair(const Context& ctx, std::size_t bytes, TimePoint arrived) {
    const FairTurn::GiveWay give = fair_.charge(bytes, arrived);
    if (give.yield) co_await yield_now();
    if (give.pause == Duration::zero()) co_return true;
    if (!std::exchange(slowed_, true))
        report_anomaly("the server sends faster than it is read: reading is slowed down");
    co_return (co_await sleep_for(ctx, give.pause)).has_value();
}

Task<Result<void>> Rpc::catch_up(const Context& ctx) {
    auto room = co_await unsent_.room(ctx);
    if (room || !ctx.check()) co_return room;
    const auto waited = std::chrono::duration_cast<seconds>(unsent_.limits().stall);
    end(Error(ErrorCode::kLimit, "the server sends requests but does not take the answers: " +
                                     std::to_string(unsent_.count()) + " answers (" + std::to_string(unsent_.bytes()) +
                                     " bytes) unsent for " + std::to_string(waited.count()) + " s")
            .fatal(true));
    co_return fail(*end_);
}

/// A transport reports a stalled peer by a fatal kLimit: the connection ends although reading still works.
void Rpc::end_if_stalled(const Error& error) {
    if (error.code() == ErrorCode::kLimit && error.fatal()) end(error);
}

void Rpc::dispatch(Incoming incoming) {
    if (incoming.lost) {
        return on_lost(incoming.on_stream_of, *std::move(incoming.lost));
    }
    if (incoming.spooled) return dispatch_spooled(std::move(incoming));
    if (incoming.raw) return dispatch_raw(std::move(incoming));
    if (!parties_.empty() && !std::holds_alternative<ResponseMessage>(incoming.message)) {
        // A tree (as from the legacy stream for unsolicited messages) may still concern a relayed request.
        auto raw = RawMessage::read(encode_message(incoming.message));
        if (raw && offer(*raw)) return;
    }
    dispatch_tree(std::move(incoming));
}

/// An answer that will not come, or is unreadable. Without an id it is attributed to the request in flight, if only
/// one.
void Rpc::on_lost(const std::optional<RequestId>& id, Error why) {
    Pending* pending = id ? find(*id) : nullptr;
    if (!id && pending_.size() == 1) pending = pending_.begin()->second.get();
    if (pending != nullptr) return pending->settle(fail(std::move(why)));
    report_anomaly(why.message());
}

void Rpc::dispatch_tree(Incoming incoming) {
    if (auto* response = std::get_if<ResponseMessage>(&incoming.message)) {
        on_response(std::move(*response), incoming.on_stream_of, incoming.http_status);
    } else if (auto* notification = std::get_if<NotificationMessage>(&incoming.message)) {
        on_notification(std::move(*notification), incoming.on_stream_of);
    } else if (auto* request = std::get_if<RequestMessage>(&incoming.message)) {
        start_answer(std::move(*request), incoming.bytes);
    }
}

void Rpc::on_response(ResponseMessage response, const std::optional<RequestId>& stream, int http_status) {
    // An error without an id belongs to the request whose stream it came on; over a pipe it belongs to
    // the request in flight if there is exactly one (old servers answer an unreadable request so).
    Pending* pending = response.id ? find(*response.id) : stream ? find(*stream) : nullptr;
    if (pending == nullptr && !response.id && !stream && pending_.size() == 1) pending = pending_.begin()->second.get();
    if (pending == nullptr || pending->outcome) return report_anomaly("an answer to no pending request");
    pending->http_status = http_status;
    if (response.outcome) {
        pending->settle(*std::move(response.outcome));
    } else {
        pending->settle(fail(to_error(std::move(response.outcome).error(), pending->method)));
    }
}

void Rpc::on_notification(NotificationMessage notification, const std::optional<RequestId>& stream) {
    if (notification.method == "notifications/progress") {
        const auto owner = id_in(notification, "progressToken");
        Pending* pending = owner ? find(*owner) : nullptr;
        if (pending == nullptr || !pending->on_progress) return report_anomaly("progress for no call in flight");
        auto progress = decode<Progress>(notification.params, Revision::k2026_07_28);
        if (!progress) return report_anomaly(progress.error().message());
        // Only increasing progress counts as a sign of life, so that a stuck server cannot extend the timeout.
        if (pending->progress && progress->progress <= *pending->progress)
            return report_anomaly("progress that does not grow");
        pending->progress = progress->progress;
        pending->revive();
        pending->on_progress(*progress);
        return;
    }
    if (notification.method == "notifications/cancelled") return on_cancelled(notification);
    std::optional<RequestId> owner = read_subscription_id(notification.params);
    if (!owner) owner = stream;
    if (Pending* pending = owner ? find(*owner) : nullptr; pending != nullptr && pending->on_notification) {
        pending->on_notification(notification);
        return;
    }
    if (hooks_.on_notification) hooks_.on_notification(notification);
}

void Rpc::start_answer(RequestMessage request, std::size_t bytes) {
    const CancelSource stop(scope_.context().cancel());
    // A peer that numbers its requests per stream may use an id twice; both must be answered.
    const auto entry = answering_.emplace(request.id, stop);
    scope_.spawn(answer(std::move(request), stop, entry, UnsentAnswers::Entry(unsent_, bytes)));
}

/// When the last handler finishes, the idle timeouts restart.
void Rpc::serve(bool begins) {
    serving_ += begins ? 1 : -1;
    if (serving_ > 0) return;
    for (const auto& [id, pending] : pending_) pending->revive();
}

/// May arrive after the request was answered; then there is nothing to do.
void Rpc::on_cancelled(const NotificationMessage& notification) {
    const auto id = id_in(notification, "requestId");
    if (!id) return;
    std::vector<CancelSource> meant;
    const auto [first, last] = answering_.equal_range(*id);
    for (auto it = first; it != last; ++it) meant.push_back(it->second);
    for (const CancelSource& stop : meant) stop.cancel();
}

Task<void> Rpc::answer(RequestMessage request, CancelSource stop, Answering::iterator entry,
                       UnsentAnswers::Entry unsent) {
    const Context ctx = scope_.context().stopped_by(stop);
    const std::size_t size = unsent.bytes();
    ResponseMessage response{.id = request.id, .outcome = Json(JsonObject{})};
    if (request.method == "ping") {
        // answered below with the empty result
    } else if (!hooks_.on_request) {
        response.outcome = std::unexpected(method_not_found(request.method.substr(0, kQuotedMethod)));
    } else if (answering_.size() > kMaxAnswering || working_bytes_ + size > kMaxWorkingBytes) {
        response.outcome = std::unexpected(internal_error("too many requests to this client at once"));
    } else {
        unsent.suspend();
        working_bytes_ += size;
        serve(true);
        auto result = co_await hooks_.on_request(ctx, std::move(request));
        serve(false);
        working_bytes_ -= size;
        if (result) {
            response.outcome = *std::move(result);
        } else {
            response.outcome = std::unexpected(to_rpc_error(result.error()));
        }
    }
    answering_.erase(entry);
    // The peer cancelled the request, or the connection is closed.
    if (stop.cancelled()) co_return;
    std::string text = encode_message(response);
    unsent.resume(unsent_, size + text.size());
    response.outcome = Json();
    auto written = co_await connection_->write(ctx.within(unsent_.limits().write_limit()),
                                               Outgoing{.message = std::move(response), .text = std::move(text)});
    if (written) co_return;
    end_if_stalled(written.error());
    report_anomaly("an answer to the server's request could not be sent");
}

void Rpc::set_revision(Revision revision) {
    connection_->set_revision(revision);
}

Task<Error> Rpc::closed() {
    auto waited = co_await ended_.wait(Context::background());
    static_cast<void>(waited);  // nothing can end this wait early
    co_return *end_;
}

void Rpc::end(Error why) {
    if (end_) return;
    end_ = why;
    for (auto& [id, pending] : pending_) {
        if (!pending->sent) {
            pending->settle(fail(why));
        } else {
            pending->settle(fail(Error(ErrorCode::kOutcomeUnknown,
                                       "the connection ended before the answer came; the request may have run")
                                     .caused_by(why)
                                     .fatal(true)));
        }
    }
    ended_.set();
}

Task<void> Rpc::close() {
    if (closing_) {
        auto waited = co_await finished_.wait(Context::background());
        static_cast<void>(waited);  // nothing can end this wait early
        co_return;
    }
    closing_ = true;
    co_await connection_->close();
    end(Error(ErrorCode::kConnection, "the connection was closed"));
    scope_.cancel();
    co_await scope_.join();
    finished_.set();  // must be last: another task may destroy this afterwards
}

void Rpc::report_anomaly(std::string what) {
    ++unexpected_;
    if (hooks_.on_oddity) hooks_.on_oddity(Error(ErrorCode::kProtocol, std::move(what)));
}

Rpc::Pending* Rpc::find(const RequestId& id) {
    const auto found = pending_.find(id);
    return found == pending_.end() ? nullptr : found->second.get();
}

}  // namespace gantry::mcp
