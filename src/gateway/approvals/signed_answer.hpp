#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gateway/approvals/approvals.hpp"

// What goes between the gateway and the receiver of its approval webhook, both ways.

namespace gantry::gateway {

inline constexpr std::string_view kSignatureField = "Gantry-Signature";

/// `t=SECONDS,v1=HEX` of HMAC-SHA256 over "SECONDS.BODY": who has the secret wrote it, and when.
std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t seconds_since_1970);
/// Compares in constant time. kUnauthorized says what is missing: a signature, one with the secret, one made within
/// five minutes of `now`.
Result<void> check_signature(std::string_view secret, std::string_view body, std::string_view signature,
                             std::int64_t now);

struct SignedAnswer {
    std::string id;
    ApprovalAnswer answer;
};
/// {"id": …, "approved": true, "reason": …}. kUnauthorized as above, before anything is read; kInvalidArgument: it is
/// not an answer.
Result<SignedAnswer> read_signed_answer(std::string_view secret, std::string_view body, std::string_view signature,
                                        std::int64_t now);

}  // namespace gantry::gateway
