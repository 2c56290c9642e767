#include "app/gateway/approval_desk.hpp"

#include "app/gateway/part_options.hpp"
#include "base/try.hpp"

namespace gantry::app {

Result<void> ApprovalDesk::open(const Config& config, const std::filesystem::path& state_dir) {
    store_ = gateway::make_folder_approval_store(state_dir);
    approvals_.emplace(
        approval_options(config),
        gateway::ApprovalParts{.store = *store_, .observer = &observers_, .groups = config.groups, .note = note_});
    if (!config.approvals.webhook.url.empty()) open_webhook(config.approvals.webhook, config.path);
    GANTRY_CHECK(approvals_->open());
    approvals_->follow();
    return {};
}

void ApprovalDesk::open_webhook(gateway::ApprovalWebhookOptions webhook, const std::string& path) {
    if (!webhook.answer_url.empty()) {
        if (webhook.answer_url.ends_with('/')) webhook.answer_url.pop_back();
        webhook.answer_url += path + "/approvals";
    }
    const auto answer = [this](std::string id, gateway::ApprovalAnswer said) {
        return approvals_->answer(std::move(id), std::move(said));
    };
    answers_.emplace(webhook.secret, answer, note_);
    webhook_.emplace(loop_, std::move(webhook), answer, note_);
    observers_.add(*webhook_);
}

http::Handler ApprovalDesk::answers() {
    if (!answers_) return {};
    return [this](const Context& ctx, http::Exchange& exchange) { return answers_->handle(ctx, exchange); };
}

Task<void> ApprovalDesk::stop() {
    if (webhook_) co_await webhook_->stop();
    if (approvals_) co_await approvals_->stop();
}

}  // namespace gantry::app
