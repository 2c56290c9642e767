#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "app/config/config.hpp"
#include "gateway/approvals/answer_endpoint.hpp"
#include "gateway/approvals/approvals.hpp"
#include "gateway/approvals/webhook.hpp"
#include "io/http/server.hpp"

namespace gantry::app {

/// Where questions to people lie: the approvals with what they are kept in, and the webhook where there is one.
class ApprovalDesk {
public:
    /// `observers` and `note` outlive it; a webhook is told of questions through the former.
    ApprovalDesk(Loop& loop, gateway::Observers& observers, std::function<void(std::string_view)> note)
        : loop_(loop), observers_(observers), note_(std::move(note)) {}

    /// Takes up what is kept in the state folder.
    Result<void> open(const Config& config, const std::filesystem::path& state_dir);
    /// Not before open().
    gateway::Approvals& approvals() { return *approvals_; }
    /// Where the receiver of a webhook answers later by itself; empty: nobody does.
    http::Handler answers();
    Task<void> stop();

private:
    void open_webhook(gateway::ApprovalWebhookOptions webhook, const std::string& path);

    Loop& loop_;
    gateway::Observers& observers_;
    std::function<void(std::string_view)> note_;
    std::unique_ptr<gateway::ApprovalStore> store_;
    std::optional<gateway::Approvals> approvals_;
    std::optional<gateway::ApprovalWebhook> webhook_;
    std::optional<gateway::AnswerEndpoint> answers_;
};

}  // namespace gantry::app
