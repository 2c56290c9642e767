#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "io/loop.hpp"
#include "mcp/protocol/headers.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/transport/http_answer.hpp"
#include "mcp/transport/server_text.hpp"
#include "mcp/transport/streamable_connection.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxAcceptedBody = 64u << 10;

const Json& params_of(const Message& message) {
    static const Json none;
    if (const auto* request = std::get_if<RequestMessage>(&message)) return request->params;
    if (const auto* notification = std::get_if<NotificationMessage>(&message)) return notification->params;
    return none;
}

std::string_view method_of(const Message& message) {
    if (const auto* request = std::get_if<RequestMessage>(&message)) return request->method;
    if (const auto* notification = std::get_if<NotificationMessage>(&message)) return notification->method;
    return {};
}

/// The version a modern message claims; empty for a legacy one.
std::string_view claimed_version(const Message& message) {
    const Json* meta = params_of(message).find("_meta");
    return meta ? meta->string_at(meta_key::kProtocolVersion) : std::string_view();
}

bool usable_session_id(std::string_view id) {
    return std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7F; });
}

Error closed_error() {
    return Error(ErrorCode::kConnection, "the connection is closed").fatal(true);
}

}  // namespace

StreamableConnection::StreamableConnection(StreamableHttpConfig config)
    : config_(std::move(config)),
      caller_(config_.http),
      inbox_(config_.http.max_waiting, config_.http.max_waiting_bytes),
      scope_(Context::background()) {}

Task<Result<void>> StreamableConnection::write(const Context& ctx, Outgoing outgoing) {
    if (closing_) co_return fail(closed_error());
    GANTRY_CO_CHECK(ctx.check());
    auto pending = begin(outgoing.message);
    if (!pending) {
        co_return fail(ErrorCode::kInvalidArgument, "a request with this id is already waiting for its answer");
    }
    ++writing_;
    Result<void> result;
    {
        const CancelCallback give_up(ctx.cancel(), [pending] { pending->cancel.cancel(); });
        result = co_await post(Context(ctx.deadline(), pending->cancel.token()), outgoing, pending);
    }
    if (!result) forget(*pending);
    if (--writing_ == 0) idle_.pulse();
    if (!result && closing_) co_return fail(closed_error().caused_by(std::move(result).error()));
    co_return result;
}

StreamableConnection::PendingPostPtr StreamableConnection::begin(const Message& message) {
    auto pending = std::make_shared<PendingPost>();
    pending->cancel = CancelSource(scope_.context().cancel());
    pending->modern = !claimed_version(message).empty() || (revision_ && is_modern(*revision_));
    if (const auto* request = std::get_if<RequestMessage>(&message)) {
        pending->id = request->id;
        pending->initialize = !pending->modern && request->method == "initialize";
        if (!pending_.emplace(to_text(request->id), pending).second) return nullptr;
    }
    if (!pending->modern && !pending->initialize) pending->session = session_;
    return pending;
}

void StreamableConnection::forget(const PendingPost& pending) {
    if (!pending.id) return;
    const auto found = pending_.find(to_text(*pending.id));
    if (found != pending_.end() && found->second.get() == &pending) pending_.erase(found);
}

http::Headers StreamableConnection::headers_for(const Message& message, const PendingPost& pending) const {
    http::Headers headers;
    headers.add("Content-Type", kJson);
    headers.add("Accept", "application/json, text/event-stream");
    if (pending.modern) {
        const auto claimed = claimed_version(message);
        const auto version = claimed.empty() ? to_string(*revision_) : claimed;
        headers.add(header::kProtocolVersion, version);
        if (const auto method = method_of(message); !method.empty()) {
            const auto revision = parse_revision(version).value_or(Revision::k2026_07_28);
            for (const auto& [name, value] : routing_headers(method, params_of(message), revision)) {
                headers.add(name, value);
            }
        }
        return headers;
    }
    if (pending.initialize) return headers;
    if (revision_ && *revision_ >= Revision::k2025_06_18) headers.add(header::kProtocolVersion, to_string(*revision_));
    if (!pending.session.empty()) headers.add(header::kSessionId, pending.session);
    return headers;
}

Task<Result<void>> StreamableConnection::post(Context ctx, Outgoing& outgoing, PendingPostPtr pending) {
    HttpCaller::Call call{.method = "POST",
                          .url = config_.http.url,
                          .headers = headers_for(outgoing.message, *pending),
                          .body = outgoing.text.empty() ? encode_message(outgoing.message) : std::move(outgoing.text),
                          .on_login = outgoing.on_login};
    for (const auto& [name, value] : outgoing.headers) call.headers.set(name, value);
    for (std::size_t i = 0; i < call.headers.size(); ++i) {
        const auto [name, value] = call.headers[i];
        if (!http::Headers::valid_name(name) || !http::Headers::valid_value(value)) {
            co_return fail(ErrorCode::kInvalidArgument, "a header field of the request cannot be sent");
        }
    }
    GANTRY_CO_TRY(auto response, co_await caller_.send(ctx, std::move(call), outgoing.failure));

    const int status = response.status();
    const std::string type = media_type(response.headers());
    if (status < 200 || status > 299) co_return co_await take_refusal(ctx, outgoing, *pending, std::move(response));
    if (pending->initialize) {
        pending->offered_session = response.headers().get(header::kSessionId).value_or("");
        if (!usable_session_id(pending->offered_session)) {
            co_return fail(ErrorCode::kProtocol, "the server's session id holds characters other than visible ASCII");
        }
    }
    if (type == kEventStream) {
        scope_.spawn(follow_post(pending, std::move(response)));
    } else if (pending->id) {
        if (status == 202 || (type != kJson && !type.empty())) {
            co_return co_await take_refusal(ctx, outgoing, *pending, std::move(response));
        }
        co_return co_await take_json(ctx, outgoing, *pending, std::move(response));
    } else if (auto body = co_await response.read_all(ctx, kMaxAcceptedBody); body && type == kJson) {
        // A 202 has no body, but some servers answer 200 with a message or "null" in it.
        caller_.show_received(*body);
        if (auto messages = decode_messages(*body))
            co_await deliver(*pending, *std::move(messages), status, body->size());
    }
    if (method_of(outgoing.message) == "notifications/initialized" && !pending->modern) start_listening();
    co_return Result<void>();
}

/// The whole answer in a single body.
Task<Result<void>> StreamableConnection::take_json(Context ctx, Outgoing& outgoing, PendingPost& pending,
                                                   http::Response response) {
    const int status = response.status();
    const std::string type = media_type(response.headers());
    GANTRY_CO_TRY(const std::string body, co_await response.read_all(ctx, config_.http.max_body_bytes));
    caller_.show_received(body);
    auto messages = ServerText{.limits = {.max_bytes = config_.http.max_body_bytes}, .strict = config_.http.strict_json}
                        .decode_batch(body);
    std::optional<Error> error;
    if (!messages) {
        error = Error(ErrorCode::kParse,
                      "the server's answer of " + std::to_string(body.size()) + " bytes is no JSON-RPC message")
                    .caused_by(messages.error());
    } else {
        if (messages->size() == 1) {
            // An error without an id can only answer the one request of this pending.
            auto* only = std::get_if<ResponseMessage>(&messages->front());
            if (only && !only->id && !only->outcome) only->id = pending.id;
        }
        co_await deliver(pending, *std::move(messages), status, body.size());
        if (!pending.answered) {
            error = Error(ErrorCode::kProtocol, "the server answered the request without answering its id");
        }
    }
    if (!error) co_return Result<void>();
    if (outgoing.failure) {
        *outgoing.failure = HttpFailure{.status = status,
                                        .content_type = type,
                                        .body_excerpt = body.substr(0, 2048),
                                        .www_authenticate = {},
                                        .redirect_origin = {}};
    }
    co_return fail(*std::move(error));
}

/// An unexpected status or media type. A JSON-RPC error in its body still counts as the answer.
Task<Result<void>> StreamableConnection::take_refusal(Context ctx, Outgoing& outgoing, PendingPost& pending,
                                                      http::Response response) {
    auto refusal = co_await read_refusal(ctx, std::move(response), "POST " + without_query(config_.http.url.text()));
    if (!refusal.body.empty()) caller_.show_received(refusal.body);
    const int status = refusal.detail.status;
    const RpcError* rpc = refusal.error.rpc();
    // Answering unknown methods with 404 is a known mistake of servers with sessions; any other 404 means "gone".
    const bool gone = status == 404 && !pending.session.empty() && !(rpc && rpc->code == -32601);
    if (gone) {
        forget_session(pending.session);
        refusal.detail.session_gone = true;
        Error error(ErrorCode::kNotFound,
                    "the server no longer knows the session (404); it has to be initialized again");
        refusal.error = std::move(error).retryable(true);
    } else if (rpc && pending.id && !is_about_credentials(status)) {
        std::vector<Message> answer;
        answer.emplace_back(ResponseMessage{.id = pending.id, .outcome = std::unexpected(*rpc)});
        co_await deliver(pending, std::move(answer), status, refusal.body.size());
        co_return Result<void>();
    }
    if (outgoing.failure) *outgoing.failure = std::move(refusal.detail);
    co_return fail(std::move(refusal.error));
}

void StreamableConnection::start_listening() {
    if (!config_.listen || closing_) return;
    if (listener_) listener_->cancel.cancel();
    listener_ = std::make_shared<PendingPost>();
    listener_->cancel = CancelSource(scope_.context().cancel());
    listener_->session = session_;
    scope_.spawn(listen(listener_));
}

Task<void> StreamableConnection::abandon(const RequestId& id) {
    const auto found = pending_.find(to_text(id));
    if (found == pending_.end()) co_return;
    const PendingPostPtr pending = found->second;
    pending_.erase(found);
    pending->cancel.cancel();
}

Task<void> StreamableConnection::close() {
    if (closing_) {
        (void)co_await closed_.wait(Context::background());
        co_return;
    }
    closing_ = true;
    inbox_.close();
    scope_.cancel();
    ask_to_leave();
    while (writing_ > 0 || in_use()) (void)co_await idle_.wait(Context::background());
    co_await end_session();
    co_await scope_.join();
    closed_.set();
}

/// Sends DELETE if there is a session. The response is ignored.
Task<void> StreamableConnection::end_session() {
    if (session_.empty()) co_return;
    http::Headers headers;
    headers.add(header::kSessionId, session_);
    if (revision_ && *revision_ >= Revision::k2025_06_18) headers.add(header::kProtocolVersion, to_string(*revision_));
    HttpCaller::Call call{
        .method = "DELETE", .url = config_.http.url, .headers = std::move(headers), .body = {}, .authorize = false};
    session_.clear();
    const Context ctx(Deadline::after(config_.close_timeout), config_.force_close);
    auto response = co_await caller_.send(ctx, std::move(call), nullptr);
    if (response) (void)co_await response->read_all(ctx, kMaxAcceptedBody);
}

}  // namespace gantry::mcp
