#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace gantry::gateway {

/// Selects calls. An empty field matches everything, but a rule with every field empty matches nothing.
struct ApprovalRule {
    enum class Says : std::uint8_t { kAlways, kNever };
    Says says = Says::kAlways;
    /// Patterns on the sources' own tool names.
    std::vector<std::string> tools = {};
    std::vector<std::string> servers = {};
    std::vector<std::string> groups = {};
    /// Only tools whose annotations allow destructive effects; a tool that does not say counts as destructive.
    bool destructive = false;
};

/// Where questions are also posted; an empty URL turns it off.
struct ApprovalWebhookOptions {
    std::string url = {};
    std::string secret = {};
    /// The URL under which the receiver reaches this gateway, for deferred answers; empty: questions carry none.
    std::string answer_url = {};

    bool operator==(const ApprovalWebhookOptions&) const = default;
};

struct ApprovalOptions {
    std::vector<ApprovalRule> rules = {};
    /// Which rule wins when one says always and another never.
    bool never_wins = false;
    /// A call that is not answered within this time is rejected. Long enough for a person to notice and to read.
    Duration timeout = std::chrono::minutes(5);
    /// How long an approval may be used after it was given, if its call is no longer waiting.
    Duration keep = std::chrono::minutes(5);
    /// How long an identical call is rejected without a new question after a person rejected it.
    Duration sticky = seconds(60);
    /// Lets the person at the calling program answer, where the caller is the local user.
    bool caller_may_approve = false;
    std::size_t max_pending = 256;
    std::size_t max_pending_per_principal = 32;
    /// Calls with larger arguments cannot be shown and are therefore rejected.
    std::size_t max_argument_bytes = 64u << 10;
    ApprovalWebhookOptions webhook = {};
};

/// A call that waits for a person's approval.
struct PendingApproval {
    std::string id;
    std::string source;
    std::string tool;        // the source's own name
    std::string principal;   // the caller
    std::string request_id;  // the call's correlation id
    /// Exactly what would be sent, as JSON.
    std::string arguments = "{}";
    /// Digests of the tool's definition and of the call: the approval covers exactly these.
    std::string descriptor = {};
    std::string digest = {};
    std::int64_t asked_ms = 0;  // Unix time
    std::int64_t expires_ms = 0;
};

/// The channel through which an answer arrived.
enum class AnswerChannel : std::uint8_t { kOperator, kCaller, kWebhook, kNobody };

}  // namespace gantry::gateway
