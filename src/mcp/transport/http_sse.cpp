#include "mcp/transport/http_sse.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/transport/event_source.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/inbox.hpp"
#include "mcp/transport/server_text.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxAcceptedBody = 64u << 10;

class HttpSseConnection final : public Connection {
public:
    HttpSseConnection(HttpConfig config, bool any_endpoint_host)
        : config_(std::move(config)),
          any_endpoint_host_(any_endpoint_host),
          caller_(config_),
          inbox_(config_.max_waiting, config_.max_waiting_bytes),
          scope_(Context::background()) {}

    /// Opens the stream and reads the endpoint event; on success the stream is read until close().
    Task<Result<void>> open(const Context& ctx) {
        HttpCaller::Call call{.method = "GET", .url = config_.url, .headers = {{"Accept", kEventStream}}, .body = {}};
        GANTRY_CO_TRY(auto response, co_await caller_.send(ctx, std::move(call), nullptr));
        if (response.status() != 200 || media_type(response.headers()) != kEventStream) {
            const int status = response.status();
            auto refusal = co_await read_refusal(ctx, std::move(response), "GET " + without_query(config_.url.text()));
            if (status != 200) co_return fail(std::move(refusal.error));
            co_return fail(ErrorCode::kUnsupported, without_query(config_.url.text()) + " gives no event stream");
        }
        EventSource source(std::move(response), config_.max_event_bytes);
        for (;;) {
            GANTRY_CO_TRY(auto event, co_await source.next(ctx));
            if (!event) co_return fail(ErrorCode::kUnsupported, "the event stream ended before naming an endpoint");
            if (event->type != "endpoint") continue;
            caller_.show_received(event->data);
            GANTRY_CO_CHECK(set_endpoint(event->data));
            break;
        }
        source_.emplace(std::move(source));
        scope_.spawn(follow(scope_.context()));
        co_return Result<void>();
    }

    Task<Result<std::optional<Incoming>>> read(const Context& ctx) override { co_return co_await inbox_.take(ctx); }

    Task<Result<void>> write(const Context& ctx, Outgoing outgoing) override {
        if (closing_ || ended_) co_return fail(Error(ErrorCode::kConnection, "the connection is closed").fatal(true));
        ++writing_;
        Result<void> result;
        {
            const CancelSource source(scope_.context().cancel());
            const CancelCallback give_up(ctx.cancel(), [&source] { source.cancel(); });
            result = co_await post(Context(ctx.deadline(), source.token()), outgoing);
        }
        if (--writing_ == 0) idle_.pulse();
        co_return result;
    }

    Task<void> abandon(const RequestId&) override { co_return; }
    void set_revision(Revision revision) override { revision_ = revision; }
    void prefer_raw(std::size_t hold_bytes) override {
        raw_ = true;
        source_->hand_out_beyond(std::min(hold_bytes, config_.max_event_bytes));
    }

    Task<void> close() override {
        if (closing_) {
            (void)co_await closed_.wait(Context::background());
            co_return;
        }
        closing_ = true;
        inbox_.close();
        scope_.cancel();
        while (writing_ > 0) (void)co_await idle_.wait(Context::background());
        co_await scope_.join();
        closed_.set();
    }

private:
    Result<void> set_endpoint(std::string_view reference) {
        auto url = config_.url.resolve(reference);
        if (url && any_endpoint_host_) url = config_.url.resolve(url->target());
        if (!url) {
            return fail(Error(ErrorCode::kProtocol, "the server named an unusable endpoint").caused_by(url.error()));
        }
        if (url->origin() != config_.url.origin()) {
            return fail(ErrorCode::kDenied,
                        "the server named an endpoint on another origin, " + url->origin() + ", which is refused");
        }
        endpoint_ = *std::move(url);
        return {};
    }

    Task<Result<void>> post(Context ctx, Outgoing& outgoing) {
        HttpCaller::Call call{
            .method = "POST",
            .url = endpoint_,
            .headers = {{"Content-Type", kJson}},
            .body = outgoing.text.empty() ? encode_message(outgoing.message) : std::move(outgoing.text),
            .on_login = outgoing.on_login};
        if (revision_ && *revision_ >= Revision::k2025_06_18) {
            call.headers.add(header::kProtocolVersion, to_string(*revision_));
        }
        GANTRY_CO_TRY(auto response, co_await caller_.send(ctx, std::move(call), outgoing.failure));
        if (response.status() >= 200 && response.status() <= 299) {
            (void)co_await response.read_all(ctx, kMaxAcceptedBody);
            co_return Result<void>();
        }
        auto refusal = co_await read_refusal(ctx, std::move(response), "POST " + without_query(endpoint_.text()));
        const auto* request = std::get_if<RequestMessage>(&outgoing.message);
        if (request && refusal.error.rpc() && !is_about_credentials(refusal.detail.status)) {
            co_await inbox_.put(scope_.context(),
                                Incoming{.message = ResponseMessage{.id = request->id,
                                                                    .outcome = std::unexpected(*refusal.error.rpc())},
                                         .on_stream_of = request->id,
                                         .lost = std::nullopt,
                                         .http_status = refusal.detail.status});
            co_return Result<void>();
        }
        if (outgoing.failure) *outgoing.failure = std::move(refusal.detail);
        co_return fail(std::move(refusal.error));
    }

    Result<Incoming> read_raw(std::string data) const {
        const std::size_t size = data.size();
        auto message = RawMessage::read_from_server(data, {.max_bytes = config_.max_event_bytes}, config_.strict_json);
        if (message) {
            return Incoming{.message = {}, .bytes = size, .raw = std::make_unique<RawMessage>(*std::move(message))};
        }
        return refuse(data, message.error());
    }

    /// An event that is not a message: reported to the caller whose answer it was meant to be, if any.
    static Result<Incoming> refuse(std::string_view data, const Error& why) {
        if (auto answer = unreadable_answer(data, why)) return *std::move(answer);
        return fail(Error(ErrorCode::kParse,
                          "an event of " + std::to_string(data.size()) + " bytes from the server is no message")
                        .caused_by(why));
    }

    /// Appends a part of a long message to its file; returns the message after the last part.
    Result<std::optional<Incoming>> spool_on(const sse::Event& part) {
        if (!spool_) {
            GANTRY_TRY(spool_, SpooledMessage::create(config_.max_event_bytes, config_.strict_json));
        }
        spool_->append(part.data);
        if (part.partial) return std::nullopt;
        spool_->finish();
        return Incoming{.message = {}, .spooled = std::move(spool_)};
    }

    Task<void> follow(Context ctx) {
        std::optional<Error> broke;
        for (;;) {
            auto event = co_await source_->next(ctx);
            if (!event) {
                broke = std::move(event).error();
                break;
            }
            if (!*event) break;
            if (!(*event)->type.empty() && (*event)->type != "message") {
                spool_.reset();  // the event's name may come last
                continue;
            }
            if ((*event)->partial || spool_) {
                auto message = spool_on(**event);
                if (!message) {
                    broke = std::move(message).error();
                    break;
                }
                if (*message) co_await inbox_.put(ctx, **std::move(message));
                continue;
            }
            if ((*event)->data.empty()) continue;
            std::string& data = (*event)->data;
            caller_.show_received(data);
            if (raw_ && !data.starts_with('[')) {
                co_await inbox_.put(ctx, read_raw(std::move(data)));
                continue;
            }
            auto messages = ServerText{.limits = {.max_bytes = config_.max_event_bytes}, .strict = config_.strict_json}
                                .decode_batch(data);
            if (!messages) {
                co_await inbox_.put(ctx, refuse(data, messages.error()));
                continue;
            }
            for (Message& message : *messages) {
                co_await inbox_.put(ctx, Incoming{.message = std::move(message), .bytes = data.size()});
            }
        }
        ended_ = true;
        const ErrorCode code = broke && broke->code() == ErrorCode::kLimit ? ErrorCode::kLimit : ErrorCode::kConnection;
        Error error = Error(code, "the server's event stream ended").fatal(true);
        if (broke) error = Error(error).caused_by(*std::move(broke));
        co_await inbox_.put(ctx, fail(std::move(error)));
        inbox_.finish();
    }

    HttpConfig config_;
    const bool any_endpoint_host_;
    HttpCaller caller_;
    Inbox inbox_;
    Url endpoint_;
    std::optional<Revision> revision_;
    std::size_t writing_ = 0;
    bool closing_ = false;
    bool ended_ = false;
    bool raw_ = false;  // see prefer_raw()
    std::optional<EventSource> source_;
    std::unique_ptr<SpooledMessage> spool_;  // a long message being received
    Event idle_;
    Event closed_;
    Scope scope_;
};

}  // namespace

HttpSseTransport::HttpSseTransport(HttpSseConfig config) : config_(std::move(config)) {}

Task<Result<std::unique_ptr<Connection>>> HttpSseTransport::connect(const Context& ctx) {
    GANTRY_CO_CHECK(check_config(config_.http));
    auto connection = std::make_unique<HttpSseConnection>(config_.http, config_.any_endpoint_host);
    if (auto opened = co_await connection->open(ctx.within(config_.endpoint_timeout)); !opened) {
        co_await connection->close();
        co_return std::unexpected(std::move(opened).error());
    }
    co_return Result<std::unique_ptr<Connection>>(std::move(connection));
}

std::string HttpSseTransport::describe() const {
    return "http+sse " + without_query(config_.http.url.text());
}

}  // namespace gantry::mcp
