#include "mcp/client/relay_body.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "mcp/client/relay_stream.hpp"

namespace gantry::mcp {
namespace {

/// An answer is rejected if its result has not begun within this size.
constexpr std::size_t kMostAhead = 1u << 20;
/// The held part is passed on in pieces of this size.
constexpr std::size_t kSlice = 64u << 10;
/// Once text exceeds kLong, capacity is reserved for all that may be held, up to kMostRoom.
constexpr std::size_t kLong = 128u << 10;
constexpr std::size_t kMostRoom = 4u << 20;

using Piece = std::optional<std::string_view>;

class BodyBytes final : public AnswerBytes {
public:
    explicit BodyBytes(http::Response response) : response_(std::move(response)) {}
    Task<Result<Piece>> read(const Context& ctx) override { return response_.read(ctx); }
    void abort() noexcept override { response_.abort(); }

private:
    http::Response response_;
};

class EventBytes final : public AnswerBytes {
public:
    explicit EventBytes(EventSource source) : source_(std::move(source)) {}

    Task<Result<Piece>> read(const Context& ctx) override {
        if (over_) co_return Piece();
        GANTRY_CO_TRY(auto event, co_await source_.next(ctx));
        if (!event) {
            co_return fail(ErrorCode::kOutcomeUnknown, "the response stream ended in the middle of the answer");
        }
        if (!event->partial) {
            over_ = true;
            if (!event->type.empty() && event->type != "message") {
                co_return fail(ErrorCode::kProtocol, "the server's large event is no message");
            }
            // Usually nothing follows, and the connection is reusable for the next request.
            static_cast<void>(source_.ended());
        }
        part_ = std::move(event->data);
        co_return Piece(part_);
    }
    void abort() noexcept override { source_.abort(); }

private:
    EventSource source_;
    std::string part_;
    bool over_ = false;
};

/// The result within an answer that is still arriving.
class ArrivingResult final : public RelayStream {
public:
    /// `begin`, `end`: the part of `held` that belongs to the result.
    ArrivingResult(AnswerReading reading, std::size_t begin, std::size_t end, ResultCutter cutter, Duration idle,
                   Deadline cap)
        : bytes_(std::move(reading.bytes)),
          held_(std::move(reading.held)),
          at_(begin),
          end_(end),
          cutter_(std::move(cutter)),
          idle_(idle),
          cap_(cap) {}

    Task<Result<Piece>> next(const Context& ctx) override {
        if (failed_) co_return fail(*failed_);
        if (at_ < end_) {
            const std::size_t from = std::exchange(at_, std::min(at_ + kSlice, end_));
            co_return Piece(std::string_view(held_).substr(from, at_ - from));
        }
        held_ = {};
        while (!done_) {
            auto piece = co_await bytes_->read(ctx.until(earlier(cap_, Deadline::after(idle_))));
            auto part = cut(std::move(piece));
            if (!part) {
                bytes_->abort();
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

    std::unique_ptr<AnswerBytes> bytes_;
    std::string held_;  // read before streaming began
    std::size_t at_;
    std::size_t end_;
    ResultCutter cutter_;
    Duration idle_;
    Deadline cap_;
    bool done_ = false;
    std::optional<Error> failed_;
};

std::unexpected<Error> error_too_large() {
    return fail(ErrorCode::kLimit, "the server's error is larger than " + std::to_string(kMostAhead) + " bytes");
}

/// Reads until more than `limit` bytes are held (true) or the answer ends (false).
Task<Result<bool>> hold(const Context& ctx, AnswerReading& reading, std::size_t limit) {
    std::string& held = reading.held;
    while (held.size() <= limit) {
        GANTRY_CO_TRY(const Piece piece, co_await reading.bytes->read(ctx));
        if (!piece) co_return false;
        const std::size_t size = held.size() + piece->size();
        // Reserve once: growth by doubling would briefly hold it twice.
        if (size > kLong && size > held.capacity() && limit <= kMostRoom) held.reserve(limit + piece->size());
        held += *piece;
    }
    co_return true;
}

}  // namespace

Task<Result<void>> stream_answer(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                                 AnswerReading& reading) {
    ResultCutter cutter(id, request.max_result_bytes, reading.strict);
    GANTRY_CO_TRY(std::string_view part, cutter.feed(reading.held));
    while (!cutter.begun()) {
        if (cutter.is_error()) {
            GANTRY_CO_TRY(const bool more, co_await hold(ctx, reading, kMostAhead));
            if (more) co_return error_too_large();
            co_return Result<void>();
        }
        const std::size_t before = reading.held.size();
        if (before > std::max(kMostAhead, request.hold_bytes)) {
            co_return fail(ErrorCode::kLimit, "the server's large message has no result within its first " +
                                                  std::to_string(before) + " bytes");
        }
        GANTRY_CO_TRY(const bool more, co_await hold(ctx, reading, before));
        if (!more) co_return Result<void>();
        GANTRY_CO_TRY(part, cutter.feed(std::string_view(reading.held).substr(before)));
    }
    // The cutter returns a view into the held bytes, or a copy with lone surrogates replaced.
    if (part.data() < reading.held.data() || part.data() > reading.held.data() + reading.held.size()) {
        reading.held = std::string(part);
        part = reading.held;
    }
    const auto begin = static_cast<std::size_t>(part.data() - reading.held.data());
    const std::size_t end = begin + part.size();
    AnswerReading so_far = std::exchange(reading, {});
    reading.stream =
        std::make_unique<ArrivingResult>(std::move(so_far), begin, end, std::move(cutter), request.times.idle, cap);
    co_return Result<void>();
}

Task<Result<void>> read_body(const Context& ctx, const RelayRequest& request, std::int64_t id, Deadline cap,
                             http::Response response, AnswerReading& reading) {
    const auto length = response.body_length();
    if (length && *length > request.max_result_bytes + kMostAhead) {
        response.abort();
        co_return fail(result_too_large(request.max_result_bytes));
    }
    reading.bytes = std::make_unique<BodyBytes>(std::move(response));
    // A body whose declared length is too long is streamed right away.
    const std::size_t hold_at_least = length && *length > request.hold_bytes ? 0 : request.hold_bytes;
    GANTRY_CO_TRY(const bool more, co_await hold(ctx, reading, hold_at_least));
    if (!more) co_return Result<void>();
    co_return co_await stream_answer(ctx, request, id, cap, reading);
}

std::unique_ptr<AnswerBytes> bytes_of_event(EventSource source) {
    return std::make_unique<EventBytes>(std::move(source));
}

}  // namespace gantry::mcp
