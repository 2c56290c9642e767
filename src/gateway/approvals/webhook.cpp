#include "gateway/approvals/webhook.hpp"

#include <chrono>

#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/signed_answer.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kMaxAnswer = 64u << 10;

std::int64_t now_seconds() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

std::string body_of(const PendingApproval& approval, const std::string& answers) {
    auto arguments = Json::parse(approval.arguments);
    JsonObject body{{"id", approval.id},
                    {"server", approval.source},
                    {"tool", approval.tool},
                    {"principal", approval.principal},
                    {"requestId", approval.request_id},
                    {"arguments", arguments ? *std::move(arguments) : Json(JsonObject{})},
                    {"descriptor", approval.descriptor},
                    {"digest", approval.digest},
                    {"expiresMs", approval.expires_ms}};
    if (!answers.empty()) body.set("answerUrl", answers + "/" + approval.id);
    return Json(std::move(body)).dump();
}

}  // namespace

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
    auto taken = co_await answer_(approval.id, *std::move(answer));
    if (!taken && note_ && taken.error().code() != ErrorCode::kNotFound)
        note_("approval webhook: its answer could not be kept: " + taken.error().message());
}

Task<Result<ApprovalAnswer>> ApprovalWebhook::exchange(const Context& ctx, const PendingApproval& approval) {
    GANTRY_CO_TRY(Url url, Url::parse(options_.url));
    http::Request request{.method = "POST", .url = std::move(url)};
    request.body = body_of(approval, options_.answer_url);
    request.headers.set("Content-Type", "application/json");
    request.headers.set(std::string(kSignatureField), sign_webhook(options_.secret, request.body, now_seconds()));
    GANTRY_CO_TRY(auto response, co_await http_.send(ctx, std::move(request)));
    GANTRY_CO_TRY(const std::string body, co_await response.read_all(ctx, kMaxAnswer));
    if (response.status() / 100 != 2)
        co_return fail(ErrorCode::kProtocol, "it answered " + std::to_string(response.status()));
    // It took note; the answer comes by another way.
    if (response.status() != 200 || body.empty()) co_return fail(ErrorCode::kCancelled, "no answer yet");
    const auto signature = response.headers().get(kSignatureField).value_or(std::string_view());
    GANTRY_CO_TRY(SignedAnswer said, read_signed_answer(options_.secret, body, signature, now_seconds()));
    // An answer to another question, sent again, decides nothing.
    if (said.id != approval.id) co_return fail(ErrorCode::kProtocol, "its answer is about another question");
    co_return std::move(said.answer);
}

}  // namespace gantry::gateway
