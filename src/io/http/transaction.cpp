#include "io/http/transaction.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "io/http/chunked.hpp"
#include "io/http/response.hpp"
#include "io/http/write_head.hpp"

namespace gantry::http {
namespace {

/// Each of these has head_timeout to leave, so that a slow but moving upload lives.
constexpr std::size_t kWriteSlice = 256u << 10;
/// Up to this much, copying a body behind its head is cheaper than gathering the two.
constexpr std::size_t kJoined = 4096;
/// What an empty socket buffer takes whole or not at all: if such a write fails, nothing left.
constexpr std::size_t kAtomicWrite = 16u << 10;
constexpr int kMaxInterim = 8;
/// How long a server that stopped reading may take to tell why.
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

/// Fills `answer` with the final response head; interim ones are skipped. Sets `heard` once any byte came.
Task<Result<void>> read_head(const Context& ctx, const Pool& pool, const Destination& to, PooledConnection& connection,
                             std::string_view method, Response::Impl& answer, bool& heard) {
    const ClientOptions& options = pool.options();
    const HeadLimits limits{.bytes = std::min(options.max_head_bytes, Input::kBlock),
                            .fields = options.max_head_fields};
    const Context limited = ctx.within(options.head_timeout);
    Input& input = connection.input;
    HeadScanner scanner;
    for (int interim = 0; interim <= kMaxInterim;) {
        const auto end = input.empty() ? Accepted<std::size_t>(0) : scanner.scan(input.bytes(), limits);
        if (!end) co_return fail(end.error().to_error().within(to.origin));
        if (*end != 0) {
            const auto parsed = parse_response_head(input.bytes().substr(0, *end), answer.head);
            input.consume(*end);
            if (!parsed) co_return fail(parsed.error().to_error().within(to.origin));
            if (answer.head.status >= 200) {
                const auto rules = judge_response(method, answer.head);
                if (!rules) co_return fail(rules.error().to_error().within(to.origin));
                answer.rules = *rules;
                co_return Result<void>();
            }
            if (answer.head.status == 101) {
                co_return fail(ErrorCode::kProtocol, to.origin + ": switched protocols without being asked");
            }
            ++interim;
            scanner.reset();
            continue;
        }
        auto got = co_await connection.stream->read_some(limited, input.prepare(input.expected_head()));
        if (!got) {
            GANTRY_CO_CHECK(ctx.check());
            if (got.error().code() == ErrorCode::kTimeout) {
                co_return fail(ErrorCode::kTimeout, to.origin + " did not answer in time");
            }
            co_return fail(lost(to, std::move(got).error()));
        }
        if (*got == 0) co_return fail(lost(to, Error(ErrorCode::kConnection, "the peer closed without an answer")));
        heard = true;
        input.commit(*got);
    }
    co_return fail(ErrorCode::kProtocol, to.origin + ": too many interim responses");
}

/// Why a request of `total` bytes could not be written.
Error unsent(const Context& ctx, const Destination& to, std::size_t total, Error cause) {
    if (const auto checked = ctx.check(); !checked) return checked.error();
    if (cause.code() == ErrorCode::kTimeout) return {ErrorCode::kTimeout, to.origin + " stopped taking the request"};
    if (total > kAtomicWrite) return lost(to, std::move(cause));
    return Error(ErrorCode::kConnection, to.origin + ": the connection was closed before the request left")
        .caused_by(std::move(cause));
}

/// Head and body on the wire. kConnection when nothing of it left.
Task<Result<void>> write_request(const Context& ctx, const Pool& pool, const Destination& to,
                                 PooledConnection& connection, std::string_view body) {
    const std::size_t total = connection.out.size() + body.size();
    const Duration patience = pool.options().head_timeout;
    std::array<std::string_view, 2> pieces{connection.out, body.substr(0, kWriteSlice)};
    auto written = co_await connection.stream->write_pieces(ctx.within(patience), pieces);
    for (std::size_t at = pieces[1].size(); written && at < body.size(); at += kWriteSlice) {
        written = co_await connection.stream->write(ctx.within(patience), body.substr(at, kWriteSlice));
    }
    if (!written) written = fail(unsent(ctx, to, total, std::move(written).error()));
    co_return written;
}

Result<void> write_head(const Pool& pool, const Destination& to, PooledConnection& connection, const OutgoingHead& head,
                        Framing framing) {
    connection.out.clear();
    return append_request_head(connection.out,
                               {.method = head.method,
                                .target = head.target,
                                .authority = to.authority,
                                .user_agent = pool.options().user_agent},
                               head.headers, framing);
}

Response make_response(std::unique_ptr<Response::Impl> answer, Pool::Lease lease) {
    answer->begin(std::move(lease));
    return Response(std::move(answer));
}

}  // namespace

Task<Result<Response>> exchange(const Context& ctx, std::shared_ptr<Pool> pool, std::shared_ptr<const Destination> to,
                                const OutgoingHead& head, std::string_view body) {
    const Framing framing = has_request_body(head.method, body) ? Framing::of_length(body.size()) : Framing::none();
    for (bool fresh = false;; fresh = true) {
        Pool::Lease lease = fresh ? Pool::Lease() : pool->try_acquire(*to);
        if (!lease) {
            auto acquired = co_await pool->acquire(ctx, *to, fresh);
            if (!acquired) co_return fail(std::move(acquired).error());
            lease = *std::move(acquired);
        }
        PooledConnection& connection = *lease;
        GANTRY_CO_CHECK(write_head(*pool, *to, connection, head, framing));

        auto answer = std::make_unique<Response::Impl>(to, pool->options().idle_timeout);
        bool heard = false;
        Result<void> done;
        if (body.size() <= kJoined) {
            // The common case: one buffer, and no coroutine of its own.
            connection.out += body;
            const std::string_view all = connection.out;
            done = co_await connection.stream->write_pieces(ctx.within(pool->options().head_timeout), {&all, 1});
            if (!done) done = fail(unsent(ctx, *to, all.size(), std::move(done).error()));
        } else {
            done = co_await write_request(ctx, *pool, *to, connection, body);
        }
        const bool nothing_left = !done && done.error().code() == ErrorCode::kConnection;
        if (done) {
            done = co_await read_head(ctx, *pool, *to, connection, head.method, *answer, heard);
            if (done) co_return make_response(std::move(answer), std::move(lease));
        } else if (nothing_left || done.error().code() == ErrorCode::kOutcomeUnknown) {
            // A server that refuses a request early may have said why before it stopped reading.
            if (co_await read_head(ctx.within(kLastWords), *pool, *to, connection, head.method, *answer, heard)) {
                answer->rules.keep_alive = false;
                co_return make_response(std::move(answer), std::move(lease));
            }
        }
        const ErrorCode code = done.error().code();
        const bool connection_died = code == ErrorCode::kConnection || code == ErrorCode::kOutcomeUnknown;
        const bool may_repeat =
            connection.reused && !fresh && !heard && connection_died && (nothing_left || is_idempotent(head.method));
        if (!may_repeat) co_return fail(std::move(done).error());
    }
}

Task<Result<Upload>> Upload::open(const Context& ctx, std::shared_ptr<Pool> pool, std::shared_ptr<const Destination> to,
                                  const OutgoingHead& head, std::optional<std::uint64_t> length) {
    Upload upload;
    upload.framing_ = length ? Framing::of_length(*length) : Framing::chunked();
    upload.left_ = length.value_or(0);
    upload.method_ = head.method;
    GANTRY_CO_TRY(upload.lease_, co_await pool->acquire(ctx, *to, false));
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
    auto answer = std::make_unique<Response::Impl>(to_, pool_->options().idle_timeout);
    bool heard = false;
    GANTRY_CO_CHECK(co_await read_head(ctx, *pool_, *to_, *connection_, method_, *answer, heard));
    co_return make_response(std::move(answer), std::move(lease_));
}

}  // namespace gantry::http
