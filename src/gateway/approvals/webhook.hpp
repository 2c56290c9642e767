#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "gateway/approvals/approvals.hpp"
#include "gateway/ports/observer.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {

/// Shows each question to a URL and takes its answer, both signed.
///
/// The question is a POST of JSON with `Gantry-Signature`. The receiver may keep the request until somebody has decided
/// and answer 200 with {"id": …, "approved": true, "reason": …} under a signature of its own; or send the same later by
/// itself (see AnswerEndpoint), where the question says `answerUrl`. Anything else leaves the question to the others.
/// Belongs to one loop.
class ApprovalWebhook final : public Observer {
public:
    using Answer = std::function<Task<Result<void>>(std::string id, ApprovalAnswer answer)>;
    /// `answer` is Approvals::answer; `note` hears of what went wrong.
    ApprovalWebhook(Loop& loop, ApprovalWebhookOptions options, Answer answer,
                    std::function<void(std::string_view)> note = {});

    void approval_requested(const ApprovalRequested& event) noexcept override;
    /// Gives up what is under way; required before destruction.
    Task<void> stop();

private:
    Task<void> ask(PendingApproval approval);
    Task<Result<ApprovalAnswer>> exchange(const Context& ctx, const PendingApproval& approval);

    ApprovalWebhookOptions options_;
    Answer answer_;
    std::function<void(std::string_view)> note_;
    net::EgressGuard guard_;
    http::Client http_;
    Scope scope_;
};

}  // namespace gantry::gateway
