#pragma once

#include <functional>
#include <map>
#include <memory>
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
/// itself (see AnswerEndpoint), where the question says `answerUrl`. A receiver that cannot be reached or is in trouble
/// is asked again until somebody has answered or the question's time is over. Anything else leaves it to the others.
/// Belongs to one loop.
class ApprovalWebhook final : public Observer {
public:
    using Answer = std::function<Task<Result<void>>(std::string id, ApprovalAnswer answer)>;
    /// `answer` is Approvals::answer; `note` hears of what went wrong. Without a URL nobody is asked.
    ApprovalWebhook(Loop& loop, ApprovalWebhookOptions options, Answer answer,
                    std::function<void(std::string_view)> note = {});

    const ApprovalWebhookOptions& options() const noexcept { return *options_; }
    /// Another receiver for the questions that come from now on; what the one before was asked it may still answer.
    void configure(ApprovalWebhookOptions options);

    void approval_requested(const ApprovalRequested& event) noexcept override;
    void approval_answered(const ApprovalAnswered& event) noexcept override;
    /// Gives up what is under way; required before destruction.
    Task<void> stop();

private:
    using Options = std::shared_ptr<const ApprovalWebhookOptions>;

    Task<void> ask(Options receiver, PendingApproval approval);
    /// Tries until the receiver says something, or that it will not.
    Task<Result<ApprovalAnswer>> hear(const Context& ctx, const ApprovalWebhookOptions& receiver,
                                      const PendingApproval& approval);
    /// One try; a retryable error may be gone the next time.
    Task<Result<ApprovalAnswer>> exchange(const Context& ctx, const ApprovalWebhookOptions& receiver,
                                          const PendingApproval& approval);

    Options options_;
    Answer answer_;
    std::function<void(std::string_view)> note_;
    net::EgressGuard guard_;
    http::Client http_;
    std::multimap<std::string, CancelSource*, std::less<>> asking_;  // by question
    Scope scope_;
};

}  // namespace gantry::gateway
