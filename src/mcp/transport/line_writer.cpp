#include "mcp/transport/line_writer.hpp"

#include <utility>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kKeepCapacity = 1u << 20;

}  // namespace

LineWriter::LineWriter(Stream& stream, std::size_t max_pending_bytes, std::size_t atomic_bytes)
    : stream_(stream), max_pending_bytes_(max_pending_bytes), atomic_bytes_(atomic_bytes) {}

void LineWriter::start(Scope& scope) {
    scope.spawn(send_all(scope.context()));
}

Task<Result<void>> LineWriter::write(const Context& ctx, std::string line) {
    GANTRY_CO_CHECK(ctx.check());
    while (!broken_ && !pending_.empty() && pending_.size() + line.size() > max_pending_bytes_) {
        GANTRY_CO_CHECK(co_await progress_.wait(ctx));
    }
    if (broken_) co_return fail(*broken_);
    line += '\n';
    if (!busy_ && pending_.empty() && line.size() <= atomic_bytes_) co_return co_await write_at_once(ctx, line);
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
        auto sent = co_await stream_.write(ctx, batch);
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
