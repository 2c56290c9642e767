#include "mcp/server/event_stream.hpp"

#include "base/try.hpp"
#include "io/sse/parser.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

void begin_message_event(std::string& out, std::string_view id) {
    out += "event: message\n";
    if (!id.empty()) out.append("id: ").append(id).append("\n");
    out += "data: ";
}

void append_message_event(std::string& out, std::string_view json, std::string_view id) {
    begin_message_event(out, id);
    wire::append_one_line(out, json);
    out += "\n\n";
}

void EventStream::wake() noexcept {
    if (!waker_) return;
    const CancelSource waker = *waker_;
    waker.cancel();
}

void EventStream::push(std::string_view events) {
    if (gone_) return;
    if (aside_) {
        *aside_ += events;
        return;
    }
    queued_ += events;
    wake();
}

bool EventStream::offer(std::string_view events) {
    if (gone_ || waiting() + events.size() > max_queued_) return false;
    push(events);
    return true;
}

Task<Result<void>> EventStream::until_below(Context ctx, std::size_t bytes) {
    while (!gone_ && waiting() >= bytes) {
        if (auto waited = co_await drained_.wait(ctx); !waited) co_return waited;
    }
    if (gone_) co_return fail(ErrorCode::kConnection, "the client went away");
    co_return Result<void>();
}

Task<Result<void>> EventStream::pass(const Context& ctx, Answer answer, std::string_view id) {
    if (gone_) co_return fail(ErrorCode::kConnection, "the client went away");
    begin_message_event(queued_, id);
    wire::append_one_line(queued_, answer.message);
    aside_ = std::make_unique<std::string>();
    auto passed = co_await pass_rest(ctx, *answer.rest);
    const auto aside = std::move(aside_);
    cut_ = !passed;
    queued_ += passed ? "\n\n" + *aside : "";
    wake();
    co_return passed;
}

Task<Result<void>> EventStream::pass_rest(const Context& ctx, AnswerStream& rest) {
    for (;;) {
        GANTRY_CO_TRY(const auto piece, co_await rest.next(ctx));
        if (!piece) co_return Result<void>();
        wire::append_one_line(queued_, *piece);
        wake();
        while (!gone_ && queued_.size() + writing_ >= max_queued_ / 2) {
            GANTRY_CO_CHECK(co_await drained_.wait(ctx));
        }
        if (gone_) co_return fail(ErrorCode::kConnection, "the client went away");
    }
}

void EventStream::finish(bool part) {
    finished_ = true;
    part_ = part;
    wake();
}

void EventStream::release() {
    released_ = true;
    wake();
}

Task<EventStream::Idle> EventStream::idle(const Context& ctx, http::Exchange& exchange, Deadline deadline) {
    if (released_ || cut_ || (finished_ && !aside_) || !queued_.empty()) co_return Idle::kWoken;
    waker_.emplace(ctx.cancel());
    const Context wait = Context(earlier(deadline, ctx.deadline()), waker_->token());
    const auto waited = co_await exchange.wait_for_disconnect(wait);
    waker_.reset();
    // It never succeeds, and our own cancellation is not a failure.
    const ErrorCode why = waited ? ErrorCode::kConnection : waited.error().code();
    if (why == ErrorCode::kConnection || !ctx.check()) {
        gone_ = true;
        drained_.pulse();
        co_return Idle::kGone;
    }
    co_return why == ErrorCode::kTimeout ? Idle::kTimeout : Idle::kWoken;
}

Task<bool> EventStream::flush(const Context& ctx, http::Exchange& exchange, const http::Headers& headers) {
    // Moved out, so that an idle stream holds no buffer.
    std::string out = std::move(queued_);
    queued_ = std::string();
    // Some proxies withhold the head until the first byte of the body.
    if (!begun_ && out.empty()) sse::append_comment(out, "");
    writing_ = out.size();
    const bool first = !std::exchange(begun_, true);
    const auto sent =
        first ? co_await exchange.start_with(ctx, 200, headers, std::nullopt, out) : co_await exchange.write(ctx, out);
    writing_ = 0;
    if (!sent) gone_ = true;
    drained_.pulse();
    co_return sent.has_value();
}

Task<EventStream::End> EventStream::run(const Context& ctx, http::Exchange& exchange, const http::Headers& headers,
                                        Duration keep_alive) {
    for (;;) {
        if (cut_) {
            gone_ = true;
            drained_.pulse();
            co_return End::kGone;
        }
        if (released_ && begun_ && !finished_) co_return End::kReleased;
        if (!begun_ || !queued_.empty()) {
            if (!co_await flush(ctx, exchange, headers)) co_return End::kGone;
            continue;
        }
        if (finished_ && !aside_) {
            const auto ended = part_ ? co_await exchange.finish_and_part(ctx) : co_await exchange.finish(ctx);
            gone_ = true;  // nothing more can be sent
            drained_.pulse();
            co_return ended ? End::kFinished : End::kGone;
        }
        switch (co_await idle(ctx, exchange, Deadline::after(keep_alive))) {
            case Idle::kGone: co_return End::kGone;
            case Idle::kTimeout:
                // A comment in the middle of an event would become part of it.
                if (!aside_) sse::append_comment(queued_, "");
                break;
            case Idle::kWoken: break;
        }
    }
}

}  // namespace gantry::mcp
