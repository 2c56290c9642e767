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

/// Wires up approvals: the store, the service and the webhook.
class ApprovalService {
public:
    /// `observers` and `note` must outlive it; the webhook is notified of questions through the former.
    ApprovalService(Loop& loop, gateway::Observers& observers, std::function<void(std::string_view)> note)
        : loop_(loop), observers_(observers), note_(std::move(note)) {}

    /// Loads the questions stored in the state folder; the webhook is sent those that are pending.
    Result<void> open(const Config& config, const std::filesystem::path& state_dir);
    /// Requires open().
    gateway::Approvals& approvals() { return *approvals_; }
    /// Applies new rules and another webhook from now on; the webhook is sent the questions already pending.
    void configure(const Config& next);
    /// Handler for deferred answers from the receiver of the webhook.
    http::Handler answers();
    Task<void> stop();

private:
    /// Sends pending questions to the current webhook, so that it can answer them.
    void show_waiting();

    Loop& loop_;
    gateway::Observers& observers_;
    std::function<void(std::string_view)> note_;
    std::unique_ptr<gateway::ApprovalStore> store_;
    std::optional<gateway::Approvals> approvals_;
    std::optional<gateway::ApprovalWebhook> webhook_;
    std::optional<gateway::AnswerEndpoint> answers_;
};

}  // namespace gantry::app
