#include "io/http/transaction.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/try.hpp"
#include "io/http/chunked.hpp"
#include "io/http/response.hpp"
#include "io/http/write_head.hpp"
#include "io/loop.hpp"

namespace gantry::http {
namespace {

/// head_timeout applies to each slice, so that a slow upload survives as long as it progresses.
constexpr std::size_t kWriteSlice = 256u << 10;
/// Up to this size, copying a body after its head is cheaper than a gathered write.
constexpr std::size_t kJoined = 4096;
/// An empty socket buffer accepts this much completely or not at all: if such a write fails, nothing was sent.
constexpr std::size_t kAtomicWrite = 16u << 10;
constexpr int kMaxInterim = 8;
/// How long to wait for the response of a server that stopped reading.
constexpr Duration kLastWords = seconds(1);

bool is_idempotent(std::string_view method) {
    constexpr std::array<std::string_view, 6> kMethods{"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"};
    return std::ranges::find(kMethods, method) != kMethods.end();
}

bool has_request_body(std::string_view method, std::string_view body) {
    return !body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
}

Error lost(const Destination& to, Error cause) {
    return Error(ErrorCode::kOutcomeUnknown, to.origin + ": the connection broke after the request was sent")
        .caused_by(std::move(cause));
}

/// Extracts the final response head from the received bytes. Performs no I/O.
class HeadReader {
public:
    HeadReader(const Pool& pool, const Destination& to, PooledConnection& connection, std::string_view method,
               Response::Impl& answer)
        : pool_(pool), to_(to), connection_(connection), method_(method), answer_(answer) {}

    /// True: the head is in `answer`. False: more bytes are needed. Interim responses are skipped.
    Result<bool> advance() {
        const ClientOptions& options = pool_.options();
        const HeadLimits limits{.bytes = std::min(options.max_head_bytes, Input::kBlock),
                                .fields = options.max_head_fields};
        Input& input = connection_.input;
        while (!input.empty()) {
            const auto end = scanner_.scan(input.bytes(), limits);
            if (!end) return refused(end.error());
            if (*end == 0) return false;
            const auto parsed = parse_response_head(input.bytes().substr(0, *end), answer_.head);
            input.consume(*end);
            if (!parsed) return refused(parsed.error());
            if (answer_.head.status >= 200) {
                const auto rules = judge_response(method_, answer_.head);
                if (!rules) return refused(rules.error());
                answer_.rules = *rules;
                return true;
            }
            if (answer_.head.status == 101) return refused({.reason = "switched protocols without being asked"});
            if (++interim_ > kMaxInterim) return refused({.reason = "too many interim responses"});
            scanner_.reset();
        }
        return false;
    }

    std::span<char> room() { return connection_.input.prepare(connection_.input.expected_head()); }

    /// Handles the result of a read: false to continue, or the error why there is no response.
    Result<bool> accept(const Context& ctx, Result<std::size_t> got) {
        if (got && *got != 0) {
            heard_ = true;
            connection_.input.commit(*got);
            return false;
        }
        if (got) return fail(lost(to_, Error(ErrorCode::kConnection, "the peer closed without an answer")));
        if (auto checked = ctx.check(); !checked) return fail(std::move(checked).error());
        if (got.error().code() == ErrorCode::kTimeout) {
            return fail(Error(ErrorCode::kTimeout, to_.origin + " did not answer in time")
                            .timed_out_after(std::chrono::ceil<milliseconds>(head_timeout())));
        }
        return fail(lost(to_, std::move(got).error()));
    }

    Stream& stream() const noexcept { return *connection_.stream; }
    Duration head_timeout() const noexcept { return pool_.options().head_timeout; }
    /// Whether any byte of a response has been received.
    bool heard() const noexcept { return heard_; }

private:
    std::unexpected<Error> refused(const Refusal& refusal) const { return fail(refusal.to_error().within(to_.origin)); }

    const Pool& pool_;
    const Destination& to_;
    PooledConnection& connection_;
    std::string_view method_;
    Response::Impl& answer_;
    HeadScanner scanner_;
    int interim_ = 0;
    bool heard_ = false;
};

Result<void> without_value(Result<bool> step) {
    if (!step) return fail(std::move(step).error());
    return {};
}

// The coroutines below keep few objects of their own: a frame beyond a kilobyte leaves the allocator's
// fast path, and errors are large.

Task<Result<void>> read_head(const Context& ctx, HeadReader& reader) {
    const Context limited = ctx.within(reader.head_timeout());
    for (;;) {
        Result<bool> step = reader.advance();
        if (step && !*step) step = reader.accept(ctx, co_await reader.stream().read_some(limited, reader.room()));
        if (!step || *step) co_return without_value(std::move(step));
    }
}

/// The error for a request of `total` bytes that could not be written.
Result<void> unsent(const Context& ctx, const Destination& to, Duration limit, std::size_t total, Result<void> failed) {
    if (auto checked = ctx.check(); !checked) return checked;
    if (failed.error().code() == ErrorCode::kTimeout) {
        return fail(Error(ErrorCode::kTimeout, to.origin + " stopped taking the request")
                        .timed_out_after(std::chrono::ceil<milliseconds>(limit)));
    }
    if (total > kAtomicWrite) return fail(lost(to, std::move(failed).error()));
    return fail(Error(ErrorCode::kConnection, to.origin + ": the connection was closed before the request left")
                    .caused_by(std::move(failed).error()));
}

/// Sends head and body. kConnection if nothing was sent.
Task<Result<void>> write_request(const Context& ctx, const Pool& pool, const Destination& to,
                                 PooledConnection& connection, std::string_view body) {
    const std::size_t total = connection.out.size() + body.size();
    const Duration head_timeout = pool.options().head_timeout;
    std::array<std::string_view, 2> pieces{connection.out, body.substr(0, kWriteSlice)};
    auto written = co_await connection.stream->write_pieces(ctx.within(head_timeout), pieces);
    for (std::size_t at = pieces[1].size(); written && at < body.size(); at += kWriteSlice) {
        written = co_await connection.stream->write(ctx.within(head_timeout), body.substr(at, kWriteSlice));
    }
    if (!written) written = unsent(ctx, to, head_timeout, total, std::move(written));
    co_return written;
}

Result<void> write_head(const Pool& pool, const Destination& to, PooledConnection& connection, const OutgoingHead& head,
                        Framing framing) {
    connection.out.clear();
    if (!head.ready.empty()) {
        finish_request_head(connection.out.append(head.ready), framing);
        return {};
    }
    return append_request_head(connection.out,
                               {.method = head.method,
                                .target = head.target,
                                .authority = to.authority,
                                .user_agent = pool.options().user_agent},
                               head.headers, framing);
}

/// Writes without waiting; the remainder is left in `rest`.
Result<void> write_now(PooledConnection& connection, std::string_view& rest) {
    rest = connection.out;
    GANTRY_TRY(const std::size_t taken, connection.stream->try_write(rest));
    rest.remove_prefix(taken);
    return {};
}

Result<Response> without_response(Result<void> failed) {
    return fail(std::move(failed).error());
}

Task<bool> last_words(const Context& ctx, HeadReader& reader) {
    co_return (co_await read_head(ctx.within(kLastWords), reader)).has_value();
}

Result<Response> make_response(Response::Handle answer, Pool::Lease lease) {
    answer->begin(std::move(lease));
    return Response(std::move(answer));
}

}  // namespace

Task<Result<Response>> exchange(const Context& ctx, std::shared_ptr<Pool> pool, std::shared_ptr<const Destination> to,
                                const OutgoingHead& head, std::string_view body) {
    const Framing framing = has_request_body(head.method, body) ? Framing::of_length(body.size()) : Framing::none();
    for (bool fresh = false;; fresh = true) {
        Pool::Lease lease = fresh ? Pool::Lease() : pool->try_acquire(*to);
        Result<void> done;
        if (!lease) done = co_await pool->acquire(ctx, *to, fresh, lease);
        if (done) done = write_head(*pool, *to, *lease, head, framing);
        if (!done) co_return without_response(std::move(done));

        auto answer = Response::Impl::make(to, pool->options().idle_timeout);
        HeadReader reader(*pool, *to, *lease, head.method, *answer);
        if (body.size() <= kJoined) {
            // The common case: one buffer, which the kernel accepts at once.
            lease->out += body;
            std::string_view rest;
            co_await yield_if_busy();
            done = ctx.cancel().cancelled() ? ctx.check() : write_now(*lease, rest);
            if (done && !rest.empty()) done = co_await lease->stream->write(ctx.within(reader.head_timeout()), rest);
            if (!done) done = unsent(ctx, *to, reader.head_timeout(), lease->out.size(), std::move(done));
        } else {
            done = co_await write_request(ctx, *pool, *to, *lease, body);
        }
        const bool written = done.has_value();
        const bool nothing_left = !written && done.error().code() == ErrorCode::kConnection;
        if (written) {
            // Inlined read_head(), to save a coroutine frame on the hot path.
            const Context limited = ctx.within(reader.head_timeout());
            Result<bool> step = reader.advance();
            while (step && !*step) {
                step = reader.accept(ctx, co_await lease->stream->read_some(limited, reader.room()));
                if (step) step = reader.advance();
            }
            done = without_value(std::move(step));
        } else if (nothing_left || done.error().code() == ErrorCode::kOutcomeUnknown) {
            // A server that rejects a request early may have responded before it stopped reading.
            if (co_await last_words(ctx, reader)) done = {};
        }
        if (done) {
            answer->rules.keep_alive &= written;
            co_return make_response(std::move(answer), std::move(lease));
        }
        const bool connection_died =
            done.error().code() == ErrorCode::kConnection || done.error().code() == ErrorCode::kOutcomeUnknown;
        const bool may_repeat = lease->reused && !fresh && !reader.heard() && connection_died &&
                                (nothing_left || is_idempotent(head.method));
        if (!may_repeat) co_return without_response(std::move(done));
    }
}

Task<Result<Upload>> Upload::open(const Context& ctx, std::shared_ptr<Pool> pool, std::shared_ptr<const Destination> to,
                                  const OutgoingHead& head, std::optional<std::uint64_t> length) {
    Upload upload;
    upload.framing_ = length ? Framing::of_length(*length) : Framing::chunked();
    upload.left_ = length.value_or(0);
    upload.method_ = head.method;
    GANTRY_CO_CHECK(co_await pool->acquire(ctx, *to, false, upload.lease_));
    upload.connection_ = upload.lease_.shared();
    upload.connection_->uploading = true;
    GANTRY_CO_CHECK(write_head(*pool, *to, *upload.connection_, head, upload.framing_));
    GANTRY_CO_CHECK(co_await write_request(ctx, *pool, *to, *upload.connection_, {}));
    upload.pool_ = std::move(pool);
    upload.to_ = std::move(to);
    co_return Result<Upload>(std::move(upload));
}

Task<Result<void>> Upload::write(const Context& ctx, std::string_view bytes) {
    if (bytes.empty()) co_return Result<void>();
    std::array<char, 24> size_line;
    std::array<std::string_view, 3> pieces{"", bytes, ""};
    if (framing_.kind == Framing::Kind::kChunked) {
        pieces[0] = chunk_size_line(size_line, bytes.size());
        pieces[2] = kChunkEnd;
    } else if (bytes.size() > left_) {
        co_return fail(ErrorCode::kInvalidArgument, "the request body is longer than its declared length");
    } else {
        left_ -= bytes.size();
    }
    auto written = co_await connection_->stream->write_pieces(ctx.within(pool_->options().head_timeout), pieces);
    if (written) co_return written;
    GANTRY_CO_CHECK(ctx.check());
    co_return fail(lost(*to_, std::move(written).error()));
}

Task<Result<void>> Upload::finish(const Context& ctx) {
    if (framing_.kind == Framing::Kind::kChunked) {
        auto written = co_await connection_->stream->write(ctx.within(pool_->options().head_timeout), kLastChunk);
        if (!written) {
            GANTRY_CO_CHECK(ctx.check());
            co_return fail(lost(*to_, std::move(written).error()));
        }
    } else if (left_ != 0) {
        connection_->stream->close();
        co_return fail(ErrorCode::kInvalidArgument, "the request body is shorter than its declared length");
    }
    connection_->uploading = false;
    co_return Result<void>();
}

Task<Result<Response>> Upload::response(const Context& ctx) {
    auto answer = Response::Impl::make(to_, pool_->options().idle_timeout);
    HeadReader reader(*pool_, *to_, *connection_, method_, *answer);
    GANTRY_CO_CHECK(co_await read_head(ctx, reader));
    co_return make_response(std::move(answer), std::move(lease_));
}

}  // namespace gantry::http
