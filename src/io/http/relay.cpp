#include "io/http/relay.hpp"

#include "base/try.hpp"
#include "io/http/framing.hpp"
#include "io/http/pool.hpp"
#include "io/http/transaction.hpp"
#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::http {
namespace {

constexpr Duration kGlance = milliseconds(250);

/// Cancels its context when the client disconnects. Polls instead of waiting, because a
/// task per request costs more than all the rest of a small one.
class ClientWatch {
public:
    ClientWatch(Loop& loop, const Context& ctx, const Exchange& exchange)
        : loop_(loop), exchange_(exchange), source_(ctx.cancel()), ctx_(ctx.stopped_by(source_)) {
        arm();
    }

    const Context& context() const noexcept { return ctx_; }
    void give_up() { source_.cancel(); }

private:
    void arm() {
        alarm_.arm(loop_, Deadline::after(kGlance), [](void* self) { static_cast<ClientWatch*>(self)->look(); }, this);
    }
    void look() {
        if (exchange_.disconnected()) {
            source_.cancel();
        } else {
            arm();
        }
    }

    Loop& loop_;
    const Exchange& exchange_;
    CancelSource source_;
    Context ctx_;
    Loop::Alarm alarm_;
};

/// The serializers omit hop-by-hop fields by themselves; only fields named by Connection need a copy.
bool nominates_fields(const Headers& headers) {
    const auto connection = headers.get("connection");
    if (!connection) return false;
    return headers.count("connection") > 1 ||
           !(equal_ignoring_case(*connection, "keep-alive") || equal_ignoring_case(*connection, "close"));
}

/// End-to-end fields, without copying them unless needed.
class EndToEnd {
public:
    explicit EndToEnd(const Headers& all) : all_(all), copied_(nominates_fields(all)) {
        if (copied_) copy_end_to_end(all, copy_);
    }
    const Headers& headers() const noexcept { return copied_ ? copy_ : all_; }

private:
    const Headers& all_;
    Headers copy_;
    bool copied_;
};

int status_for(const Error& error) {
    return error.code() == ErrorCode::kTimeout ? 504 : 502;
}

Task<void> refuse(const Context& ctx, Exchange& exchange, const Error& error) {
    if (error.code() == ErrorCode::kCancelled) co_return;
    const Headers headers{{"Content-Type", "text/plain"}};
    const int status = status_for(error);
    // If this fails too, the client is gone.
    (void)co_await exchange.respond(ctx, status, headers, status == 504 ? "gateway timeout\n" : "bad gateway\n");
}

/// The body, if all of it has arrived with the head. Otherwise nothing is consumed.
std::optional<std::string_view> whole_body(const Exchange& exchange, Response& response) {
    const auto length = response.body_length();
    if (exchange.method() == "HEAD" || !length || response.buffered() < *length) return std::nullopt;
    auto piece = response.take();
    if (!piece) return std::nullopt;
    return piece->value_or("");
}

/// Forwards the response as it arrives.
Task<Result<void>> deliver(const Context& ctx, Exchange& exchange, Response& response) {
    const EndToEnd fields(response.headers());
    const int status = response.status();
    if (exchange.method() == "HEAD") {
        const auto announced = response.headers().get("content-length");
        const auto length = announced ? parse_length(*announced) : std::nullopt;
        GANTRY_CO_CHECK(co_await exchange.start(ctx, status, fields.headers(), length));
        co_return co_await exchange.finish(ctx);
    }
    const auto length = response.body_length();
    GANTRY_CO_TRY(std::optional<std::string_view> piece, response.take());
    if (!piece && !response.body_complete() && length) {
        GANTRY_CO_TRY(piece, co_await response.read(ctx));
    }
    if (response.body_complete()) {
        co_return co_await exchange.respond(ctx, status, fields.headers(), piece.value_or(""));
    }
    // Without a length this may be an event stream: the head must not wait for the first event.
    GANTRY_CO_CHECK(co_await exchange.start_with(ctx, status, fields.headers(), length, piece.value_or("")));
    for (;;) {
        GANTRY_CO_TRY(piece, co_await response.read(ctx));
        if (!piece) break;
        GANTRY_CO_CHECK(co_await exchange.write(ctx, *piece));
    }
    co_return co_await exchange.finish(ctx);
}

/// Forwards the rest of the request body; `first` is the piece already read.
Task<void> pump(Context ctx, Exchange* exchange, Upload* upload, std::string_view first, ClientWatch* watch) {
    std::optional<std::string_view> piece = first;
    while (piece) {
        // If the origin stops reading, it has responded, or the response fails too.
        if (!co_await upload->write(ctx, *piece)) co_return;
        auto next = co_await exchange->read(ctx);
        if (!next) {
            watch->give_up();
            co_return;
        }
        piece = *next;
    }
    (void)co_await upload->finish(ctx);
}

/// A request whose body does not arrive in one piece: both directions run concurrently.
Task<void> relay_upload(const Context& ctx, Exchange& exchange, Upload& upload, std::string_view first,
                        ClientWatch& watch) {
    Scope scope(watch.context());
    scope.spawn(pump(scope.context(), &exchange, &upload, first, &watch));
    Result<void> result;
    {
        auto response = co_await upload.response(watch.context());
        if (response) {
            result = co_await deliver(watch.context(), exchange, *response);
        } else {
            result = fail(std::move(response).error());
        }
    }
    scope.cancel();
    co_await scope.join();
    if (!result) co_await refuse(ctx, exchange, result.error());
}

Task<void> relay_large(const Context& ctx, Exchange& exchange, std::shared_ptr<Pool> pool,
                       std::shared_ptr<const Destination> to, const OutgoingHead& head, std::string_view first,
                       ClientWatch& watch) {
    auto upload = co_await Upload::open(watch.context(), std::move(pool), std::move(to), head, exchange.body_length());
    if (upload) {
        co_await relay_upload(ctx, exchange, *upload, first, watch);
    } else {
        co_await refuse(ctx, exchange, upload.error());
    }
}

}  // namespace

Relay::Relay(Client& client, Url origin)
    : pool_(client.pool()), to_(std::make_shared<const Destination>(std::move(origin))) {}

Task<void> Relay::handle(const Context& ctx, Exchange& incoming) const {
    ClientWatch watch(pool_->loop(), ctx, incoming);
    const EndToEnd fields(incoming.headers());
    const OutgoingHead head{.method = incoming.method(), .target = incoming.target(), .headers = fields.headers()};

    std::string_view first;
    if (!incoming.body_complete()) {
        auto piece = incoming.take();
        if (piece && !*piece && !incoming.body_complete()) piece = co_await incoming.read(watch.context());
        if (!piece) co_return;  // the server chooses the right answer: 400, 408, 413 or none
        first = piece->value_or("");
    }
    if (!incoming.body_complete()) {
        co_await relay_large(ctx, incoming, pool_, to_, head, first, watch);
        co_return;
    }
    auto response = co_await exchange(watch.context(), pool_, to_, head, first);
    if (!response) {
        co_await refuse(ctx, incoming, response.error());
        co_return;
    }
    Result<void> delivered;
    if (const auto whole = whole_body(incoming, *response)) {
        // Small responses arrive in one piece; this saves them a coroutine.
        const EndToEnd answered(response->headers());
        delivered = co_await incoming.respond(watch.context(), response->status(), answered.headers(), *whole);
    } else {
        delivered = co_await deliver(watch.context(), incoming, *response);
    }
    // Fails if a response has already been started.
    if (!delivered) co_await refuse(ctx, incoming, delivered.error());
}

}  // namespace gantry::http
