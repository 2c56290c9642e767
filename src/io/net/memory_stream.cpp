#include "io/net/memory_stream.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "io/sync.hpp"

namespace gantry::net {

namespace {

/// One direction. Shared by both ends, so either may be destroyed first.
struct Pipe {
    explicit Pipe(std::size_t limit) : capacity(limit) {}

    const std::size_t capacity;
    std::string bytes;
    bool finished = false;  // the writer shut down cleanly
    bool broken = false;    // one end was closed
    Event changed;
};

Error closed_error() {
    return Error(ErrorCode::kConnection, "the connection is closed");
}

class MemoryStream final : public Stream {
public:
    MemoryStream(std::shared_ptr<Pipe> in, std::shared_ptr<Pipe> out) : in_(std::move(in)), out_(std::move(out)) {}
    ~MemoryStream() override { close(); }

    Task<Result<std::size_t>> read_some(const Context& ctx, std::span<char> into) override {
        if (into.empty()) co_return fail(ErrorCode::kInvalidArgument, "read into an empty buffer");
        const std::shared_ptr<Pipe> in = in_;
        while (in->bytes.empty()) {
            if (closed_) co_return fail(closed_error());
            if (in->finished) co_return Result<std::size_t>(std::size_t{0});
            if (in->broken) co_return fail(closed_error());
            GANTRY_CO_CHECK(co_await in->changed.wait(ctx));
        }
        if (closed_) co_return fail(closed_error());
        GANTRY_CO_CHECK(ctx.check());
        const std::size_t count = std::min(into.size(), in->bytes.size());
        std::copy_n(in->bytes.begin(), count, into.begin());
        in->bytes.erase(0, count);
        in->changed.pulse();
        co_return Result<std::size_t>(count);
    }

    Task<Result<void>> write(const Context& ctx, std::string_view bytes) override {
        const std::shared_ptr<Pipe> out = out_;
        GANTRY_CO_CHECK(ctx.check());
        while (!bytes.empty()) {
            if (closed_ || out->broken || out->finished) co_return fail(closed_error());
            const std::size_t room = out->capacity - std::min(out->capacity, out->bytes.size());
            if (room == 0) {
                GANTRY_CO_CHECK(co_await out->changed.wait(ctx));
                continue;
            }
            const std::size_t count = std::min(room, bytes.size());
            out->bytes.append(bytes.substr(0, count));
            bytes.remove_prefix(count);
            out->changed.pulse();
        }
        co_return Result<void>();
    }

    Task<Result<void>> wait_for_disconnect(const Context& ctx) override {
        const std::shared_ptr<Pipe> in = in_;
        while (!closed_ && !in->broken && !in->finished) GANTRY_CO_CHECK(co_await in->changed.wait(ctx));
        co_return fail(ErrorCode::kConnection, "the peer disconnected");
    }

    Task<Result<void>> shutdown_write(const Context& ctx) override {
        GANTRY_CO_CHECK(ctx.check());
        if (closed_) co_return fail(closed_error());
        out_->finished = true;
        out_->changed.pulse();
        co_return Result<void>();
    }

    void close() noexcept override {
        if (std::exchange(closed_, true)) return;
        for (const auto& pipe : {in_, out_}) {
            pipe->broken = true;
            pipe->changed.pulse();
        }
    }

private:
    std::shared_ptr<Pipe> in_, out_;
    bool closed_ = false;
};

}  // namespace

std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> make_memory_streams(std::size_t capacity) {
    auto there = std::make_shared<Pipe>(std::max<std::size_t>(capacity, 1));
    auto back = std::make_shared<Pipe>(std::max<std::size_t>(capacity, 1));
    auto first = std::make_unique<MemoryStream>(there, back);
    auto second = std::make_unique<MemoryStream>(back, there);
    return {std::move(first), std::move(second)};
}

}  // namespace gantry::net
