#include "gateway/approvals/signed_answer.hpp"

#include <charconv>

#include "base/crypto/digest.hpp"
#include "base/crypto/sha256.hpp"
#include "base/hex.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/approval_text.hpp"

namespace gantry::gateway {
namespace {

constexpr std::int64_t kTolerance = 300;

std::unexpected<Error> unauthorized(std::string message) {
    return fail(ErrorCode::kUnauthorized, std::move(message));
}

}  // namespace

std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t seconds_since_1970) {
    const std::string at = std::to_string(seconds_since_1970);
    return "t=" + at + ",v1=" + to_hex(crypto::hmac_sha256(secret, at + "." + std::string(body)));
}

Result<void> check_signature(std::string_view secret, std::string_view body, std::string_view signature,
                             std::int64_t now) {
    if (secret.empty()) return unauthorized("there is no secret to sign with");
    if (signature.empty()) return unauthorized("the answer is not signed: Gantry-Signature is missing");
    std::int64_t at = 0;
    const char* const end = signature.data() + signature.size();
    const bool timed = signature.starts_with("t=");
    const auto [stop, fault] = std::from_chars(signature.data() + (timed ? 2 : 0), end, at);
    if (!timed || fault != std::errc() || !std::string_view(stop, end).starts_with(",v1="))
        return unauthorized("Gantry-Signature is not of the form t=SECONDS,v1=HEX");
    // The signature first: without the secret, a sender learns nothing else. The timestamp is trusted only after that.
    if (!crypto::equal_constant_time(signature, sign_webhook(secret, body, at)))
        return unauthorized("Gantry-Signature was not made with the secret for this body");
    if (at < now - kTolerance || at > now + kTolerance)
        return unauthorized(
            "Gantry-Signature was made more than five minutes from now; sign again, and compare clocks");
    return {};
}

Result<SignedAnswer> read_signed_answer(std::string_view secret, std::string_view body, std::string_view signature,
                                        std::int64_t now) {
    GANTRY_CHECK(check_signature(secret, body, signature, now));
    const auto json = Json::parse(body);
    if (!json || !json->is_object()) return fail(ErrorCode::kInvalidArgument, "the answer is not a JSON object");
    const Json* approved = json->find("approved");
    if (approved == nullptr || !approved->is_bool())
        return fail(ErrorCode::kInvalidArgument, "the answer needs \"approved\": true or false");
    const std::string_view id = json->string_at("id");
    if (!is_approval_id(id)) return fail(ErrorCode::kInvalidArgument, "the answer needs the \"id\" of the question");
    return SignedAnswer{.id = std::string(id),
                        .answer = {.approved = *approved->if_bool(),
                                   .channel = AnswerChannel::kWebhook,
                                   .who = "webhook",
                                   .reason = std::string(json->string_at("reason"))}};
}

}  // namespace gantry::gateway
