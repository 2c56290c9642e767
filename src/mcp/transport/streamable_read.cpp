#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/server_text.hpp"
#include "mcp/transport/streamable_connection.hpp"

namespace gantry::mcp {
namespace {

// How long a stream may stay open after its answer; then its connection is dropped.
constexpr Duration kLinger = seconds(2);
// A GET stream that lived this long is reopened even if it carried nothing.
constexpr Duration kGoodLife = seconds(5);
// Keeps a server that sends `retry: 0` and closes at once from causing a busy loop.
constexpr Duration kShortestWait = milliseconds(50);

Error without_answer(std::string_view why) {
    return Error(ErrorCode::kOutcomeUnknown, "the response stream " + std::string(why) + " before the answer came");
}

}  // namespace

Task<Result<std::optional<Incoming>>> StreamableConnection::read(const Context& ctx) {
    co_return co_await inbox_.take(ctx);
}

Task<void> StreamableConnection::deliver(PendingPost& pending, std::vector<Message> messages, int status,
                                         std::size_t bytes) {
    for (Message& message : messages) {
        const auto* response = std::get_if<ResponseMessage>(&message);
        if (response && pending.id && response->id == pending.id) {
            pending.answered = true;
            // Only a successful initialize may set the session id: another answer's would break the next session.
            if (pending.initialize && response->outcome) session_ = pending.offered_session;
            forget(pending);
        }
        co_await inbox_.put(scope_.context(), Incoming{.message = std::move(message),
                                                       .on_stream_of = pending.id,
                                                       .lost = std::nullopt,
                                                       .http_status = status,
                                                       .bytes = bytes});
    }
}

/// Delivers events until the stream ends; an error says how it broke.
Task<Result<void>> StreamableConnection::follow(Context ctx, PendingPost& pending, EventSource& source,
                                                bool& progress) {
    bool lingering = false;
    for (;;) {
        if (pending.answered && !lingering) {
            ctx = ctx.within(kLinger);
            lingering = true;
        }
        GANTRY_CO_TRY(auto event, co_await source.next(ctx));
        if (!event) co_return Result<void>();
        progress = true;
        if (event->id) pending.last_event_id = *std::move(event->id);
        if (event->retry) pending.retry = event->retry;
        if (event->data.empty() || (!event->type.empty() && event->type != "message")) continue;
        caller_.show_received(event->data);
        auto messages =
            ServerText{.limits = {.max_bytes = config_.http.max_event_bytes}, .strict = config_.http.strict_json}
                .decode_batch(event->data);
        if (!messages) {
            if (pending.id && is_unreadable_answer_to(event->data, *pending.id)) {
                pending.answered = true;
                co_await report_lost(pending, unreadable(messages.error()));
                forget(pending);
                continue;
            }
            Error error = Error(ErrorCode::kParse, "an event of " + std::to_string(event->data.size()) +
                                                       " bytes from the server is no message")
                              .caused_by(messages.error());
            pending.unreadable = error;
            co_await inbox_.put(scope_.context(), fail(std::move(error)));
            continue;
        }
        co_await deliver(pending, *std::move(messages), 0, event->data.size());
    }
}

Task<void> StreamableConnection::follow_post(PendingPostPtr pending, http::Response response) {
    const Context ctx = scope_.context().stopped_by(pending->cancel);
    bool progress = false;
    Result<void> ended;
    {
        EventSource source(std::move(response), config_.http.max_event_bytes);
        ended = co_await follow(ctx, *pending, source, progress);
    }
    // A notification's stream needs no resumption; for a cancelled request nothing waits.
    int failures = 0;
    while (pending->id && !pending->answered && !ctx.cancel().cancelled()) {
        Error lost = ended ? without_answer("ended") : without_answer("broke").caused_by(ended.error());
        if (pending->unreadable) lost = std::move(lost).caused_by(*pending->unreadable);
        const bool too_large = !ended && ended.error().code() == ErrorCode::kLimit;
        if (too_large) lost = Error(ended.error()).retryable(false);
        if (pending->modern || pending->last_event_id.empty() || too_large || failures == config_.max_resume_attempts) {
            co_await report_lost(*pending, std::move(lost));
            break;
        }
        if (!co_await sleep_for(ctx, delay_before(*pending, failures))) break;
        HttpFailure failure;
        auto source = co_await reopen(ctx, *pending, failure);
        if (source) {
            progress = false;
            ended = co_await follow(ctx, *pending, *source, progress);
            failures = progress ? 0 : failures + 1;
            continue;
        }
        ended = std::unexpected(std::move(source).error());
        ++failures;
        if (failure.status >= 400 && failure.status < 500 && failure.status != 408 && failure.status != 429) {
            failures = config_.max_resume_attempts;  // a permanent rejection
        }
    }
    forget(*pending);
}

Task<void> StreamableConnection::listen(PendingPostPtr pending) {
    const Context ctx = scope_.context().stopped_by(pending->cancel);
    bool ever_open = false;
    for (int failures = 0; !ctx.cancel().cancelled();) {
        const TimePoint began = SteadyClock::now();
        HttpFailure failure;
        auto source = co_await reopen(ctx, *pending, failure);
        std::optional<Error> broke;
        if (source) {
            ever_open = true;
            bool progress = false;
            auto ended = co_await follow(ctx, *pending, *source, progress);
            failures = progress || SteadyClock::now() - began > kGoodLife ? 0 : failures + 1;
            if (!ended) broke = std::move(ended).error();
        } else {
            ++failures;
            broke = std::move(source).error();
        }
        if (ctx.cancel().cancelled()) break;
        if (failure.session_gone) {
            co_await inbox_.put(scope_.context(), fail(std::move(*broke).fatal(true)));
            break;
        }
        // 405 and the like: the server has no such stream, which is allowed.
        if (failure.status >= 400 && failure.status < 500 && failure.status != 408 && failure.status != 429) break;
        const bool too_large = broke && broke->code() == ErrorCode::kLimit;
        if (failures > config_.max_resume_attempts || too_large) {
            Error error(too_large ? ErrorCode::kLimit : ErrorCode::kConnection,
                        "the stream for unsolicited messages was given up");
            if (broke) error = std::move(error).caused_by(*broke);
            // With no call in flight nothing else would detect that the server is gone.
            const bool gone =
                ever_open && pending_.empty() && !in_use() && broke && broke->code() == ErrorCode::kConnection;
            co_await inbox_.put(scope_.context(), fail(std::move(error).fatal(gone)));
            break;
        }
        if (!co_await sleep_for(ctx, delay_before(*pending, std::max(0, failures - 1)))) break;
    }
    if (listener_ == pending) listener_ = nullptr;
}

Task<Result<EventSource>> StreamableConnection::reopen(Context ctx, const ResumePoint& at, HttpFailure& failure) {
    http::Headers headers;
    headers.add("Accept", kEventStream);
    if (revision_ && *revision_ >= Revision::k2025_06_18) headers.add(header::kProtocolVersion, to_string(*revision_));
    if (!at.session.empty()) headers.add(header::kSessionId, at.session);
    if (!at.last_event_id.empty() && http::Headers::valid_value(at.last_event_id)) {
        headers.add(header::kLastEventId, at.last_event_id);
    }
    HttpCaller::Call call{.method = "GET", .url = config_.http.url, .headers = std::move(headers), .body = {}};
    GANTRY_CO_TRY(auto response, co_await caller_.send(ctx, std::move(call), &failure));
    if (response.status() == 200 && media_type(response.headers()) == kEventStream) {
        co_return Result<EventSource>(EventSource(std::move(response), config_.http.max_event_bytes));
    }
    auto refusal = co_await read_refusal(ctx, std::move(response), "GET " + without_query(config_.http.url.text()));
    failure = std::move(refusal.detail);
    failure.session_gone = failure.status == 404 && !at.session.empty();
    if (failure.status < 400) failure.status = 406;  // an answer, but not a stream: retrying would not help
    co_return fail(std::move(refusal.error));
}

Task<void> StreamableConnection::report_lost(const PendingPost& pending, Error error) {
    co_await inbox_.put(
        scope_.context(),
        Incoming{
            .message = NotificationMessage{}, .on_stream_of = pending.id, .lost = std::move(error), .http_status = 0});
}

Duration StreamableConnection::delay_before(const ResumePoint& at, int attempt) const {
    const Duration first = std::max(at.retry ? Duration(*at.retry) : config_.resume_delay, kShortestWait);
    if (attempt <= 0) return first;
    const Duration grown = first * (1 << std::min(attempt, 10));
    return std::max(first, std::min(grown, config_.max_resume_delay));
}

}  // namespace gantry::mcp
