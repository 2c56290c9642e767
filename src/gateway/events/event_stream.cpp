#include "gateway/events/event_stream.hpp"

#include <utility>

#include "base/try.hpp"
#include "io/scope.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

constexpr Duration kKeepAlive = seconds(15);
/// Target size of one write.
constexpr std::size_t kPiece = 64u << 10;

/// Cancels production when the reader disconnects.
Task<void> watch(Context ctx, http::Exchange& exchange, const CancelSource& end) {
    auto left = co_await exchange.wait_for_disconnect(ctx);
    static_cast<void>(left);
    end.cancel();
}

Task<void> send(const Context& ctx, http::Exchange& exchange, Pieces& pieces) {
    while (true) {
        auto piece = co_await pieces.next(ctx.within(kKeepAlive));
        if (!piece) {
            if (piece.error().code() != ErrorCode::kTimeout || !ctx.check()) co_return;
            piece.emplace().emplace();
            sse::append_comment(**piece, "still here");
        }
        if (!*piece) break;
        if (auto written = co_await exchange.write(ctx, **piece); !written) co_return;
    }
    auto finished = co_await exchange.finish(ctx);
    static_cast<void>(finished);
}

}  // namespace

Task<void> stream(const Context& ctx, http::Exchange& exchange, Pieces& pieces) {
    const http::Headers headers{
        {"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
    if (!co_await exchange.start_with(ctx, 200, headers, std::nullopt, ": listening\n\n")) co_return;
    const CancelSource end(ctx.cancel());
    Scope scope(ctx.stopped_by(end));
    scope.spawn(watch(scope.context(), exchange, end));
    co_await send(scope.context(), exchange, pieces);
    scope.cancel();
    co_await scope.join();
}

void PushedEvents::miss() {
    if (ended_) return;
    ++missed_;
    changed_.pulse();
}

void PushedEvents::push(std::shared_ptr<const std::string> event) {
    if (ended_) return;
    bytes_ += event->size();
    waiting_.push_back(std::move(event));
    changed_.pulse();
}

void PushedEvents::end() {
    ended_ = true;
    changed_.pulse();
}

Task<Result<std::optional<std::string>>> PushedEvents::next(const Context& ctx) {
    while (waiting_.empty() && missed_ == 0 && !ended_) GANTRY_CO_CHECK(co_await changed_.wait(ctx));
    if (waiting_.empty() && missed_ == 0) co_return std::optional<std::string>();
    co_return take();
}

std::string PushedEvents::take() {
    std::string piece;
    while (!waiting_.empty() && piece.size() < kPiece) {
        piece += *waiting_.front();
        bytes_ -= waiting_.front()->size();
        waiting_.pop_front();
    }
    // The gap is after the events that were still queued.
    if (missed_ != 0 && waiting_.empty())
        sse::append_event(piece, options_.missed_type,
                          R"({"count":)" + std::to_string(std::exchange(missed_, 0)) + "}");
    return piece;
}

}  // namespace gantry::gateway::events
