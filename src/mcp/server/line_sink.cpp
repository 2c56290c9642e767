#include "mcp/server/line_sink.hpp"

#include "mcp/protocol/errors.hpp"
#include "mcp/server/spooled_answer.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

bool LineSink::offer(std::string_view message) {
    if (broken_ || queued_.size() + writing_ + message.size() >= max_queued_) return false;
    push(message);
    return true;
}

void LineSink::push(std::string_view message) {
    if (broken_) return;
    wire::append_one_line(queued_, message);
    queued_ += '\n';
    work_.set();
}

Task<Result<void>> LineSink::room(const Context& ctx) {
    while (!broken_ && queued_.size() + writing_ >= max_queued_ / 2) {
        if (auto waited = co_await drained_.wait(ctx); !waited) co_return waited;
    }
    if (broken_) co_return fail(ErrorCode::kConnection, "the client no longer reads");
    co_return Result<void>();
}

Task<bool> LineSink::write(const Context& ctx, std::string_view bytes) {
    if (broken_) co_return false;
    if (!co_await stream_.write(ctx, bytes)) {
        broken_ = true;
        drained_.pulse();
    }
    co_return !broken_;
}

Task<void> LineSink::answer(const Context& ctx, std::string_view raw_id, Answer answer) {
    const auto spooled = co_await spool_answer(ctx, answer);
    if (!spooled) {
        answer = Answer{.message = wire::error_message(raw_id, broken_off(spooled.error()))};
    }
    if (!co_await room(ctx)) co_return;
    if (!answer.rest) {
        if (!answer.shared_result) co_return push(answer.message);
        std::string whole;
        wire::append_whole(whole, answer);
        co_return push(whole);
    }
    auto turn = co_await turn_.lock(ctx);
    if (!turn) co_return;
    // Preserve the order: queued messages go first.
    std::string out = std::exchange(queued_, {});
    wire::append_one_line(out, answer.message);
    for (;;) {
        const auto piece = co_await answer.rest->next(ctx);
        if (!piece) {
            // End the partial line, which no reader takes for a message; closing would abort all other calls.
            out.append("\n").append(wire::error_message(raw_id, broken_off(piece.error())));
            break;
        }
        if (!*piece) break;
        wire::append_one_line(out, **piece);
        if (!co_await write(ctx, out)) co_return;
        out.clear();
    }
    out += '\n';
    (void)co_await write(ctx, out);
}

Task<void> LineSink::run(Context ctx) {
    while (co_await work_.wait(ctx)) {
        work_.reset();
        const auto turn = co_await turn_.lock(ctx);
        if (!turn) break;
        const std::string out = std::exchange(queued_, {});
        writing_ = out.size();
        const bool sent = co_await write(ctx, out);
        writing_ = 0;
        drained_.pulse();
        if (!sent) co_return;
    }
    broken_ = true;
    drained_.pulse();
}

Task<Result<void>> LineSink::close(const Context& ctx) {
    while (!broken_ && queued_.size() + writing_ > 0) {
        if (auto waited = co_await drained_.wait(ctx); !waited) co_return waited;
    }
    co_return Result<void>();
}

}  // namespace gantry::mcp
