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

/// Posts each question to a URL and takes its answer, both signed.
///
/// The question is a POST of JSON with `Gantry-Signature`. The receiver may hold the request until a person has decided
/// and answer 200 with {"id": …, "approved": true, "reason": …} under a signature of its own; or, where the question
/// carries `answerUrl`, send the same later on its own (see AnswerEndpoint). A receiver that is unreachable or failing
/// is retried until the question is answered or expires. Any other response leaves the question to the other channels.
/// Belongs to one loop.
class ApprovalWebhook final : public Observer {
public:
    using Answer = std::function<Task<Result<void>>(std::string id, ApprovalAnswer answer)>;
    /// `answer` is Approvals::answer; `note` reports failures. Without a URL the webhook is off.
    ApprovalWebhook(Loop& loop, ApprovalWebhookOptions options, Answer answer,
                    std::function<void(std::string_view)> note = {});

    const ApprovalWebhookOptions& options() const noexcept { return *options_; }
    /// Replaces the receiver for questions from now on; the previous one may still answer what it was asked.
    void configure(ApprovalWebhookOptions options);

    void approval_requested(const ApprovalRequested& event) noexcept override;
    void approval_answered(const ApprovalAnswered& event) noexcept override;
    /// Cancels requests in flight; required before destruction.
    Task<void> stop();

private:
    using Options = std::shared_ptr<const ApprovalWebhookOptions>;

    Task<void> ask(Options receiver, PendingApproval approval);
    /// Retries until the receiver answers or declines.
    Task<Result<ApprovalAnswer>> hear(const Context& ctx, const ApprovalWebhookOptions& receiver,
                                      const PendingApproval& approval);
    /// One attempt; a retryable error may be temporary.
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
