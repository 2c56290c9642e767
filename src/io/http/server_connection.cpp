#include "io/http/server_connection.hpp"

#include <algorithm>
#include <exception>

#include "base/try.hpp"
#include "io/http/chunked.hpp"
#include "io/http/write_head.hpp"

namespace gantry::http {
namespace {

/// Up to this much of an unread request body is drained to keep the connection.
constexpr std::uint64_t kMaxDrained = 256u << 10;
constexpr Duration kDrainTime = seconds(2);
/// Capacity of the output buffer an idle connection may keep.
constexpr std::size_t kKeptOutput = 4096;

}  // namespace

ServerConnection::ServerConnection(Owner& owner, const ServerOptions& options, const Handler& handler,
                                   std::unique_ptr<Stream> stream, const net::TcpStream& tcp)
    : owner_(owner),
      options_(options),
      handler_(handler),
      stream_(std::move(stream)),
      tcp_(tcp),
      limits_{.bytes = std::min(options.max_head_bytes, Input::kBlock), .fields = options.max_head_fields} {}

void ServerConnection::close() noexcept {
    closed_ = true;
    stream_->close();
}

Task<void> ServerConnection::run(const Context& ctx) {
    while (co_await read_request(ctx)) {
        body_.start(rules_.body, options_.max_body_bytes);
        body_waited_ = {};
        body_refusal_.reset();
        answer_ = Answer::kNone;
        keep_alive_ = rules_.keep_alive && !owner_.stopping();
        try {
            co_await handler_(ctx, *this);
        } catch (const std::exception&) {
            keep_alive_ = false;  // the handler's state is unknown; a 500 follows
        }
        const bool all_well = answer_ == Answer::kFinished && body_.done() && keep_alive_ && !closed_;
        if (!all_well && !co_await settle(ctx)) break;
        if (!end_request()) {
            co_await linger(ctx);
            break;
        }
    }
    close();
}

/// Cleans up after an answered request. False: there will be no other.
bool ServerConnection::end_request() noexcept {
    body_.release(input_);
    input_.end_message();
    out_.clear();
    if (out_.capacity() > kKeptOutput) out_.shrink_to_fit();
    return keep_alive_ && !owner_.stopping();
}

/// Waits for the next request and stores its head in head_ and rules_. False: the connection has ended.
Task<bool> ServerConnection::read_request(const Context& ctx) {
    scanner_.reset();
    head_.method.clear();
    bool idle = input_.empty();
    bool may_skip = true;
    Deadline deadline = Deadline::after(idle ? options_.idle_timeout : options_.head_timeout);
    if (idle) owner_.became_idle(*this);
    for (;;) {
        if (!idle) {
            // Old clients send one empty line before a request; more is an error.
            const bool half_line = may_skip && input_.bytes() == "\r";
            if (may_skip && input_.bytes().starts_with("\r\n")) input_.consume(2);
            may_skip = half_line;
            const auto end = half_line ? Accepted<std::size_t>(0) : scanner_.scan(input_.bytes(), limits_);
            Refusal refusal;
            if (end && *end != 0) {
                const auto parsed = parse_request_head(input_.bytes().substr(0, *end), head_);
                input_.consume(*end);
                const auto rules = parsed ? judge_request(head_) : std::unexpected(parsed.error());
                if (rules) {
                    rules_ = *rules;
                    if (rules_.body.kind != Framing::Kind::kLength || rules_.body.length <= options_.max_body_bytes) {
                        co_return true;
                    }
                    refusal = {.status = 413, .reason = "body too large"};
                } else {
                    refusal = rules.error();
                }
            } else if (!end) {
                refusal = end.error();
            }
            if (!refusal.reason.empty()) {
                co_await refuse_request(ctx, refusal);
                co_return false;
            }
        }
        const auto got = co_await stream_->read_some(ctx.until(deadline), input_.prepare(input_.expected_head()));
        if (idle) owner_.became_busy(*this);
        if (!got) {
            const bool slow = got.error().code() == ErrorCode::kTimeout && !idle;
            if (slow) co_await refuse_request(ctx, {.status = 408, .reason = "request head took too long"});
            co_return false;
        }
        if (*got == 0 || closed_) co_return false;
        input_.commit(*got);
        if (idle) deadline = Deadline::after(options_.head_timeout);
        idle = false;
    }
}

/// Ensures that the request was answered and its body consumed. False: close.
Task<bool> ServerConnection::settle(const Context& ctx) {
    if (closed_) co_return false;
    if (answer_ == Answer::kNone) {
        const Refusal refusal = body_refusal_.value_or(Refusal{.status = 500, .reason = "no answer"});
        if (refusal.status != 500 || !keep_alive_) {
            co_await refuse_request(ctx, refusal);
            co_return false;
        }
        const Headers headers;
        if (!co_await respond(ctx, 500, headers, "")) co_return false;
    }
    if (answer_ != Answer::kFinished) co_return false;
    if (end_of_input_) co_return false;
    if (!body_.done()) {
        // A client still waiting for "100 Continue" may or may not send the body now.
        if (!keep_alive_ || rules_.expects_continue || body_refusal_) {
            co_await linger(ctx);
            co_return false;
        }
        const Context drain = ctx.within(kDrainTime);
        const std::uint64_t enough = body_.received() + kMaxDrained;
        while (!body_.done() && body_.received() < enough) {
            auto piece = co_await read(drain);
            if (!piece) co_return false;
            if (!*piece) break;
        }
        if (!body_.done()) {
            co_await linger(ctx);
            co_return false;
        }
    }
    co_return true;
}

/// Answers a request that is rejected before reaching the handler, then closes.
Task<void> ServerConnection::refuse_request(const Context& ctx, Refusal refusal) {
    out_.clear();
    const std::string body = std::string(refusal.reason) + "\n";
    Headers headers{{"Content-Type", "text/plain"}};
    if (refusal.status == 503) headers.add("Retry-After", "1");
    const StatusLine line{.status = refusal.status, .keep_alive = false};
    if (!append_response_head(out_, line, headers, Framing::of_length(body.size()))) co_return;
    if (head_.method != "HEAD") out_ += body;
    if (!co_await send(ctx, out_)) co_return;
    co_await linger(ctx);
}

/// Closing while the client still sends would reset the connection and lose our response, so
/// half-close first and keep reading for a moment.
Task<void> ServerConnection::linger(const Context& ctx) {
    const Context limited = ctx.within(kDrainTime);
    if (!co_await stream_->shutdown_write(limited)) co_return;
    body_.release(input_);
    for (std::uint64_t drained = 0; drained < kMaxDrained;) {
        input_.consume(input_.bytes().size());
        const auto got = co_await stream_->read_some(limited, input_.prepare(Input::kSmall));
        if (!got || *got == 0) co_return;
        input_.commit(*got);
        drained += *got;
    }
}

}  // namespace gantry::http
