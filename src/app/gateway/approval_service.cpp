#include "app/gateway/approval_service.hpp"

#include "app/gateway/part_options.hpp"
#include "base/try.hpp"

namespace gantry::app {
namespace {

/// Adds the URL for deferred answers, as the receiver sees it.
gateway::ApprovalWebhookOptions webhook_options(const Config& config) {
    gateway::ApprovalWebhookOptions webhook = config.approvals.webhook;
    if (webhook.answer_url.empty()) return webhook;
    if (webhook.answer_url.ends_with('/')) webhook.answer_url.pop_back();
    webhook.answer_url += config.path + "/approvals";
    return webhook;
}

/// Empty without a webhook: then there is no one to sign answers.
std::string answer_secret(const gateway::ApprovalWebhookOptions& webhook) {
    return webhook.url.empty() ? std::string() : webhook.secret;
}

}  // namespace

Result<void> ApprovalService::open(const Config& config, const std::filesystem::path& state_dir) {
    store_ = gateway::make_folder_approval_store(state_dir);
    approvals_.emplace(config.approvals,
                       gateway::ApprovalParts{.store = *store_, .observer = &observers_, .note = note_});
    const auto answer = [this](std::string id, gateway::ApprovalAnswer said) {
        return approvals_->answer(std::move(id), std::move(said));
    };
    webhook_.emplace(loop_, webhook_options(config), answer, note_);
    answers_.emplace(answer_secret(webhook_->options()), answer, note_);
    observers_.add(*webhook_);
    GANTRY_CHECK(approvals_->open());
    approvals_->follow();
    show_waiting();
    return {};
}

void ApprovalService::configure(const Config& next) {
    approvals_->configure(next.approvals);
    gateway::ApprovalWebhookOptions webhook = webhook_options(next);
    if (webhook == webhook_->options()) return;
    answers_->set_secret(answer_secret(webhook));
    webhook_->configure(std::move(webhook));
    show_waiting();
}

void ApprovalService::show_waiting() {
    for (const gateway::PendingApproval& waiting : approvals_->list())
        webhook_->approval_requested({.approval = waiting});
}

http::Handler ApprovalService::answers() {
    return [this](const Context& ctx, http::Exchange& exchange) { return answers_->handle(ctx, exchange); };
}

Task<void> ApprovalService::stop() {
    if (webhook_) co_await webhook_->stop();
    if (approvals_) co_await approvals_->stop();
}

}  // namespace gantry::app
