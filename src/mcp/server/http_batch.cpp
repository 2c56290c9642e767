// POST of a batch: several messages of a 2025-03-26 client, answered together.
#include "mcp/protocol/errors.hpp"
#include "mcp/server/housekeeping.hpp"
#include "mcp/server/http_endpoint_impl.hpp"
#include "mcp/server/post_decision.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {
namespace {

constexpr std::size_t kMaxBatch = 100;

/// Reply line for a client that expects a single array: nothing can be sent before the answer.
class SilentLine final : public ReplyChannel {
public:
    bool notify(std::string) override { return false; }
    Task<Result<void>> room(const Context&) override { co_return Result<void>(); }
    bool can_ask() const noexcept override { return false; }
    Task<Result<std::string>> ask(const Context&, std::string_view, std::string) override {
        co_return fail(ErrorCode::kUnsupported, "a batch cannot be asked back");
    }
    void hang_up(Duration) override {}
};

/// The whole answer as text; kLimit if it is longer than `most`.
Task<Result<std::string>> gather(const Context& ctx, Answer answer, std::size_t most) {
    std::string whole;
    wire::append_whole(whole, answer);
    while (answer.rest) {
        const auto piece = co_await answer.rest->next(ctx);
        if (!piece) co_return fail(piece.error());
        if (!*piece) break;
        if (whole.size() + (*piece)->size() > most)
            co_return fail(ErrorCode::kLimit, "the answer is too large for a batch");
        whole += **piece;
    }
    co_return whole;
}

}  // namespace

Task<void> HttpEndpoint::Impl::post_batch(const Context& ctx, HttpRequest& request, const PostedMessage& message,
                                          const PostDecision& decided) {
    const auto refuse = [&](std::string why) {
        return send_error(ctx, request, {}, {.status = 400, .error = invalid_request(std::move(why))});
    };
    const auto sender = sender_of(request, message, decided);
    if (!sender) co_return co_await send_error(ctx, request, {}, sender.error());
    if (sender->peer->revision != Revision::k2025_03_26)
        co_return co_await refuse("batches are not part of this revision");
    const auto parsed = Json::parse(message.text, limits);
    const JsonArray* items = parsed ? parsed->if_array() : nullptr;
    if (items == nullptr || items->empty()) co_return co_await refuse("an empty batch");
    if (items->size() > kMaxBatch) co_return co_await refuse("too many messages in one batch");
    for (const Json& item : *items) {
        if (item.at_pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion") != nullptr) {
            co_return co_await refuse("this revision's requests come one by one");
        }
    }
    std::string answers;
    for (const Json& item : *items) {
        const std::string answer = co_await batch_item(ctx, request, item.dump(), *sender);
        if (answer.empty()) continue;
        answers += answers.empty() ? '[' : ',';
        answers += answer;
    }
    if (answers.empty()) co_return co_await send_empty(ctx, request, 202);
    answers += ']';
    co_await send_json(ctx, request, 200, std::move(answers));
}

/// Handles one message of a batch; returns its answer, empty if it has none.
Task<std::string> HttpEndpoint::Impl::batch_item(const Context& ctx, HttpRequest& request, std::string text,
                                                 Sender sender) {
    const auto& [peer, session, client] = sender;
    const auto scanned = json::scan_envelope(text, limits);
    if (!scanned) co_return wire::error_message({}, parse_error(scanned.error().message()));
    const json::EnvelopeView& view = *scanned;
    const std::string_view id = usable_id(view);
    const auto kind = shape_of(view);
    if (!kind) co_return wire::error_message(id, kind.error().error);
    if (*kind == MessageKind::kBatch) co_return wire::error_message({}, invalid_request("a batch inside a batch"));
    if (*kind == MessageKind::kResponse) {
        if (session) (void)session->asks.answer(view);
        co_return std::string();
    }
    const std::string method = view.method.text().value_or("");
    if (*kind == MessageKind::kNotification) {
        take_notification(view, method, request.backend, *peer, session ? &session->calls : nullptr);
        co_return std::string();
    }
    if (method == method::kInitialize) co_return wire::error_message(id, invalid_request("initialize stands alone"));
    CallList& list = session ? session->calls : calls;
    if (session && list.find(id) != nullptr) {
        co_return wire::error_message(id, invalid_request("a request with this id is in flight"));
    }
    const Call call{.peer = peer,
                    .text = text,
                    .view = view,
                    .method = method,
                    .info = find_method(method, peer->revision),
                    .log_level = session ? session->level : std::nullopt,
                    .headers = &request.exchange.headers()};
    InFlight flight{.id = id, .stop = CancelSource(ctx.cancel())};
    const Listed listed(list, flight);
    const Context wanted = ctx.stopped_by(flight.stop);
    SilentLine line;
    Answer answer;
    if (is_housekeeping(call)) {
        answer = co_await keep_house(wanted, call, request.backend, session.get());
    } else {
        answer = co_await request.backend.answer(wanted, call, line);
    }
    if (flight.cancelled || answer.message.empty()) co_return std::string();
    auto whole = co_await gather(ctx, std::move(answer), options.max_body_bytes);
    if (!whole) co_return wire::error_message(id, internal_error(whole.error().message()));
    co_return *std::move(whole);
}

}  // namespace gantry::mcp
