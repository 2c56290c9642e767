// The Exchange half of ServerConnection, used by handlers.
#include <poll.h>

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "io/http/chunked.hpp"
#include "io/http/server_connection.hpp"
#include "io/http/write_head.hpp"
#include "io/loop.hpp"
#include "io/steps.hpp"

namespace gantry::http {
namespace {

/// A slow client has write_timeout for each slice, so that only a stalled one times out.
constexpr std::size_t kWriteSlice = 256u << 10;
/// Up to this size, copying a body after its head is cheaper than a gathered write.
constexpr std::size_t kJoined = 4096;
/// Minimum average rate of a request body after body_timeout.
constexpr std::uint64_t kMinBodyRate = 256;  // bytes per second

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

Task<Result<void>> failed(Error error) {
    co_return fail(std::move(error));
}

Task<Result<void>> nothing_to_do() {
    co_return Result<void>();
}

/// How much memory to have for a body of which `received` bytes are there. A large one grows with what arrives: a
/// length that is only declared must not cost anything.
std::size_t room_for_body(const std::string& all, std::size_t received, const Framing& framing) {
    // append() grows it.
    if (framing.kind != Framing::Kind::kLength) return std::max(all.capacity(), received);
    const auto length = static_cast<std::size_t>(framing.length);
    if (length <= Input::kBlock) return length;
    const std::size_t needed = std::min(length, received + Input::kBlock);
    return needed <= all.capacity() ? all.capacity() : std::min(length, std::max(needed, 2 * all.capacity()));
}

}  // namespace

std::unexpected<Error> ServerConnection::broken(Error cause) {
    close();
    const ErrorCode code = cause.code();
    if (code == ErrorCode::kTimeout || code == ErrorCode::kCancelled) return fail(std::move(cause));
    return fail(Error(ErrorCode::kConnection, "the client went away").caused_by(std::move(cause)));
}

Task<Result<void>> ServerConnection::send(const Context& ctx, std::string_view bytes) {
    while (!bytes.empty()) {
        const std::string_view slice = bytes.substr(0, kWriteSlice);
        bytes.remove_prefix(slice.size());
        auto sent = co_await stream_->write(ctx.within(options_.write_timeout), slice);
        if (!sent) co_return broken(std::move(sent).error());
    }
    co_return Result<void>();
}

/// Writes all of it, if it is small.
Task<Result<void>> ServerConnection::send_small(const Context& ctx, std::string_view bytes) {
    auto taken = stream_->try_write(bytes);
    if (!taken) co_return broken(std::move(taken).error());
    bytes.remove_prefix(*taken);
    if (bytes.empty()) co_return Result<void>();
    auto sent = co_await stream_->write(ctx.within(options_.write_timeout), bytes);
    if (!sent) sent = broken(std::move(sent).error());
    co_return sent;
}

/// One encoded piece of the body, after `front` (a head or nothing), in a single write if it is of ordinary size.
Task<Result<void>> ServerConnection::send_coded(const Context& ctx, std::string_view front, std::string_view bytes,
                                                bool last) {
    std::string_view slice = bytes.substr(0, kWriteSlice);
    std::array<char, 24> size_line;
    const bool chunked = answer_framing_.kind == Framing::Kind::kChunked && answer_has_body_;
    const std::string_view tail = !chunked ? "" : last && slice.size() == bytes.size() ? kChunkEndAndLast : kChunkEnd;
    std::array<std::string_view, 4> pieces;
    std::size_t count = 0;
    const auto add = [&](std::string_view piece) {
        if (!piece.empty()) pieces[count++] = piece;
    };
    add(front);
    if (!bytes.empty()) {
        if (chunked) add(chunk_size_line(size_line, bytes.size()));
        add(slice);
        if (slice.size() == bytes.size()) add(tail);
    } else if (chunked && last) {
        add(kLastChunk);
    }
    auto sent = co_await stream_->write_pieces(ctx.within(options_.write_timeout), {pieces.data(), count});
    if (!sent) co_return broken(std::move(sent).error());
    if (slice.size() == bytes.size()) co_return Result<void>();
    GANTRY_CO_CHECK(co_await send(ctx, bytes.substr(slice.size())));
    if (!chunked) co_return Result<void>();
    co_return co_await send(ctx, last ? kChunkEndAndLast : kChunkEnd);
}

/// Reads more of the request body.
Task<Result<void>> ServerConnection::fill(const Context& ctx) {
    const TimePoint began = SteadyClock::now();
    const Duration allowed = options_.body_timeout + seconds(body_.received() / kMinBodyRate);
    if (body_waited_ >= allowed) {
        body_refusal_ = Refusal{.status = 408, .reason = "request body too slow"};
        co_return fail(ErrorCode::kTimeout, "request body too slow");
    }
    const Duration timeout = std::min(options_.body_timeout, allowed - body_waited_);
    auto got =
        co_await stream_->read_some(ctx.until(Deadline::after(timeout, began)), input_.prepare(body_.expected(input_)));
    body_waited_ += SteadyClock::now() - began;
    if (!got) {
        GANTRY_CO_CHECK(ctx.check());  // the caller's own deadline; the connection is still usable
        if (got.error().code() == ErrorCode::kTimeout) {
            body_refusal_ = Refusal{.status = 408, .reason = "request body too slow"};
            co_return fail(std::move(got).error());
        }
        co_return broken(std::move(got).error());
    }
    if (*got == 0) {
        end_of_input_ = true;
    } else {
        input_.commit(*got);
    }
    co_return Result<void>();
}

Result<std::optional<std::string_view>> ServerConnection::take() {
    using Piece = std::optional<std::string_view>;
    const auto piece = body_.take(input_);
    if (!piece) {
        keep_alive_ = false;
        body_refusal_ = piece.error();
        return fail(piece.error().to_error());
    }
    if (piece->empty()) return Piece();
    rules_.expects_continue = false;
    return Piece(*piece);
}

Task<Result<std::optional<std::string_view>>> ServerConnection::read(const Context& ctx) {
    for (;;) {
        auto piece = take();
        if (!piece || *piece || body_.done()) co_return piece;
        if (end_of_input_ || closed_) {
            close();
            co_return fail(ErrorCode::kConnection, "the client went away inside its request");
        }
        if (rules_.expects_continue) {
            rules_.expects_continue = false;
            if (answer_ == Answer::kNone) GANTRY_CO_CHECK(co_await send(ctx, kContinue));
        }
        GANTRY_CO_CHECK(co_await fill(ctx));
    }
}

std::unexpected<Error> ServerConnection::no_memory() {
    keep_alive_ = false;
    body_refusal_ = Refusal{.status = 503, .reason = "too many unfinished requests"};
    return fail(ErrorCode::kCancelled, "no memory for the request body");
}

Task<Result<std::string>> ServerConnection::read_all(const Context& ctx, std::size_t limit) {
    std::string all;
    if (rules_.body.kind == Framing::Kind::kLength) {
        if (rules_.body.length > limit) {
            body_refusal_ = Refusal{.status = 413, .reason = "body too large"};
            co_return fail(ErrorCode::kLimit, "request body larger than the limit");
        }
    }
    const CancelSource stop(ctx.cancel());
    const Context wanted = ctx.stopped_by(stop);
    BodyBudget::Body unfinished(owner_.bodies(), peer_address(), stop);
    for (;;) {
        const std::size_t received = static_cast<std::size_t>(body_.received());
        // What is allocated counts as soon as it is much, since all of it may have been in use before. So does the
        // block the connection reads into, once it needs one.
        const std::size_t room = room_for_body(all, received, rules_.body);
        const std::size_t held = room <= Input::kBlock ? received : room;
        if (!body_.done() && !unfinished.hold(held + (received > Input::kSmall ? Input::kBlock : Input::kSmall))) {
            co_return no_memory();
        }
        all.reserve(room);
        while (received > Input::kSmall && !owner_.body_pace().admit(Input::kBlock, loop_turns())) {
            co_await yield_now();
            // Hundreds may wait here: an evicted body must release its memory now, not when its turn to read comes.
            if (unfinished.evicted()) co_return no_memory();
        }
        auto read = co_await this->read(wanted);
        if (!read && unfinished.evicted()) co_return no_memory();
        GANTRY_CO_TRY(const auto piece, std::move(read));
        if (!piece) co_return Result<std::string>(std::move(all));
        if (piece->size() > limit - all.size()) {
            body_refusal_ = Refusal{.status = 413, .reason = "body too large"};
            co_return fail(ErrorCode::kLimit, "request body larger than the limit");
        }
        all.append(*piece);
    }
}

std::optional<std::uint64_t> ServerConnection::body_length() const noexcept {
    switch (rules_.body.kind) {
        case Framing::Kind::kNone: return 0;
        case Framing::Kind::kLength: return rules_.body.length;
        default: return std::nullopt;
    }
}

/// Puts the head into out_ and records how the body is framed.
Result<void> ServerConnection::begin_answer(int status, const Headers& headers, Framing framing) {
    if (answer_ != Answer::kNone) return fail(ErrorCode::kInvalidArgument, "the request is already answered");
    if (closed_) return fail(ErrorCode::kConnection, "the client went away");
    if (status < 200) return fail(ErrorCode::kInvalidArgument, "an answer needs a final status");
    if (owner_.stopping()) keep_alive_ = false;
    // If a large body is rejected unread, the connection cannot be reused.
    if (!body_.done() && rules_.expects_continue) keep_alive_ = false;
    answer_has_body_ = has_body(head_.method, status);
    if (!answer_has_body_ && head_.method != "HEAD") framing = Framing::none();
    if (framing.kind == Framing::Kind::kChunked && head_.minor == 0) framing = Framing::until_close();
    if (framing.kind == Framing::Kind::kUntilClose) keep_alive_ = false;
    const StatusLine line{.status = status, .keep_alive = keep_alive_, .peer_minor = head_.minor};
    out_.clear();
    if (auto written = append_response_head(out_, line, headers, framing); !written) return written;
    answer_framing_ = framing;
    answer_left_ = framing.length;
    answer_ = Answer::kStarted;
    return {};
}

Task<Result<void>> ServerConnection::respond(const Context& ctx, int status, const Headers& headers,
                                             std::string_view body) {
    if (auto begun = begin_answer(status, headers, Framing::of_length(body.size())); !begun)
        return failed(begun.error());
    answer_ = Answer::kFinished;
    if (!answer_has_body_) body = {};
    if (body.size() > kJoined) return send_coded(ctx, out_, body, true);
    out_ += body;
    return send_small(ctx, out_);
}

bool ServerConnection::try_respond(int status, const Headers& headers, std::string_view body) {
    flushed_ = 0;
    if (auto begun = begin_answer(status, headers, Framing::of_length(body.size())); !begun) {
        out_.clear();  // a mistake of the caller or a disconnected client: run() handles both
        return true;
    }
    answer_ = Answer::kFinished;
    if (answer_has_body_) out_ += body;
    auto taken = stream_->try_write(out_);
    if (!taken) {
        static_cast<void>(broken(std::move(taken).error()));
        return true;
    }
    flushed_ = *taken;
    return flushed_ == out_.size();
}

Task<Result<void>> ServerConnection::flush(const Context& ctx) {
    return send(ctx, std::string_view(out_).substr(flushed_));
}

/// Sends the head in out_ and a body of any number of pieces; each slice has its own write_timeout.
Task<Result<void>> ServerConnection::send_behind_head(const Context& ctx, std::span<const std::string_view> body) {
    constexpr std::size_t kFew = 7;
    std::size_t total = 0;
    for (const std::string_view piece : body) total += piece.size();
    if (body.size() <= kFew && total <= kWriteSlice) {
        std::array<std::string_view, kFew + 1> pieces;
        pieces[0] = out_;
        std::ranges::copy(body, pieces.begin() + 1);
        auto sent =
            co_await stream_->write_pieces(ctx.within(options_.write_timeout), {pieces.data(), body.size() + 1});
        if (!sent) co_return broken(std::move(sent).error());
        co_return Result<void>();
    }
    GANTRY_CO_CHECK(co_await send(ctx, out_));
    for (const std::string_view piece : body) GANTRY_CO_CHECK(co_await send(ctx, piece));
    co_return Result<void>();
}

Task<Result<void>> ServerConnection::respond_pieces(const Context& ctx, int status, const Headers& headers,
                                                    std::span<const std::string_view> body) {
    std::size_t total = 0;
    for (const std::string_view piece : body) total += piece.size();
    if (auto begun = begin_answer(status, headers, Framing::of_length(total)); !begun) return failed(begun.error());
    answer_ = Answer::kFinished;
    if (!answer_has_body_) body = {};
    if (total > kJoined && answer_has_body_) return send_behind_head(ctx, body);
    for (const std::string_view piece : body) out_ += piece;
    return send_small(ctx, out_);
}

Task<Result<void>> ServerConnection::start(const Context& ctx, int status, const Headers& headers,
                                           std::optional<std::uint64_t> length) {
    const Framing framing = length ? Framing::of_length(*length) : Framing::chunked();
    if (auto begun = begin_answer(status, headers, framing); !begun) return failed(begun.error());
    return send_coded(ctx, out_, {}, false);
}

/// Checks a body piece against the declared length.
Result<void> ServerConnection::account(std::size_t bytes) {
    if (answer_ != Answer::kStarted) return fail(ErrorCode::kInvalidArgument, "no answer is being written");
    if (closed_) return fail(ErrorCode::kConnection, "the client went away");
    if (answer_framing_.kind != Framing::Kind::kLength || !answer_has_body_) return {};
    if (bytes > answer_left_) {
        close();
        return fail(ErrorCode::kInvalidArgument, "the body is longer than its declared length");
    }
    answer_left_ -= bytes;
    return {};
}

Task<Result<void>> ServerConnection::start_with(const Context& ctx, int status, const Headers& headers,
                                                std::optional<std::uint64_t> length, std::string_view first) {
    const Framing framing = length ? Framing::of_length(*length) : Framing::chunked();
    if (auto begun = begin_answer(status, headers, framing); !begun) return failed(begun.error());
    if (auto counted = account(first.size()); !counted) return failed(counted.error());
    return send_coded(ctx, out_, answer_has_body_ ? first : std::string_view(), false);
}

Task<Result<void>> ServerConnection::write(const Context& ctx, std::string_view bytes) {
    if (auto counted = account(bytes.size()); !counted) return failed(counted.error());
    if (bytes.empty() || !answer_has_body_) return nothing_to_do();
    return send_coded(ctx, {}, bytes, false);
}

Task<Result<void>> ServerConnection::finish(const Context& ctx) {
    if (auto counted = account(0); !counted) return failed(counted.error());
    if (answer_has_body_ && answer_framing_.kind == Framing::Kind::kLength && answer_left_ != 0) {
        close();
        return failed(Error(ErrorCode::kInvalidArgument, "the body is shorter than its declared length"));
    }
    answer_ = Answer::kFinished;
    if (!answer_has_body_ || answer_framing_.kind != Framing::Kind::kChunked) return nothing_to_do();
    return send_coded(ctx, {}, {}, true);
}

Task<Result<void>> ServerConnection::finish_and_part(const Context& ctx) {
    keep_alive_ = false;
    GANTRY_CO_CHECK(co_await finish(ctx));
    co_return co_await stream_->shutdown_write(ctx);
}

Task<Result<void>> ServerConnection::wait_for_disconnect(const Context& ctx) {
    return stream_->wait_for_disconnect(ctx);
}

bool ServerConnection::disconnected() const noexcept {
    if (closed_) return true;
    pollfd state{.fd = tcp_.native_handle(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace gantry::http
