#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/approvals/approvals.hpp"
#include "io/http/server.hpp"

namespace gantry::gateway {

/// Receives deferred answers from the receiver of the approval webhook:
///
///     POST …/approvals/ID
///     Gantry-Signature: t=SECONDS,v1=HEX
///
///     {"id": "ID", "approved": true, "reason": "…"}
///
/// The signature is the only credential: a caller that may use tools gains nothing from that here, and neither does a
/// browser that was lured here. A replayed answer finds no open question. Answers 200; 400, 401, 404, 405, 413 or 503
/// with {"error": {"code", "message"}}. Belongs to one loop.
class AnswerEndpoint {
public:
    using Answer = std::function<Task<Result<void>>(std::string id, ApprovalAnswer answer)>;
    /// `answer` is Approvals::answer; `note` reports answers without a valid signature. Without a secret every request
    /// gets 404.
    AnswerEndpoint(std::string secret, Answer answer, std::function<void(std::string_view)> note = {})
        : secret_(std::move(secret)), answer_(std::move(answer)), note_(std::move(note)) {}

    /// Replaces or removes the secret, for answers received from now on.
    void set_secret(std::string secret) { secret_ = std::move(secret); }

    /// Handles a request to a path that ends with the question's id.
    Task<void> handle(const Context& ctx, http::Exchange& exchange);

private:
    Task<Result<Json>> take(const Context& ctx, http::Exchange& exchange);
    void tell_refused(std::string_view peer, const Error& error);

    std::string secret_;
    Answer answer_;
    std::function<void(std::string_view)> note_;
    TimePoint told_ = {};
    std::size_t untold_ = 0;
};

}  // namespace gantry::gateway
