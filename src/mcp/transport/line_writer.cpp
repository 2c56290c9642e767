#include "mcp/transport/line_writer.hpp"

#include <utility>

#include "base/try.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kKeepCapacity = 1u << 20;

}  // namespace

LineWriter::LineWriter(Stream& stream, std::size_t max_pending_bytes)
    : stream_(stream), max_pending_bytes_(max_pending_bytes) {}

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
    if (pending_.empty() && line.size() > pending_.capacity()) {
        pending_ = std::move(line);
    } else {
        pending_ += line;
    }
    const std::uint64_t mine = ++queued_;
    work_.set();
    while (!broken_ && written_ < mine) GANTRY_CO_CHECK(co_await progress_.wait(ctx));
    if (written_ < mine) co_return fail(*broken_);
    co_return Result<void>();
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
        if (auto sent = co_await stream_.write(ctx, batch); !sent) {
            broken_ = Error(ErrorCode::kConnection, "writing to the server failed").fatal(true).caused_by(sent.error());
            break;
        }
        written_ = last;
        progress_.pulse();
    }
    progress_.pulse();
}

}  // namespace gantry::mcp
