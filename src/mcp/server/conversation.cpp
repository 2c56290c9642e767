#include "mcp/server/conversation.hpp"

#include "mcp/protocol/errors.hpp"
#include "mcp/server/greeting.hpp"
#include "mcp/server/housekeeping.hpp"
#include "mcp/server/listener.hpp"
#include "mcp/server/wire.hpp"

namespace gantry::mcp {

/// One received message. Not movable: the view refers to the text.
struct Conversation::Item {
    Item(std::string received, std::size_t* bytes_in_flight)
        : text(std::move(received)), bytes_in_flight(bytes_in_flight) {
        if (bytes_in_flight != nullptr) *bytes_in_flight += text.size();
    }
    ~Item() {
        if (bytes_in_flight != nullptr) *bytes_in_flight -= text.size();
    }
    Item(const Item&) = delete;
    Item& operator=(const Item&) = delete;

    const std::string text;
    std::size_t* const bytes_in_flight;
    json::EnvelopeView view;
    std::string method;
    std::string_view id;
};

class Conversation::LineSession final : public LegacySession {
public:
    LineSession(Backend& backend, PeerPtr peer, MessageSink& sink)
        : LegacySession(backend, std::move(peer)), sink_(sink) {}
    void tell(std::string message) override { (void)sink_.offer(message); }

private:
    MessageSink& sink_;
};

/// The reply line of one request.
class Conversation::Line final : public ReplyChannel {
public:
    Line(Conversation& owner, LegacySession* session) : owner_(owner), session_(session) {}

    bool notify(std::string message) override { return owner_.sink_.offer(message); }
    Task<Result<void>> room(const Context& ctx) override { return owner_.sink_.room(ctx); }
    bool can_ask() const noexcept override { return session_ != nullptr; }
    Task<Result<std::string>> ask(const Context& ctx, std::string_view method, std::string params) override {
        if (!can_ask()) co_return fail(ErrorCode::kUnsupported, "a modern client is asked by the answer");
        MessageSink& sink = owner_.sink_;
        co_return co_await session_->asks.ask(ctx, owner_.options_.ask_timeout, std::string(method), std::move(params),
                                              [&sink](std::string message) { sink.push(message); });
    }
    void hang_up(Duration) override {}

private:
    Conversation& owner_;
    LegacySession* session_;
};

Conversation::Conversation(const Context& ctx, Backend& backend, std::shared_ptr<const Identity> identity,
                           MessageSink& sink, Options options)
    : backend_(backend), identity_(std::move(identity)), sink_(sink), options_(std::move(options)), scope_(ctx) {}

Conversation::~Conversation() = default;

void Conversation::refuse(std::string_view raw_id, const RpcError& error) {
    sink_.push(wire::error_message(raw_id, error));
}

void Conversation::receive(std::string text) {
    auto item = std::make_unique<Item>(std::move(text), options_.bytes_in_flight);
    auto scanned = json::scan_envelope(item->text, options_.limits);
    if (!scanned) return refuse({}, parse_error(scanned.error().message()));
    item->view = *scanned;
    item->id = usable_id(item->view);
    const auto kind = shape_of(item->view);
    if (!kind) return refuse(item->id, kind.error().error);
    const auto era = era_of(item->view, *kind, nullptr, options_.eras);
    if (!era) return refuse(item->id, era.error().error);
    item->method = item->view.method.text().value_or("");
    switch (*kind) {
        case MessageKind::kRequest: return take_request(std::move(item), *era);
        case MessageKind::kNotification: return notified(*item, *era);
        case MessageKind::kResponse:
            if (session_) (void)session_->asks.answer(item->view);
            return;
        case MessageKind::kBatch:
            if (!session_ || session_->peer->revision != Revision::k2025_03_26) {
                return refuse({}, invalid_request("batches are not part of this revision"));
            }
            scope_.spawn(serve_batch(std::move(item)));
    }
}

void Conversation::notified(const Item& item, Era era) {
    if (item.method == method::kInitialized && greeting_) {
        scope_.spawn(begin_watch(scope_.context()));
        return;
    }
    // Cancellation is independent of the era: ids are unique among requests in flight on this line.
    PeerPtr peer = session_ ? session_->peer : nullptr;
    if (era == Era::kModern || !peer) {
        auto found = peers_.find(peers_.client(identity_), identity_, kLatestRevision, item.view.in_params.in_meta);
        if (!found) return;
        peer = *std::move(found);
    }
    take_notification(item.view, item.method, backend_, *peer, &calls_);
}

void Conversation::take_request(ItemPtr item, Era era) {
    if (calls_.find(item->id) != nullptr) {
        return refuse(item->id, invalid_request("a request with this id is in flight"));
    }
    if (calls_.size() >= options_.max_calls) return refuse(item->id, internal_error("too many requests in flight"));
    if (era == Era::kLegacy && item->method == method::kInitialize) {
        if (std::exchange(greeting_, true)) return refuse(item->id, invalid_request("already initialized"));
        greeted_.reset();
    } else if (era == Era::kLegacy && item->method != method::kPing && !greeting_) {
        return refuse(item->id, invalid_request("not initialized"));
    }
    scope_.spawn(serve(std::move(item), era));
}

std::expected<Call, Rejection> Conversation::call_of(const Item& item, Era era) {
    Call call{.peer = session_ ? session_->peer : nullptr, .text = item.text, .view = item.view, .method = item.method};
    if (era == Era::kModern) {
        const auto claim = validate_modern(item.view, item.method, MessageKind::kRequest, nullptr, options_.eras);
        if (!claim) return std::unexpected(claim.error());
        auto peer = peers_.find(peers_.client(identity_), identity_, claim->revision, item.view.in_params.in_meta);
        if (!peer) return std::unexpected(Rejection{.error = invalid_params(peer.error().message())});
        call.peer = *std::move(peer);
        call.info = claim->info;
        call.log_level = claim->log_level;
        return call;
    }
    if (!call.peer) {  // before initialize
        call.peer = std::make_shared<const Peer>(Peer{.revision = kLatestLegacyRevision, .identity = identity_});
    } else {
        call.log_level = session_->level;
    }
    call.info = find_method(item.method, call.peer->revision);
    return call;
}

Task<void> Conversation::serve(ItemPtr item, Era era) {
    InFlight flight{.id = item->id, .stop = CancelSource(scope_.context().cancel())};
    flight.may_cancel = era == Era::kModern || item->method != method::kInitialize;
    const Listed listed(calls_, flight);
    const Context ctx = scope_.context().stopped_by(flight.stop);
    const bool greets = era == Era::kLegacy && item->method == method::kInitialize;
    if (era == Era::kLegacy && !greets && item->method != method::kPing) {
        // A client may send more before it has the answer to initialize; that answer goes out first.
        if (!co_await greeted_.wait(ctx)) co_return changed_.pulse();
        if (!session_) co_return refuse(item->id, invalid_request("not initialized"));
    }
    const auto call = call_of(*item, era);
    if (!call) {
        refuse(item->id, call.error().error);
    } else if (era == Era::kModern && call->method == method::kListen) {
        co_await listen(ctx, *call);
    } else {
        Answer given = co_await answer(ctx, *call, era);
        if (!flight.cancelled && !given.message.empty()) {
            co_await sink_.answer(scope_.context(), item->id, std::move(given));
        }
    }
    if (greets) greeted_.set();
    changed_.pulse();
}

Task<Answer> Conversation::answer(const Context& ctx, const Call& call, Era era) {
    if (era == Era::kModern) {
        if (call.method == method::kDiscover) {
            const auto profile = co_await backend_.profile(ctx, *call.peer);
            const std::string result = discover_result(*profile, options_.eras, true);
            co_return Answer::result(call, std::string_view(result));
        }
        Line line(*this, nullptr);
        co_return co_await backend_.answer(ctx, call, line);
    }
    if (call.method == method::kInitialize) co_return co_await greet(ctx, call);
    if (is_housekeeping(call)) co_return co_await keep_house(ctx, call, backend_, session_.get());
    Line line(*this, session_.get());
    co_return co_await backend_.answer(ctx, call, line);
}

Task<Answer> Conversation::greet(const Context& ctx, const Call& call) {
    const auto said = read_introduction(call);
    if (!said) {
        greeting_ = false;
        co_return Answer::failure(call, said.error());
    }
    auto peer = read_peer(said->revision, said->capabilities, said->info);
    if (!peer) {
        greeting_ = false;
        co_return Answer::failure(call, invalid_params(peer.error().message()));
    }
    peer->identity = identity_;
    peer->session = options_.session;
    const auto known = std::make_shared<const Peer>(*std::move(peer));
    const auto profile = co_await backend_.profile(ctx, *known);
    session_ = std::make_unique<LineSession>(backend_, known, sink_);
    const std::string result = initialize_result(*profile, known->revision, true);
    co_return Answer::result(call, std::string_view(result));
}

Task<void> Conversation::begin_watch(Context ctx) {
    if (!co_await greeted_.wait(ctx) || !session_) co_return;
    (void)co_await session_->watch(ctx);
}

Task<void> Conversation::listen(const Context& ctx, const Call& call) {
    auto wanted = read_interest(call);
    if (!wanted) co_return refuse(call.id(), wanted.error());
    MessageSink& sink = sink_;
    ListenLine listener(std::string(call.id()), [&sink](const std::string& message) { (void)sink.offer(message); });
    const auto opened = co_await listener.open(ctx, backend_, call.peer, *std::move(wanted));
    if (!opened) co_return refuse(call.id(), opened.error());
    // Cancelled: no result is sent.
    if (!co_await draining_.wait(ctx)) co_return;
    const auto profile = co_await backend_.profile(ctx, *call.peer);
    sink_.push(ListenLine::farewell(call.id(), profile->self));
}

Task<void> Conversation::serve_batch(ItemPtr item) {
    const auto parsed = Json::parse(item->text, options_.limits);
    const JsonArray* messages = parsed ? parsed->if_array() : nullptr;
    if (messages == nullptr || messages->empty()) co_return refuse({}, invalid_request("an empty batch"));
    // A line allows responses one by one, so each message is handled like a single one.
    for (const Json& message : *messages) {
        // Rejections are pushed unconditionally: a batch of them must not pile up for a client that does not read.
        if (!co_await sink_.room(scope_.context())) co_return;
        const bool nested = !message.is_object();
        if (nested || message.string_at("method") == method::kInitialize) {
            refuse({}, invalid_request("not a message of a batch"));
        } else {
            receive(message.dump());
        }
    }
}

Task<void> Conversation::finish(Duration grace) {
    draining_.set();
    const Context waiting = Context::background().within(grace);
    while (!calls_.empty() && co_await changed_.wait(waiting)) {}
    if (session_) session_->end();
    scope_.cancel();
    co_await scope_.join();
    if (session_) backend_.session_ended(*session_->peer);
}

}  // namespace gantry::mcp
