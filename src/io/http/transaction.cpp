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

struct Answer {
    ResponseHead head;
    ResponseRules rules;
};

/// The final response head; interim ones are skipped. Sets `heard` once any byte came.
Task<Result<Answer>> read_head(const Context& ctx, const Pool& pool, const Destination& to,
                               PooledConnection& connection, std::string_view method, bool& heard) {
    const ClientOptions& options = pool.options();
    const HeadLimits limits{.bytes = std::min(options.max_head_bytes, Input::kBlock),
                            .fields = options.max_head_fields};
    const Context limited = ctx.within(options.head_timeout);
    Input& input = connection.input;
    HeadScanner scanner;
    Answer answer;
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
                co_return Result<Answer>(std::move(answer));
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
    if (written) co_return written;
    GANTRY_CO_CHECK(ctx.check());
    if (written.error().code() == ErrorCode::kTimeout) {
        co_return fail(ErrorCode::kTimeout, to.origin + " stopped taking the request");
    }
    if (total <= kAtomicWrite) {
        co_return fail(Error(ErrorCode::kConnection, to.origin + ": the connection was closed before the request left")
                           .caused_by(std::move(written).error()));
    }
    co_return fail(lost(to, std::move(written).error()));
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

Response make_response(const Pool& pool, Pool::Lease lease, std::shared_ptr<const Destination> to, Answer answer) {
    return Response(std::make_unique<Response::Impl>(std::move(lease), std::move(to), std::move(answer.head),
                                                     answer.rules, pool.options().idle_timeout));
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

        bool heard = false;
        std::optional<Error> error;
        const auto written = co_await write_request(ctx, *pool, *to, connection, body);
        const bool nothing_left = !written && written.error().code() == ErrorCode::kConnection;
        if (written) {
            auto answer = co_await read_head(ctx, *pool, *to, connection, head.method, heard);
            if (answer) co_return make_response(*pool, std::move(lease), std::move(to), *std::move(answer));
            error = std::move(answer).error();
        } else {
            error = written.error();
            if (error->code() == ErrorCode::kConnection || error->code() == ErrorCode::kOutcomeUnknown) {
                // A server that refuses a request early may have said why before it stopped reading.
                auto answer = co_await read_head(ctx.within(kLastWords), *pool, *to, connection, head.method, heard);
                if (answer) {
                    answer->rules.keep_alive = false;
                    co_return make_response(*pool, std::move(lease), std::move(to), *std::move(answer));
                }
            }
        }
        const bool connection_died =
            error->code() == ErrorCode::kConnection || error->code() == ErrorCode::kOutcomeUnknown;
        const bool may_repeat =
            connection.reused && !fresh && !heard && connection_died && (nothing_left || is_idempotent(head.method));
        if (!may_repeat) co_return fail(*std::move(error));
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
    bool heard = false;
    auto answer = co_await read_head(ctx, *pool_, *to_, *connection_, method_, heard);
    if (!answer) co_return fail(std::move(answer).error());
    co_return make_response(*pool_, std::move(lease_), to_, *std::move(answer));
}

}  // namespace gantry::http
