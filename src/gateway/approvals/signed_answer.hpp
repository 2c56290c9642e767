#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/approvals/approvals.hpp"

// The messages between the gateway and the receiver of its approval webhook, in both directions.

namespace gantry::gateway {

inline constexpr std::string_view kSignatureField = "Gantry-Signature";

/// `t=SECONDS,v1=HEX`, HMAC-SHA256 over "SECONDS.BODY": proves knowledge of the secret and the time of signing.
std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t seconds_since_1970);
/// Compares in constant time. kUnauthorized says what is missing: a signature, one made with the secret, or one made
/// within five minutes of `now`.
Result<void> check_signature(std::string_view secret, std::string_view body, std::string_view signature,
                             std::int64_t now);

struct SignedAnswer {
    std::string id;
    ApprovalAnswer answer;
};
/// {"id": …, "approved": true, "reason": …}. kUnauthorized as above, before the body is parsed; kInvalidArgument: not
/// an answer.
Result<SignedAnswer> read_signed_answer(std::string_view secret, std::string_view body, std::string_view signature,
                                        std::int64_t now);

}  // namespace gantry::gateway
