// Rpc's relayed requests, over a connection shared by all of them.

#include <algorithm>

#include "base/json/splice.hpp"
#include "base/try.hpp"
#include "mcp/client/relay.hpp"
#include "mcp/client/relay_file.hpp"
#include "mcp/client/relay_party.hpp"
#include "mcp/client/relay_stream.hpp"
#include "mcp/client/rpc_pending.hpp"
#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/method.hpp"
#include "mcp/transport/server_text.hpp"

namespace gantry::mcp {
namespace {

/// Larger requests or notifications of the server are dropped: only results may be large.
constexpr std::size_t kMaxUnsolicited = 16u << 20;

/// The id of a message that was not held; empty if it has none or an invalid one.
std::optional<RequestId> passed_id(const json::PassedEnvelope& envelope) {
    if (!envelope.id || !envelope.id->extent.end || envelope.id->too_long) return std::nullopt;
    return read_request_id(json::Span(envelope.id->raw));
}

template <class Test>
RelayParty* sole(const std::vector<RelayParty*>& parties, Test test) {
    RelayParty* found = nullptr;
    for (RelayParty* party : parties) {
        if (!test(*party)) continue;
        if (found != nullptr) return nullptr;
        found = party;
    }
    return found;
}

/// The party of a request in the table of pending requests.
class PipeRelay final : public RelayParty {
public:
    PipeRelay(Rpc& rpc, const Context& ctx, const RelayRequest& request, std::int64_t id, bool legacy,
              std::function<void()> revive)
        : RelayParty(rpc, ctx, request, id, legacy), revive_(std::move(revive)) {
        rpc.register_request(*this);
    }
    ~PipeRelay() { rpc().unregister_request(*this); }

private:
    void revived() override { revive_(); }
    void serving(bool begins) override { rpc().serve(begins); }

    std::function<void()> revive_;
};

}  // namespace

Task<Result<void>> Rpc::relay(const Context& ctx, const RelayRequest& request, std::int64_t id, std::string text,
                              RelayAnswer& out) {
    if (end_) co_return fail(*end_);
    GANTRY_CO_CHECK(ctx.check());
    prefer_raw(request.hold_bytes);

    auto pending = std::make_shared<Pending>();
    pending->id = RequestId(id);
    pending->method = request.method;
    pending->relayed = true;
    pending->alive_since = pending->started = SteadyClock::now();
    pending_.emplace(pending->id, pending);

    json::make_one_line(text);
    Outgoing outgoing{.message = RequestMessage{pending->id, pending->method, {}},
                      .failure = &pending->failure,
                      .on_login = [pending](bool waiting) { pending->hold(waiting); },
                      .text = std::move(text)};
    PipeRelay party(*this, ctx, request, id, !is_modern(out.revision), [entry = pending.get()] { entry->revive(); });
    scope_.spawn(send(pending, std::move(outgoing), scope_.context()));
    auto waited = co_await wait_for_answer(ctx, *pending, request.times);
    pending_.erase(pending->id);
    if (party.has_work()) co_await party.leave();
    if (pending->outcome) co_return hand_over(*pending, request, out);

    const bool late = waited.error().code() == ErrorCode::kTimeout;
    if (pending->sent) abandon(id, late ? "the client's time limit passed" : "the client no longer waits");
    co_return fail(waited.error().within(request.method));
}

void Rpc::prefer_raw(std::size_t hold_bytes) {
    if (raw_beyond_ == hold_bytes) return;
    raw_beyond_ = hold_bytes;
    connection_->prefer_raw(hold_bytes);
}

/// The answer as received, or encoded again if it was delivered as a tree.
Result<void> Rpc::hand_over(Pending& pending, const RelayRequest& request, RelayAnswer& out) {
    if (!*pending.outcome) {
        Error error = std::move(*pending.outcome).error();
        if (!pending.oversized) return fail(std::move(error));
        return fail(result_too_large(request.max_result_bytes).caused_by(std::move(error)));
    }
    if (pending.spooled) {
        GANTRY_TRY(out.stream, stream_file(std::move(pending.spooled), request.max_result_bytes));
        return {};
    }
    if (!pending.raw) {
        const ResponseMessage answer{.id = pending.id, .outcome = **std::move(pending.outcome)};
        GANTRY_TRY(auto raw, RawMessage::read(encode_message(answer)));
        pending.raw = std::make_unique<RawMessage>(std::move(raw));
    }
    if (auto error = pending.raw->error()) return fail(to_error(*std::move(error), request.method));
    if (pending.raw->view().result.raw().size() > request.max_result_bytes) {
        return fail(result_too_large(request.max_result_bytes));
    }
    out.message = std::move(*pending.raw);
    return {};
}

void Rpc::register_request(RelayParty& party) {
    parties_.push_back(&party);
}

void Rpc::unregister_request(RelayParty& party) noexcept {
    const auto found = std::ranges::find(parties_, &party);
    if (found == parties_.end()) return;
    *found = parties_.back();
    parties_.pop_back();
}

Task<Result<void>> Rpc::reply(const Context& ctx, RequestId id, std::string text) {
    auto written = co_await connection_->write(
        ctx, Outgoing{.message = ResponseMessage{.id = std::move(id), .outcome = Json()}, .text = std::move(text)});
    if (!written) end_if_stalled(written.error());
    co_return written;
}

void Rpc::hear(const RawMessage& note) {
    auto message = note.decode();
    if (!message) return report_anomaly(message.error().message());
    if (auto* notification = std::get_if<NotificationMessage>(&*message)) {
        on_notification(std::move(*notification), std::nullopt);
    }
}

void Rpc::abandon(std::int64_t id, std::string reason) {
    if (end_ || closing_) return;
    scope_.spawn(give_up(RequestId(id), std::move(reason), true));
}

void Rpc::dispatch_raw(Incoming incoming) {
    if (take_answer(incoming) || offer(*incoming.raw)) return;
    auto message = incoming.raw->decode();
    if (!message) return report_anomaly(message.error().message());
    incoming.message = *std::move(message);
    incoming.raw.reset();
    dispatch_tree(std::move(incoming));
}

/// True if it is the answer to a relayed request.
bool Rpc::take_answer(Incoming& incoming) {
    if (!incoming.raw->is_response()) return false;
    const auto id = incoming.raw->id();
    Pending* pending = id ? find(*id) : incoming.on_stream_of ? find(*incoming.on_stream_of) : nullptr;
    if (!id && !incoming.on_stream_of && pending_.size() == 1) pending = pending_.begin()->second.get();
    if (pending == nullptr || !pending->relayed || pending->outcome) return false;
    pending->raw = std::move(incoming.raw);
    pending->settle(Json());
    return true;
}

/// Passes a message to the relayed request it concerns; false: there is none. Consumes `message` only if true.
bool Rpc::offer(RawMessage& message) {
    if (parties_.empty() || message.is_response()) return false;
    if (message.is_notification()) return offer_note(message);
    if (message.view().method.is(method::kPing)) return false;
    RelayParty* party = sole(parties_, [](const RelayParty& one) { return one.can_be_asked(); });
    if (party == nullptr) return false;
    party->on_request(std::move(message));
    return true;
}

bool Rpc::offer_note(const RawMessage& note) {
    const json::Span& method = note.view().method;
    RelayParty* party = nullptr;
    if (method.is(method::kProgress)) {
        const json::Span& token = note.view().in_params.progress_token;
        party = sole(parties_, [&](const RelayParty& one) { return spells(token, one.id()); });
        if (party != nullptr) party->on_progress(note);
    } else if (method.is(method::kMessage)) {
        party = sole(parties_, [](const RelayParty& one) { return one.hears_logs(); });
        if (party != nullptr) party->on_log(note);
    } else if (method.is(method::kCancelled)) {
        const auto cancels = [&](RelayParty* one) { return one->on_cancelled(note); };
        return std::ranges::any_of(parties_, cancels);
    }
    return party != nullptr;
}

/// An unusable large message: the request it was meant to answer fails.
void Rpc::on_spool_fault(const SpooledMessage& spooled) {
    const json::PassedEnvelope& envelope = spooled.envelope();
    const json::EnvelopeSalvage* salvage = spooled.salvage();
    const bool is_answer =
        (!envelope.method && (envelope.result || envelope.error)) || (salvage && salvage->is_answer());
    if (!is_answer) return report_anomaly(spooled.fault()->message());
    auto id = passed_id(envelope);
    if (!id && salvage) id = salvaged_id(*salvage);
    Pending* pending = id ? find(*id) : pending_.size() == 1 ? pending_.begin()->second.get() : nullptr;
    if (pending == nullptr) return report_anomaly(spooled.fault()->message());
    pending->oversized = spooled.oversized();
    pending->settle(fail(salvage ? unreadable(*spooled.fault()) : *spooled.fault()));
}

/// A message too large to hold. Any fault is reported to the one request it concerns.
void Rpc::dispatch_spooled(Incoming incoming) {
    SpooledMessage& spooled = *incoming.spooled;
    if (spooled.fault()) return on_spool_fault(spooled);
    const json::PassedEnvelope& envelope = spooled.envelope();
    const auto id = envelope.method ? std::nullopt : passed_id(envelope);
    Pending* pending = id ? find(*id) : nullptr;
    if (envelope.method && spooled.size() > kMaxUnsolicited) {
        return report_anomaly("a request or notification of " + std::to_string(spooled.size()) + " bytes");
    }
    if (pending != nullptr && pending->relayed && !pending->outcome && envelope.result) {
        pending->spooled = std::move(incoming.spooled);
        return pending->settle(Json());
    }
    auto text = spooled.load();
    auto raw = text ? RawMessage::read(*std::move(text), {.max_bytes = spooled.size()}) : fail(text.error());
    if (!raw) return pending != nullptr ? pending->settle(fail(raw.error())) : report_anomaly(raw.error().message());
    dispatch_raw(
        Incoming{.message = {}, .bytes = spooled.size(), .raw = std::make_unique<RawMessage>(*std::move(raw))});
}

}  // namespace gantry::mcp
