#include "mcp/transport/line_writer.hpp"

#include <utility>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kKeepCapacity = 1u << 20;
/// Batches are written in steps of this size, to distinguish a slow reader from a stalled one.
constexpr std::size_t kStep = 64u << 10;

}  // namespace

LineWriter::LineWriter(Stream& stream, Limits limits, std::size_t atomic_bytes)
    : stream_(stream), limits_(limits), atomic_bytes_(atomic_bytes) {}

void LineWriter::start(Scope& scope) {
    scope.spawn(send_all(scope.context()));
}

Task<Result<void>> LineWriter::write(const Context& ctx, std::string line) {
    GANTRY_CO_CHECK(ctx.check());
    if (broken_) co_return fail(*broken_);
    const bool too_many = queued_ - written_ + waiting_lines_ >= limits_.max_lines;
    if (too_many || !has_room(line.size())) [[unlikely]] {
        const bool too_much = waiting_bytes_ + line.size() > limits_.max_pending_bytes;
        if (too_many || too_much || stalled()) co_return fail(full());
        GANTRY_CO_CHECK(co_await wait_for_room(ctx, line.size()));
    }
    line += '\n';
    if (!busy_ && pending_.empty() && line.size() <= atomic_bytes_) co_return co_await write_at_once(ctx, line);
    if (pending_.empty() && busy_) moved_ = SteadyClock::now();
    if (pending_.empty() && line.size() > pending_.capacity()) {
        pending_ = std::move(line);
    } else {
        pending_ += line;
    }
    const std::uint64_t mine = ++queued_;
    if (!busy_) work_.set();
    while (!broken_ && written_ < mine) GANTRY_CO_CHECK(co_await progress_.wait(ctx));
    if (written_ < mine) co_return fail(*broken_);
    co_return Result<void>();
}

Task<Result<void>> LineWriter::wait_for_room(const Context& ctx, std::size_t size) {
    waiting_bytes_ += size;
    ++waiting_lines_;
    Result<void> waited;
    while (waited && !broken_ && !has_room(size)) waited = co_await progress_.wait(ctx);
    waiting_bytes_ -= size;
    --waiting_lines_;
    if (waited && broken_) co_return fail(*broken_);
    co_return waited;
}

Error LineWriter::full() const {
    const Duration silent = SteadyClock::now() - moved_;
    const auto waited = std::to_string(std::chrono::duration_cast<seconds>(silent).count());
    std::string text = "the server does not read its input: " + std::to_string(held_bytes()) + " bytes wait to be sent";
    if (stalled()) text += " and it took nothing for " + waited + " s";
    return Error(ErrorCode::kLimit, std::move(text)).fatal(stalled());
}

Task<Result<void>> LineWriter::write_at_once(const Context& ctx, const std::string& line) {
    busy_ = true;
    auto sent = co_await stream_.write(ctx, line);
    busy_ = false;
    if (!sent && ctx.check()) {
        broken_ = Error(ErrorCode::kConnection, "writing to the server failed").fatal(true).caused_by(sent.error());
        progress_.pulse();
        co_return fail(*broken_);
    }
    if (!pending_.empty()) work_.set();
    co_return sent;
}

Task<Result<void>> LineWriter::send_batch(const Context& ctx, std::string_view batch) {
    batch_bytes_ = batch.size();
    Result<void> sent;
    while (sent && !batch.empty()) {
        moved_ = SteadyClock::now();
        const std::string_view step = batch.substr(0, kStep);
        sent = co_await stream_.write(ctx, step);
        batch.remove_prefix(step.size());
        batch_bytes_ = batch.size();
    }
    batch_bytes_ = 0;
    co_return sent;
}

Task<void> LineWriter::send_all(Context ctx) {
    std::string batch;
    for (;;) {
        if (auto waited = co_await work_.wait(ctx); !waited) {
            broken_ = Error(ErrorCode::kConnection, "the connection is closed").fatal(true);
            break;
        }
        work_.reset();
        batch.clear();
        if (batch.capacity() > kKeepCapacity) batch = std::string();
        batch.swap(pending_);
        const std::uint64_t last = queued_;
        busy_ = true;
        auto sent = co_await send_batch(ctx, batch);
        busy_ = false;
        if (!sent) {
            broken_ = Error(ErrorCode::kConnection, "writing to the server failed").fatal(true).caused_by(sent.error());
            break;
        }
        written_ = last;
        if (!pending_.empty()) work_.set();
        progress_.pulse();
    }
    progress_.pulse();
}

}  // namespace gantry::mcp
