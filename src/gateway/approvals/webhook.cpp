#include "gateway/approvals/webhook.hpp"

#include <chrono>

#include "base/try.hpp"
#include "gantry/json.hpp"
#include "gateway/approvals/signed_answer.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kMaxAnswer = 64u << 10;
/// Retry back-off; doubles each time. Questions are short-lived, so the values are small.
constexpr Duration kFirstPause = milliseconds(500);
constexpr Duration kLongestPause = seconds(10);

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
    : options_(std::make_shared<const ApprovalWebhookOptions>(std::move(options))),
      answer_(std::move(answer)),
      note_(std::move(note)),
      guard_(net::EgressRules{}),
      // The receiver may hold the request until the question expires.
      http_(loop, guard_, {.head_timeout = std::chrono::hours(24)}),
      scope_(Context::background()) {}

void ApprovalWebhook::configure(ApprovalWebhookOptions options) {
    options_ = std::make_shared<const ApprovalWebhookOptions>(std::move(options));
}

void ApprovalWebhook::approval_requested(const ApprovalRequested& event) noexcept {
    if (!options_->url.empty()) scope_.spawn(ask(options_, event.approval));
}

void ApprovalWebhook::approval_answered(const ApprovalAnswered& event) noexcept {
    const auto [first, last] = asking_.equal_range(event.approval.id);
    for (auto asked = first; asked != last; ++asked) asked->second->cancel();
}

Task<void> ApprovalWebhook::stop() {
    scope_.cancel();
    co_await scope_.join();
    http_.close();
}

Task<void> ApprovalWebhook::ask(Options receiver, PendingApproval approval) {
    const auto left = milliseconds(std::max<std::int64_t>(0, approval.expires_ms - (now_seconds() * 1000)));
    CancelSource answered(scope_.context().cancel());
    const auto place = asking_.emplace(approval.id, &answered);
    auto answer = co_await hear(Context::background().stopped_by(answered).within(left), *receiver, approval);
    asking_.erase(place);
    if (!answer) {
        if (note_ && answer.error().code() != ErrorCode::kCancelled && answer.error().code() != ErrorCode::kTimeout)
            note_("approval webhook: " + answer.error().message());
        co_return;
    }
    // The question may have been answered elsewhere meanwhile.
    auto taken = co_await answer_(approval.id, *std::move(answer));
    if (!taken && note_ && taken.error().code() != ErrorCode::kNotFound)
        note_("approval webhook: its answer could not be stored: " + taken.error().message());
}

Task<Result<ApprovalAnswer>> ApprovalWebhook::hear(const Context& ctx, const ApprovalWebhookOptions& receiver,
                                                   const PendingApproval& approval) {
    for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        auto answer = co_await exchange(ctx, receiver, approval);
        if (answer || !answer.error().retryable()) co_return answer;
        GANTRY_CO_CHECK(ctx.check());
        if (note_ && pause == kFirstPause) note_("approval webhook: " + answer.error().message() + "; retrying");
        GANTRY_CO_CHECK(co_await sleep_for(ctx, pause));
    }
}

Task<Result<ApprovalAnswer>> ApprovalWebhook::exchange(const Context& ctx, const ApprovalWebhookOptions& receiver,
                                                       const PendingApproval& approval) {
    GANTRY_CO_TRY(Url url, Url::parse(receiver.url));
    http::Request request{.method = "POST", .url = std::move(url)};
    request.body = body_of(approval, receiver.answer_url);
    request.headers.set("Content-Type", "application/json");
    request.headers.set(std::string(kSignatureField), sign_webhook(receiver.secret, request.body, now_seconds()));
    auto response = co_await http_.send(ctx, std::move(request));
    if (!response) co_return fail(Error(response.error()).retryable(true));
    const auto body = co_await response->read_all(ctx, kMaxAnswer);
    if (!body) co_return fail(Error(body.error()).retryable(body.error().code() != ErrorCode::kLimit));
    const int status = response->status();
    if (status / 100 != 2) {
        co_return fail(Error(ErrorCode::kProtocol, "it answered " + std::to_string(status))
                           .retryable(status / 100 == 5 || status == 429));
    }
    // Acknowledged; the answer will arrive through another channel.
    if (status != 200 || body->empty()) co_return fail(ErrorCode::kCancelled, "no answer yet");
    const auto signature = response->headers().get(kSignatureField).value_or(std::string_view());
    GANTRY_CO_TRY(SignedAnswer said, read_signed_answer(receiver.secret, *body, signature, now_seconds()));
    // A replayed answer to another question must not decide this one.
    if (said.id != approval.id) co_return fail(ErrorCode::kProtocol, "its answer is about another question");
    co_return std::move(said.answer);
}

}  // namespace gantry::gateway
