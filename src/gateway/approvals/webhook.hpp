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

/// `t=SECONDS,v1=HEX` of HMAC-SHA256 over "SECONDS.BODY": who has the secret wrote it, and when.
std::string sign_webhook(std::string_view secret, std::string_view body, std::int64_t seconds_since_1970);
/// Within five minutes of `now`, in constant time.
bool is_signed(std::string_view secret, std::string_view body, std::string_view signature, std::int64_t now);

/// Shows each question to a URL and takes its answer, both signed.
///
/// The question is a POST of JSON with `Gantry-Signature`. The receiver may keep the request until somebody has decided
/// and answer 200 with {"id": …, "approved": true, "reason": …} under a signature of its own; anything else leaves the
/// question to the others. Belongs to one loop.
class ApprovalWebhook final : public Observer {
public:
    using Answer = std::function<Result<void>(const std::string& id, const ApprovalAnswer& answer)>;
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
