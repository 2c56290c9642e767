#include "mcp/server/post_decision.hpp"

#include "mcp/protocol/errors.hpp"
#include "mcp/server/housekeeping.hpp"
#include "mcp/server/media_type.hpp"

namespace gantry::mcp {
namespace {

/// Smaller answers are copied after their head, larger ones sent as separate pieces.
constexpr std::size_t kSmallAnswer = 4096;
constexpr std::size_t kMaxLargeBytes = 64u << 20;

Rejection too_many() {
    return {.status = 200, .error = internal_error("too many requests in flight")};
}

}  // namespace

Rejection body_too_large() {
    return {.status = 413, .error = invalid_request("the message is too large")};
}

std::optional<Rejection> check_post_head(const RequestHead& head, std::optional<std::uint64_t> body_length,
                                         std::size_t max_body_bytes) {
    if (!is_json_type(head.content_type.value)) {
        return Rejection{.status = 415, .error = invalid_request("Content-Type is not application/json")};
    }
    if (body_length.value_or(0) > max_body_bytes) return body_too_large();
    return std::nullopt;
}

std::expected<PostDecision, Rejection> decide_post(const RequestHead& head, const json::EnvelopeView& view,
                                                   std::string_view method, Eras eras) {
    using Action = PostDecision::Action;
    const auto kind = shape_of(view);
    if (!kind) return std::unexpected(kind.error());
    const auto era = era_of(view, *kind, &head, eras);
    if (!era) return std::unexpected(era.error());
    if (*kind == MessageKind::kBatch) return PostDecision{.action = Action::kServeBatch};
    if (*kind == MessageKind::kResponse) return PostDecision{.action = Action::kTakeResponse};

    const bool request = *kind == MessageKind::kRequest;
    if (*era == Era::kModern) {
        auto claim = validate_modern(view, method, *kind, &head, eras);
        if (!claim) return std::unexpected(std::move(claim).error());
        const Action action = !request                    ? Action::kTakeNotification
                              : method == method::kListen ? Action::kListen
                                                          : Action::kServeRequest;
        return PostDecision{.action = action, .era = Era::kModern, .claim = *claim};
    }
    if (!request) return PostDecision{.action = Action::kTakeNotification};
    const bool takes_json = accepts(head.accept.value, "application/json");
    if (!takes_json && !accepts(head.accept.value, "text/event-stream")) {
        return std::unexpected(Rejection{.status = 406, .error = invalid_request("no acceptable form of answer")});
    }
    return PostDecision{.action = method == method::kInitialize ? Action::kStartSession : Action::kServeRequest,
                        .stream_at_once = !takes_json};
}

std::optional<Rejection> check_load(const PostLoad& load, std::size_t body_bytes, std::size_t max_calls) {
    if (load.id_in_flight) {
        return Rejection{.status = 400, .error = invalid_request("a request with this id is in flight")};
    }
    if (load.calls >= max_calls) return too_many();
    // A request larger than the whole budget is admitted if no other is in flight.
    const std::size_t large = large_share(body_bytes);
    if (large != 0 && load.large_bytes != 0 && load.large_bytes + large > kMaxLargeBytes) return too_many();
    return std::nullopt;
}

Responder responder_of(const Call& call, Era era) noexcept {
    if (era == Era::kModern) return call.method == method::kDiscover ? Responder::kDiscovery : Responder::kBackend;
    return is_housekeeping(call) ? Responder::kHousekeeping : Responder::kBackend;
}

Delivery delivery_of(const Answer& answer, const RequestHead& head) noexcept {
    if (answer.message.empty()) return Delivery::kNothing;
    if (answer.rest || answer.shared_result || head.origin) return Delivery::kInParts;
    return answer.message.size() > kSmallAnswer ? Delivery::kWhole : Delivery::kWholeSmall;
}

}  // namespace gantry::mcp
