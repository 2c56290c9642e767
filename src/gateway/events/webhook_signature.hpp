#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/error.hpp"

namespace gantry::gateway::events {

/// Signs what a webhook sends, as the Standard Webhooks specification says: HMAC-SHA-256 over id, time and body. The
/// receiver checks it, and refuses what is older than some minutes.
class WebhookSigner {
public:
    /// "whsec_" and base64, or any text that is used as it is. kInvalidArgument when it is no base64 or too short.
    static Result<WebhookSigner> from(std::string_view secret);

    /// The value of the field "webhook-signature": "v1,…".
    std::string sign(std::string_view id, std::int64_t unix_seconds, std::string_view body) const;

private:
    explicit WebhookSigner(std::string key) : key_(std::move(key)) {}
    std::string key_;
};

}  // namespace gantry::gateway::events
