#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Which calls a rule is about; what is empty matches everything, but a rule with nothing at all matches nothing.
struct ApprovalRule {
    enum class Says : std::uint8_t { kAlways, kNever };
    Says says = Says::kAlways;
    /// Patterns on the sources' own tool names.
    std::vector<std::string> tools = {};
    std::vector<std::string> servers = {};
    std::vector<std::string> groups = {};
    /// Only tools that may destroy something, by their own word: those that do not say count as such.
    bool destructive = false;
};

/// Where questions are also shown; empty: nowhere.
struct ApprovalWebhookOptions {
    std::string url = {};
    std::string secret = {};
    /// Where the receiver reaches this gateway, for answers that come later; empty: questions do not say.
    std::string answer_url = {};

    bool operator==(const ApprovalWebhookOptions&) const = default;
};

struct ApprovalOptions {
    std::vector<ApprovalRule> rules = {};
    /// Where one rule says always and another never.
    bool never_wins = false;
    /// A call that is not answered within this time is rejected. Long enough for a person to notice and to read.
    Duration timeout = std::chrono::minutes(5);
    /// An approval nobody waits for any more may be used for so long.
    Duration keep = std::chrono::minutes(5);
    /// The same call is rejected again without a question for so long after somebody said no.
    Duration sticky = seconds(60);
    /// The person at the calling program may answer, where whoever calls is the local user.
    bool caller_may_approve = false;
    std::size_t max_pending = 256;
    std::size_t max_pending_per_principal = 32;
    /// Larger arguments cannot be shown, so nobody can agree to them.
    std::size_t max_argument_bytes = 64u << 10;
    ApprovalWebhookOptions webhook = {};
};

/// A call that waits for a person.
struct PendingApproval {
    std::string id;
    std::string source;
    std::string tool;        // the source's own name
    std::string principal;   // who calls
    std::string request_id;  // the call's correlation id
    /// Exactly what would be sent, as JSON.
    std::string arguments = "{}";
    /// Of the tool's definition and of the call: what is approved is this and nothing else.
    std::string descriptor = {};
    std::string digest = {};
    std::int64_t asked_ms = 0;  // since 1970
    std::int64_t expires_ms = 0;
};

/// By which way an answer came.
enum class AnswerChannel : std::uint8_t { kOperator, kCaller, kWebhook, kNobody };

}  // namespace gantry::gateway
