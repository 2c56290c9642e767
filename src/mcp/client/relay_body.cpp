#include "mcp/client/relay_body.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "mcp/client/relay_stream.hpp"

namespace gantry::mcp {
namespace {

/// An answer whose result has not begun within this much is not worth waiting for.
constexpr std::size_t kMostAhead = 1u << 20;

using Piece = std::optional<std::string_view>;

/// The result inside a response body that is still arriving.
class BodyStream final : public RelayStream {
public:
    BodyStream(http::Response response, ResultCutter cutter, std::string first, Duration idle, Deadline cap)
        : response_(std::move(response)),
          cutter_(std::move(cutter)),
          first_(std::move(first)),
          idle_(idle),
          cap_(cap) {}

    Task<Result<Piece>> next(const Context& ctx) override {
        if (failed_) co_return fail(*failed_);
        if (!first_.empty()) {
            given_ = std::exchange(first_, {});
            co_return Piece(given_);
        }
        given_ = {};
        while (!done_) {
            auto piece = co_await response_.read(ctx.until(earlier(cap_, Deadline::after(idle_))));
            auto part = cut(std::move(piece));
            if (!part) {
                response_.abort();
                failed_ = part.error();
                co_return fail(std::move(part).error());
            }
            if (!part->empty()) co_return Piece(*part);
        }
        co_return Piece();
    }

private:
    Result<std::string_view> cut(Result<Piece> piece) {
        if (!piece) return fail(std::move(piece).error());
        if (*piece) return cutter_.feed(**piece);
        done_ = true;
        GANTRY_CHECK(cutter_.finish());
        return std::string_view();
    }

    http::Response response_;
    ResultCutter cutter_;
    std::string first_;  // of the result, read before there was a stream
    std::string given_;
    Duration idle_;
    Deadline cap_;
    bool done_ = false;
    std::optional<Error> failed_;
};

std::unexpected<Error> too_large(std::size_t limit) {
    return fail(ErrorCode::kLimit, "the server's answer is larger than " + std::to_string(limit) + " bytes");
}

/// Reads on until more than `limit` bytes are held (true) or the body is over (false).
Task<Result<bool>> hold(const Context& ctx, BodyReading& reading, std::size_t limit) {
    while (reading.held.size() <= limit) {
        GANTRY_CO_TRY(const Piece piece, co_await reading.response.read(ctx));
        if (!piece) co_return false;
        reading.held += *piece;
    }
    co_return true;
}

}  // namespace

Task<Result<void>> read_body(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                             BodyReading& reading) {
    const auto length = reading.response.body_length();
    if (length && *length > request.max_result_bytes + kMostAhead) {
        reading.response.abort();
        co_return too_large(request.max_result_bytes);
    }
    // One that says it is too long need not be waited for.
    const std::size_t hold_at_least = length && *length > request.hold_bytes ? 0 : request.hold_bytes;
    GANTRY_CO_TRY(bool more, co_await hold(ctx, reading, hold_at_least));
    if (!more) co_return Result<void>();

    ResultCutter cutter(id, request.max_result_bytes);
    GANTRY_CO_TRY(std::string_view part, cutter.feed(reading.held));
    while (!cutter.begun()) {
        if (cutter.is_error()) {
            GANTRY_CO_TRY(more, co_await hold(ctx, reading, kMostAhead));
            if (more) co_return too_large(kMostAhead);
            co_return Result<void>();
        }
        const std::size_t before = reading.held.size();
        if (before > std::max(kMostAhead, request.hold_bytes)) co_return too_large(kMostAhead);
        GANTRY_CO_TRY(more, co_await hold(ctx, reading, before));
        if (!more) co_return Result<void>();
        GANTRY_CO_TRY(part, cutter.feed(std::string_view(reading.held).substr(before)));
    }
    reading.stream = std::make_unique<BodyStream>(std::move(reading.response), std::move(cutter), std::string(part),
                                                  request.times.idle, cap);
    reading.held = {};
    co_return Result<void>();
}

}  // namespace gantry::mcp
