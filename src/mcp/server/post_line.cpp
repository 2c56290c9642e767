#include "mcp/server/post_line.hpp"

#include "base/try.hpp"
#include "io/sse/parser.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

/// The client is watched for disconnection only if its answer takes longer than this.
constexpr Duration kWatchAfter = milliseconds(50);

}  // namespace

PostLine::PostLine(const Parts& parts, InFlight& call)
    : parts_(parts), call_(call), stream_(parts.endpoint.options.max_queued_bytes) {
    call_.line = this;
}

PostLine::~PostLine() {
    call_.line = nullptr;
    if (outlet_ != nullptr && outlet_ != &stream_) outlet_->finish();
}

bool PostLine::may_stream() const noexcept {
    return !parts_.endpoint.options.json_only && accepts(parts_.request.head.accept.value, "text/event-stream");
}

void PostLine::watch() {
    // A legacy client's disconnect does not cancel, so there is nothing to watch for until the stream is due.
    const Duration after = parts_.modern ? kWatchAfter : parts_.endpoint.options.stream_after;
    alarm_.arm(
        Loop::current(), Deadline::after(after), [](void* self) { static_cast<PostLine*>(self)->start(); }, this);
}

void PostLine::start() {
    if (scope_) return;
    scope_.emplace(parts_.ctx);
    scope_->spawn(pump());
}

/// Switches to an event stream.
void PostLine::begin_stream() {
    if (std::exchange(streaming_, true)) return;
    if (!stream_.gone()) outlet_ = &stream_;
    if (keeps_events()) {
        number_ = parts_.session->new_stream();
        if (parts_.session->peer->revision >= Revision::k2025_11_25 && outlet_ != nullptr) {
            // An event without data gives the client an id to resume from. Older clients would try to parse it.
            std::string prime;
            sse::append_event(prime, "", "", parts_.session->record(number_, ""));
            stream_.push(prime);
            told_ = true;
        }
    }
    start();
}

Task<void> PostLine::pump() {
    const Context ctx = scope_->context();
    http::Exchange& exchange = parts_.request.exchange;
    if (stream_.released() && !streaming_) co_return;  // answered before this task ran
    if (!parts_.modern && may_stream()) begin_stream();
    const Duration timeout = parts_.endpoint.options.stream_after - kWatchAfter;
    const Deadline turn = may_stream() ? Deadline::after(timeout) : Deadline::never();
    while (!streaming_) {
        if (!parts_.modern) co_return;
        switch (co_await stream_.idle(ctx, exchange, turn)) {
            case EventStream::Idle::kGone: co_return lost();
            case EventStream::Idle::kTimeout: begin_stream(); break;
            case EventStream::Idle::kWoken:
                if (!streaming_) co_return;  // answered
        }
    }
    const http::Headers headers = parts_.endpoint.stream_headers(parts_.request);
    const auto end = co_await stream_.run(ctx, exchange, headers, parts_.endpoint.options.keep_alive);
    if (end == EventStream::End::kGone) lost();
}

/// The client disconnected. Modern: this cancels the request. Legacy: it may resume the stream.
void PostLine::lost() {
    detach(stream_);
    if (parts_.modern) call_.stop.cancel();
}

/// Sends one message. False: dropped.
bool PostLine::emit(std::string message, bool droppable) {
    begin_stream();
    std::string id;
    if (keeps_events()) {
        id = parts_.session->record(number_, message);
        told_ = true;
    }
    if (outlet_ == nullptr) return keeps_events();
    std::string event;
    append_message_event(event, message, id);
    if (!droppable) {
        outlet_->push(event);
        return true;
    }
    return outlet_->offer(event);
}

bool PostLine::notify(std::string message) {
    return may_stream() && emit(std::move(message), true);
}

Task<Result<void>> PostLine::room(const Context& ctx) {
    if (outlet_ == nullptr) co_return Result<void>();
    const auto alive = came_back_;
    co_return co_await outlet_->room(ctx);
}

Task<Result<std::string>> PostLine::ask(const Context& ctx, std::string_view method, std::string params) {
    if (!can_ask()) co_return fail(ErrorCode::kUnsupported, "this client cannot be asked while it waits");
    co_return co_await parts_.session->asks.ask(ctx, parts_.endpoint.options.ask_timeout, std::string(method),
                                                std::move(params),
                                                [this](std::string message) { emit(std::move(message), false); });
}

void PostLine::hang_up(Duration retry) {
    if (!keeps_events() || !may_stream()) return;
    begin_stream();
    if (outlet_ == nullptr || !told_) return;  // without an id it could not resume
    const auto wait = std::chrono::duration_cast<milliseconds>(retry);
    const std::string last = "retry: " + std::to_string(std::max<std::int64_t>(wait.count(), 0)) + "\n\n";
    outlet_->push(last);
    outlet_->finish(outlet_ == &stream_);
    outlet_ = nullptr;
}

void PostLine::attach(std::shared_ptr<EventStream> stream) {
    if (outlet_ != nullptr) outlet_->finish(outlet_ == &stream_);
    came_back_ = std::move(stream);
    outlet_ = came_back_.get();
}

Task<void> PostLine::settle(Answer answer, int status) {
    stream_.release();
    co_await scope_->join();
    if (streaming_) co_return co_await settle_stream(std::move(answer));
    if (stream_.gone() || answer.message.empty()) co_return;
    co_await parts_.endpoint.send_answer(parts_.ctx, parts_.request, std::move(answer), status);
}

Task<void> PostLine::settle_stream(Answer answer) {
    const bool own = outlet_ == &stream_ && !stream_.gone();
    if (own) co_return co_await write_last(std::move(answer));
    if (!keeps_events() || answer.message.empty()) co_return;
    if (answer.rest && outlet_ != nullptr && outlet_ == came_back_.get()) {
        co_return co_await pass_on(std::move(answer));
    }
    // No reader: the client may resume the stream, or has done so on another connection.
    std::string whole = co_await gather(std::move(answer));
    emit(std::move(whole), false);
}

/// Writes the answer as the last event directly to the exchange: it may be large, and no other task uses it now.
Task<void> PostLine::write_last(Answer answer) {
    http::Exchange& exchange = parts_.request.exchange;
    const Context& ctx = parts_.ctx;
    std::string out = stream_.take();
    if (!answer.message.empty()) {
        std::string id;
        if (keeps_events()) {
            std::string kept;
            if (!answer.rest) wire::append_whole(kept, answer);
            id = parts_.session->record(number_, std::move(kept));
        }
        if (answer.rest) {
            const auto written = co_await write_long(std::move(answer), std::move(out), id);
            if (written) co_return (void) co_await exchange.finish(ctx);
            // Cut off. A client that resumes gets an error instead.
            if (outlet_ == &stream_) outlet_ = nullptr;
            if (keeps_events()) emit(not_kept(written.error().message()), false);
            co_return;
        }
        std::string whole;
        if (answer.shared_result) wire::append_whole(whole, answer);
        append_message_event(out, answer.shared_result ? whole : answer.message, id);
    }
    if (!out.empty() && !co_await exchange.write(ctx, out)) co_return;
    (void)co_await exchange.finish(ctx);
}

/// Sends an answer too large to hold as one event after `out`.
Task<Result<void>> PostLine::write_long(Answer answer, std::string out, std::string_view id) {
    http::Exchange& exchange = parts_.request.exchange;
    begin_message_event(out, id);
    wire::append_one_line(out, answer.message);
    for (;;) {
        GANTRY_CO_TRY(const auto piece, co_await answer.rest->next(parts_.ctx));
        if (!piece) break;
        wire::append_one_line(out, *piece);
        GANTRY_CO_CHECK(co_await exchange.write(parts_.ctx, out));
        out.clear();
    }
    co_return co_await exchange.write(parts_.ctx, "\n\n");
}

/// The same for a client that resumed before the answer was ready.
Task<void> PostLine::pass_on(Answer answer) {
    const auto stream = came_back_;
    const std::string id = parts_.session->record(number_, "");
    const auto passed = co_await stream->pass(parts_.ctx, std::move(answer), id);
    if (passed) co_return;
    if (outlet_ == stream.get()) outlet_ = nullptr;
    emit(not_kept(passed.error().message()), false);
}

/// Logged in place of an answer that is too large for the log.
std::string PostLine::not_kept(std::string_view why) const {
    return wire::error_message(call_.id, internal_error("the answer could not be kept for you: " + std::string(why)));
}

/// The whole answer as text, up to what the log could keep.
Task<std::string> PostLine::gather(Answer answer) {
    std::string whole;
    wire::append_whole(whole, answer);
    const std::size_t most = parts_.endpoint.options.replay_bytes;
    while (answer.rest) {
        const auto piece = co_await answer.rest->next(parts_.ctx);
        if (piece && !*piece) co_return whole;
        if (piece && whole.size() + (*piece)->size() <= most) {
            whole += **piece;
            continue;
        }
        co_return not_kept(piece ? "it is too large" : piece.error().message());
    }
    co_return whole;
}

}  // namespace gantry::mcp
