#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "base/json/scan.hpp"
#include "mcp/server/call.hpp"
#include "mcp/server/request_head.hpp"
#include "mcp/server/request_validation.hpp"

// The decisions about one POST, separate from carrying them out: pure functions of its header fields, the scanned
// message and a few counts. Everything that waits or looks something up (identity, body, session) is HttpEndpoint's.

namespace gantry::mcp {

/// Larger requests in flight share a byte budget; smaller ones are bounded by their number.
inline constexpr std::size_t kLargeRequest = 64u << 10;

/// Rejects a POST before its body is read: for its media type, or for the length it declares.
std::optional<Rejection> check_post_head(const RequestHead& head, std::optional<std::uint64_t> body_length,
                                         std::size_t max_body_bytes);
Rejection body_too_large();

/// What to do with the message of a POST.
struct PostDecision {
    enum class Action : std::uint8_t {
        kServeBatch,        // legacy only, like the next one
        kTakeResponse,      // answers a question that was sent to the client
        kTakeNotification,  // answered with 202
        kStartSession,      // initialize
        kListen,            // subscriptions/listen: the response is a stream of its own
        kServeRequest,      // answered by the backend, or by the endpoint in its place (see responder_of)
    };
    Action action;
    Era era = Era::kLegacy;
    /// Modern notifications and requests only.
    ModernClaim claim = {};
    /// The client accepts nothing but an event stream, so there is no reason to wait for the answer before opening it.
    bool stream_at_once = false;

    bool modern() const noexcept { return era == Era::kModern; }
    bool is_request() const noexcept { return action == Action::kServeRequest || action == Action::kListen; }
};

/// `method` is the message's, unescaped. A rejection is answered with the message's id, if it has a usable one.
std::expected<PostDecision, Rejection> decide_post(const RequestHead& head, const json::EnvelopeView& view,
                                                   std::string_view method, Eras eras);

/// What is in flight when a request arrives.
struct PostLoad {
    std::size_t calls = 0;        // of the same session, or of the same client if it has none
    bool id_in_flight = false;    // another request of the same session has this id
    std::size_t large_bytes = 0;  // of all large requests, see large_share()
};
std::optional<Rejection> check_load(const PostLoad& load, std::size_t body_bytes, std::size_t max_calls);
/// What a body counts towards the budget of large requests.
constexpr std::size_t large_share(std::size_t body_bytes) noexcept {
    return body_bytes > kLargeRequest ? body_bytes : 0;
}

/// Who answers a request.
enum class Responder : std::uint8_t { kBackend, kDiscovery, kHousekeeping };
Responder responder_of(const Call& call, Era era) noexcept;

/// How an answer is sent on a response that has not been turned into a stream.
enum class Delivery : std::uint8_t {
    kNothing,  // an empty stream: the request was cancelled
    kWhole,    // one body; a small one in the same write as its head
    kWholeSmall,
    kInParts,  // with headers of its own, in several pieces, or longer than memory
};
Delivery delivery_of(const Answer& answer, const RequestHead& head) noexcept;

}  // namespace gantry::mcp
