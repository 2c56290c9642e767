#include "gateway/approvals/webhook.hpp"

#include <array>
#include <charconv>
#include <chrono>

#include "auth/jose/digest.hpp"
#include "base/try.hpp"
#include "gantry/json.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kBlock = 64;  // of SHA-256
constexpr std::int64_t kTolerance = 300;
constexpr std::size_t kMaxAnswer = 64u << 10;
constexpr std::string_view kField = "Gantry-Signature";

std::string hmac_sha256(std::string_view secret, std::string_view text) {
    std::string key = secret.size() > kBlock ? jose::sha256(secret) : std::string(secret);
    key.resize(kBlock, '\0');
    std::string inner = key;
    std::string outer = key;
    for (char& c : inner) c = static_cast<char>(c ^ 0x36);
    for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
    inner.append(text);
    return jose::sha256(outer + jose::sha256(inner));
}

std::string hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

std::int64_t now_seconds() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

std::string body_of(const PendingApproval& approval) {
    auto arguments = Json::parse(approval.arguments);
    return Json(JsonObject{{"id", approval.id},
                           {"server", approval.source},
                           {"tool", approval.tool},
                           {"principal", approval.principal},
                           {"requestId", approval.request_id},
                           {"arguments", arguments ? *std::move(arguments) : Json(JsonObject{})},
                           {"descriptor", approval.descriptor},
                           {"digest", approval.digest},
                           {"expiresMs", approval.expires_ms}})
        .dump();
}

/// Only about this question: an answer to another one, sent again, decides nothing.
Result<ApprovalAnswer> read_answer(const std::string& body, const std::string& id) {
    GANTRY_TRY(const Json json, Json::parse(body));
    const Json* approved = json.find("approved");
    if (json.string_at("id") != id || approved == nullptr || !approved->is_bool())
        return fail(ErrorCode::kProtocol, "its answer is not about this question");
    return ApprovalAnswer{.approved = *approved == Json(true),
                          .channel = AnswerChannel::kWebhook,
                          .who = "webhook",
                          .reason = std::string(json.string_at("reason"))};
}

}  // namespace

std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t seconds_since_1970) {
    const std::string at = std::to_string(seconds_since_1970);
    return "t=" + at + ",v1=" + hex(hmac_sha256(secret, at + "." + std::string(body)));
}

bool is_signed(std::string_view secret, std::string_view body, std::string_view signature, std::int64_t now) {
    if (secret.empty() || !signature.starts_with("t=")) return false;
    std::int64_t at = 0;
    const auto [end, fault] = std::from_chars(signature.data() + 2, signature.data() + signature.size(), at);
    if (fault != std::errc() || at < now - kTolerance || at > now + kTolerance) return false;
    return jose::equal_constant_time(signature, sign_webhook(secret, body, at));
}

ApprovalWebhook::ApprovalWebhook(Loop& loop, ApprovalWebhookOptions options, Answer answer,
                                 std::function<void(std::string_view)> note)
    : options_(std::move(options)),
      answer_(std::move(answer)),
      note_(std::move(note)),
      guard_(net::EgressRules{}),
      // The receiver may think for as long as the question stands.
      http_(loop, guard_, {.head_timeout = std::chrono::hours(24)}),
      scope_(Context::background()) {}

void ApprovalWebhook::approval_requested(const ApprovalRequested& event) noexcept {
    scope_.spawn(ask(event.approval));
}

Task<void> ApprovalWebhook::stop() {
    scope_.cancel();
    co_await scope_.join();
    http_.close();
}

Task<void> ApprovalWebhook::ask(PendingApproval approval) {
    const auto left = milliseconds(std::max<std::int64_t>(0, approval.expires_ms - (now_seconds() * 1000)));
    auto answer = co_await exchange(scope_.context().within(left), approval);
    if (!answer) {
        if (note_ && answer.error().code() != ErrorCode::kCancelled && answer.error().code() != ErrorCode::kTimeout)
            note_("approval webhook: " + answer.error().message());
        co_return;
    }
    // Somebody else may have been faster.
    auto taken = answer_(approval.id, *answer);
    static_cast<void>(taken);
}

Task<Result<ApprovalAnswer>> ApprovalWebhook::exchange(const Context& ctx, const PendingApproval& approval) {
    GANTRY_CO_TRY(Url url, Url::parse(options_.url));
    http::Request request{.method = "POST", .url = std::move(url)};
    request.body = body_of(approval);
    request.headers.set("Content-Type", "application/json");
    request.headers.set(std::string(kField), sign_webhook(options_.secret, request.body, now_seconds()));
    GANTRY_CO_TRY(auto response, co_await http_.send(ctx, std::move(request)));
    GANTRY_CO_TRY(const std::string body, co_await response.read_all(ctx, kMaxAnswer));
    if (response.status() / 100 != 2)
        co_return fail(ErrorCode::kProtocol, "it answered " + std::to_string(response.status()));
    // It took note; the answer comes by another way.
    if (response.status() != 200 || body.empty()) co_return fail(ErrorCode::kCancelled, "no answer yet");
    const auto signature = response.headers().get(kField).value_or(std::string_view());
    if (!is_signed(options_.secret, body, signature, now_seconds()))
        co_return fail(ErrorCode::kUnauthorized, "its answer is not signed with the secret");
    co_return read_answer(body, approval.id);
}

}  // namespace gantry::gateway
