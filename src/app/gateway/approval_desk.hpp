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

/// Where questions to people lie: the approvals with what they are kept in, and the webhook.
class ApprovalDesk {
public:
    /// `observers` and `note` outlive it; a webhook is told of questions through the former.
    ApprovalDesk(Loop& loop, gateway::Observers& observers, std::function<void(std::string_view)> note)
        : loop_(loop), observers_(observers), note_(std::move(note)) {}

    /// Takes up what is kept in the state folder; the webhook is shown what waits there.
    Result<void> open(const Config& config, const std::filesystem::path& state_dir);
    /// Not before open().
    gateway::Approvals& approvals() { return *approvals_; }
    /// Other rules and another webhook from now on; the webhook is shown what waits already.
    void configure(const Config& next);
    /// Where the receiver of a webhook answers later by itself.
    http::Handler answers();
    Task<void> stop();

private:
    /// Whoever is asked from now on can answer what waits already.
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
