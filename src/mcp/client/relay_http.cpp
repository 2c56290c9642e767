#include "mcp/client/relay_http.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/client/fair_turn.hpp"
#include "mcp/client/relay_body.hpp"
#include "mcp/client/relay_compose.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/server_text.hpp"
#include "mcp/transport/streamable_http.hpp"

namespace gantry::mcp {
namespace {

bool is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Whether the response's media type is `type`, without allocating.
bool is_of_type(const http::Response& response, std::string_view type) {
    const std::string_view value = response.headers().get(http::FieldName::kContentType).value_or("");
    if (value.size() < type.size() || !http::equal_ignoring_case(value.substr(0, type.size()), type)) return false;
    return value.size() == type.size() || value[type.size()] == ';' || value[type.size()] == ' ';
}

bool may_hold_json(const http::Response& response) {
    return response.status() >= 200 && response.status() <= 299 && response.status() != 202 &&
           (is_of_type(response, kJson) || media_type(response.headers()).empty());
}

Error without_answer(std::string_view why) {
    return Error(ErrorCode::kOutcomeUnknown, "the response stream " + std::string(why) + " before the answer came");
}

class HttpRelay final : public RelayParty {
public:
    HttpRelay(const Context& ctx, HttpRelayJob& job, RelayAnswer& out, bool& session_gone)
        : RelayParty(job.rpc, ctx, job.request, job.id, !is_modern(job.revision)),
          ctx_(ctx),
          lane_(job.lane),
          legacy_(!is_modern(job.revision)),
          out_(out),
          session_gone_(session_gone),
          clock_(ctx, job.request.times),
          seat_(job.lane, clock_.source()) {
        // A modern server sends messages only on the request's own stream.
        if (legacy_) rpc().register_request(*this);
    }
    ~HttpRelay() {
        if (legacy_) rpc().unregister_request(*this);
    }

    RelayClock& clock() noexcept { return clock_; }

    /// Fast path: a JSON answer that has arrived completely. Empty: not applicable.
    std::optional<Result<void>> take_at_once(http::Response& response) {
        if (!may_hold_json(response)) return std::nullopt;
        auto piece = response.take();
        if (!piece || !*piece) return std::nullopt;
        held_.assign(**piece);
        if (!response.body_complete() || held_.size() > request().hold_bytes) return std::nullopt;
        return accept(std::move(held_));
    }

    Task<Result<void>> take(http::Response response, RawPost& post) {
        if (is_redirect(response.status())) {
            auto again = co_await lane_.post_carefully(clock_.context(), post);
            if (!again) co_return fail(std::move(again).error());
            response = *std::move(again);
        }
        const bool accepted = response.status() >= 200 && response.status() <= 299;
        if (accepted && is_of_type(response, kEventStream)) {
            co_return co_await follow(std::move(response), std::move(post.session));
        }
        if (may_hold_json(response)) co_return co_await take_body(std::move(response));
        co_return co_await take_refusal(std::move(response), post.session);
    }

    /// Cancels the request at the server if needed, and returns the error for the caller.
    Error ended(Error error) {
        const std::string method(request().method);
        if (error.rpc() != nullptr || error.code() == ErrorCode::kConnection) return error;
        if (clock_.timed_out()) {
            rpc().abandon(id(), "the client's time limit passed");
            return Error(ErrorCode::kTimeout, method + ": the server did not answer within the time limit");
        }
        if (const auto wanted = ctx_.check(); !wanted) {
            rpc().abandon(id(), "the client no longer waits");
            return wanted.error().within(method);
        }
        if (lane_.closing() && error.code() == ErrorCode::kCancelled) {
            return Error(ErrorCode::kOutcomeUnknown,
                         "the connection ended before the answer came; the request may have run")
                .fatal(true)
                .caused_by(std::move(error));
        }
        if (error.code() == ErrorCode::kTimeout) rpc().abandon(id(), "the client's time limit passed");
        return error.within(method);
    }

private:
    void revived() override { clock_.revive(); }
    void serving(bool begins) override { clock_.serve(begins); }

    Result<void> accept(std::string text) {
        const auto first = text.find_first_not_of(" \t\r\n");
        if (first != std::string::npos && text[first] == '[') return accept_batch(text);
        lane_.show_received(text);
        auto message = RawMessage::read_from_server(text, limits(), strict());
        if (message) return accept(*std::move(message));
        return fail(unreadable(message.error()));
    }

    Result<void> accept(RawMessage message) {
        // An error without an id can only answer the one request of this exchange.
        const bool ours = message.is_about(id()) || (message.view().error && !message.view().id);
        if (!message.is_response() || !ours) {
            return fail(ErrorCode::kProtocol, "the server answered the request without answering its id");
        }
        if (auto error = message.error()) return fail(to_error(*std::move(error), request().method));
        out_.message = std::move(message);
        return {};
    }

    bool strict() const { return lane_.config().http.strict_json; }
    JsonLimits limits() const { return {.max_bytes = std::max(request().hold_bytes, request().max_result_bytes)}; }

    Task<Result<void>> take_body(http::Response response) {
        AnswerReading reading{.bytes = nullptr, .held = std::move(held_), .stream = nullptr, .strict = strict()};
        GANTRY_CO_CHECK(
            co_await read_body(clock_.context(), request(), id(), clock_.cap(), std::move(response), reading));
        co_return take_reading(std::move(reading));
    }

    /// An event too long to hold, of which the beginning has arrived.
    Task<Result<void>> take_large(EventSource source) {
        AnswerReading reading{.bytes = bytes_of_event(std::move(source)),
                              .held = std::move(large_),
                              .stream = nullptr,
                              .strict = strict()};
        GANTRY_CO_CHECK(co_await stream_answer(clock_.context(), request(), id(), clock_.cap(), reading));
        co_return take_reading(std::move(reading));
    }

    Result<void> take_reading(AnswerReading reading) {
        out_.stream = std::move(reading.stream);
        if (out_.stream) return {};
        return accept(std::move(reading.held));
    }

    /// 2025-03-26: the answer may be part of a batch.
    Result<void> accept_batch(std::string_view text) {
        lane_.show_received(text);
        auto messages = ServerText{.limits = limits(), .strict = strict()}.decode_batch(text);
        if (!messages) return fail(unreadable(messages.error()));
        for (Message& message : *messages) {
            GANTRY_TRY(auto raw, RawMessage::read(encode_message(message)));
            if (auto answered = hear(std::move(raw))) return *std::move(answered);
        }
        return fail(ErrorCode::kProtocol, "the server answered the request without answering its id");
    }

    /// An unexpected status or media type. A JSON-RPC error in its body still counts as the answer.
    Task<Result<void>> take_refusal(http::Response response, std::string session) {
        auto refusal = co_await read_refusal(clock_.context(), std::move(response),
                                             "POST " + without_query(lane_.config().http.url.text()));
        if (!refusal.body.empty()) lane_.show_received(refusal.body);
        const int status = refusal.detail.status;
        const RpcError* rpc = refusal.error.rpc();
        // Answering unknown methods with 404 is a known mistake of servers with sessions.
        if (status == 404 && !session.empty() && !(rpc && rpc->code == rpc_code::kMethodNotFound)) {
            lane_.forget_session(session);
            session_gone_ = true;
            co_return fail(Error(ErrorCode::kNotFound,
                                 "the server no longer knows the session (404); it has to be initialized again")
                               .retryable(true));
        }
        if (rpc && !is_about_credentials(status)) co_return fail(to_error(*rpc, request().method));
        // An intermediary's error body must not pass for the server's answer.
        if (rpc) co_return fail(Error(refusal.error.code(), refusal.error.message()));
        co_return fail(std::move(refusal.error));
    }

    /// Handles one message on the request's stream; set if it was the answer.
    std::optional<Result<void>> hear(RawMessage message) {
        if (message.is_response()) {
            if (message.is_about(id()) || (message.view().error && !message.view().id))
                return accept(std::move(message));
            rpc().report_anomaly("an answer to no pending request");
        } else if (message.is_request()) {
            on_request(std::move(message));
        } else {
            hear_note(message);
        }
        return std::nullopt;
    }

    void hear_note(const RawMessage& note) {
        const json::Span& method = note.view().method;
        if (method.is("notifications/progress")) {
            if (spells(note.view().in_params.progress_token, id())) return on_progress(note);
            return rpc().report_anomaly("progress for no call in flight");
        }
        if (method.is("notifications/message") && hears_logs()) return on_log(note);
        if (method.is("notifications/cancelled") && on_cancelled(note)) return;
        rpc().hear(note);
    }

    std::optional<Result<void>> hear_event(sse::Event event) {
        lane_.show_received(event.data);
        const bool batch = event.data.starts_with('[');
        if (batch) {
            auto messages = ServerText{.limits = limits(), .strict = strict()}.decode_batch(event.data);
            for (std::size_t i = 0; messages && i < messages->size(); ++i) {
                auto raw = RawMessage::read(encode_message((*messages)[i]));
                if (!raw) continue;
                if (auto answered = hear(*std::move(raw))) return answered;
            }
            if (messages) return std::nullopt;
        }
        const std::size_t size = event.data.size();
        auto message = RawMessage::read_from_server(event.data, limits(), strict());
        if (message) return hear(*std::move(message));
        if (is_unreadable_answer_to(event.data, RequestId(id()))) return fail(unreadable(message.error()));
        unreadable_ =
            Error(ErrorCode::kParse, "an event of " + std::to_string(size) + " bytes from the server is no message")
                .caused_by(std::move(message).error());
        rpc().report_anomaly(unreadable_->message());
        return std::nullopt;
    }

    /// Handles events until the answer (set), the beginning of a large event (in large_) or the end of the stream; an
    /// error says how the stream broke.
    Task<Result<std::optional<Result<void>>>> follow_one(EventSource& source, ResumePoint& at, bool& heard) {
        using Outcome = Result<std::optional<Result<void>>>;
        for (;;) {
            std::optional<sse::Event> event = source.take();
            if (!event) {
                auto next = co_await source.next(clock_.context());
                if (!next) co_return fail(std::move(next).error());
                if (!*next) co_return Outcome(std::nullopt);
                event = *std::move(next);
            }
            heard = true;
            if (event->id) at.last_event_id = *std::move(event->id);
            if (event->retry) at.retry = event->retry;
            if (event->data.empty() || (!event->type.empty() && event->type != "message")) continue;
            if (event->partial) {
                large_ = std::move(event->data);
                co_return Outcome(std::nullopt);
            }
            const std::size_t bytes = event->data.size();
            const TimePoint arrived = SteadyClock::now();
            if (auto answered = hear_event(*std::move(event))) co_return Outcome(std::move(answered));
            const FairTurn::GiveWay give = fair_.charge(bytes, arrived);
            if (give.yield) co_await yield_now();
            if (give.pause > Duration::zero()) {
                auto paused = co_await sleep_for(clock_.context(), give.pause);
                if (!paused) co_return fail(paused.error());
            }
            if (rpc().unsent().full()) {
                if (auto room = co_await rpc().catch_up(clock_.context()); !room) co_return fail(room.error());
            }
        }
    }

    std::size_t max_event() const {
        return std::min(lane_.config().http.max_event_bytes, request().max_result_bytes + (1u << 20));
    }

    Task<Result<void>> follow(http::Response response, std::string session) {
        ResumePoint at{.session = std::move(session)};
        std::optional<EventSource> source(std::in_place, std::move(response), max_event());
        source->hand_out_beyond(request().hold_bytes);
        int failures = 0;
        for (;;) {
            bool heard = false;
            auto ended = co_await follow_one(*source, at, heard);
            if (!large_.empty()) co_return co_await take_large(*std::move(source));
            if (ended && *ended) {
                lane_.linger(*std::move(source));
                co_return *std::move(*ended);
            }
            source.reset();
            if (clock_.context().cancel().cancelled() || !clock_.context().check()) {
                co_return fail(ErrorCode::kCancelled, "nobody waits any longer");
            }
            if (!ended && ended.error().code() == ErrorCode::kLimit) {
                co_return fail(Error(ended.error()).retryable(false));
            }
            Error lost = ended ? without_answer("ended") : without_answer("broke").caused_by(ended.error());
            if (unreadable_) lost = Error(std::move(lost)).caused_by(*unreadable_);
            if (heard) failures = 0;
            if (ended && legacy_ && at.retry && !at.last_event_id.empty() && request().hooks.on_hang_up) {
                request().hooks.on_hang_up(*at.retry);
            }
            GANTRY_CO_TRY(source, co_await reopened(at, std::move(lost), failures));
        }
    }

    /// Resumes a broken stream, retrying until it succeeds or is hopeless.
    Task<Result<EventSource>> reopened(const ResumePoint& at, Error lost, int& failures) {
        if (!legacy_ || at.last_event_id.empty()) co_return fail(std::move(lost));
        for (; failures < lane_.config().max_resume_attempts; ++failures) {
            GANTRY_CO_CHECK(co_await sleep_for(clock_.context(), lane_.resume_delay(at, failures)));
            HttpFailure failure;
            auto source = co_await lane_.resume(clock_.context(), at, failure);
            if (source) {
                source->hand_out_beyond(request().hold_bytes);
                ++failures;  // reset as soon as the stream delivers something
                co_return source;
            }
            lost = Error(std::move(lost)).caused_by(std::move(source).error());
            // A permanent rejection.
            if (failure.status >= 400 && failure.status < 500 && failure.status != 408 && failure.status != 429) break;
        }
        co_return fail(std::move(lost));
    }

    const Context& ctx_;
    RawHttpExchange& lane_;
    bool legacy_;
    RelayAnswer& out_;
    bool& session_gone_;
    std::string held_;
    FairTurn fair_;
    std::string large_;                // the beginning of an event too long to hold
    std::optional<Error> unreadable_;  // the last event that was not a message
    RelayClock clock_;
    RawHttpExchange::Slot seat_;
};

}  // namespace

Task<Result<void>> relay_over_http(const Context& ctx, HttpRelayJob job, RelayAnswer& out, bool& session_gone) {
    GANTRY_CO_CHECK(ctx.check());
    if (job.lane.closing()) co_return fail(Error(ErrorCode::kConnection, "the connection is closed").fatal(true));
    HttpRelay relay(ctx, job, out, session_gone);
    RawPost post{.method = job.request.method,
                 .name = relayed_name(job.request, job.revision),
                 .correlation_id = job.request.correlation_id,
                 .headers = &job.request.headers,
                 .body = std::move(job.text),
                 .on_login = [clock = &relay.clock()](bool waiting) { clock->hold(waiting); }};
    Result<void> done;
    {
        auto response = co_await job.lane.post(relay.clock().context(), post);
        if (!response) {
            done = fail(std::move(response).error());
        } else if (auto taken = relay.take_at_once(*response)) {
            done = *std::move(taken);
        } else {
            done = co_await relay.take(*std::move(response), post);
        }
    }
    if (relay.has_work()) co_await relay.leave();
    if (!done) done = fail(relay.ended(std::move(done).error()));
    co_return done;
}

}  // namespace gantry::mcp
