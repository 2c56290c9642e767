#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::gateway::events {

/// Signs webhook deliveries as the Standard Webhooks specification requires: HMAC-SHA-256 over id, time and body.
/// Receivers verify it and reject deliveries that are more than a few minutes old.
class WebhookSigner {
public:
    /// "whsec_" and base64, or any text, used as it is. kInvalidArgument when the base64 is invalid or the key too
    /// short.
    static Result<WebhookSigner> from(std::string_view secret);

    /// The value of the header field "webhook-signature": "v1,…".
    std::string sign(std::string_view id, std::int64_t unix_seconds, std::string_view body) const;

private:
    explicit WebhookSigner(std::string key) : key_(std::move(key)) {}
    std::string key_;
};

}  // namespace gantry::gateway::events
