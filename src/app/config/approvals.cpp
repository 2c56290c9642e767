#include "app/config/approvals.hpp"

#include "app/config/section.hpp"

namespace gantry::app {
namespace {

using gateway::ApprovalOptions;
using gateway::ApprovalRule;

void read_rule(const Node& node, ApprovalOptions& approvals) {
    ApprovalRule rule;
    {
        Section section(node);
        section.read_list("tools", rule.tools, "Patterns on the servers' own tool names.");
        section.read_list("servers", rule.servers, "Patterns on the names of servers.");
        section.read_list("groups", rule.groups, "Names of groups.");
        section.read("destructive", rule.destructive, read_bool,
                     "Only tools that may destroy something, by their own word; those that do not say count.");
        section.choose<ApprovalRule::Says>(
            "require", rule.says, {{"always", ApprovalRule::Says::kAlways}, {"never", ApprovalRule::Says::kNever}},
            "always: somebody has to agree before each call; never: nobody, where no other rule says always.");
    }
    if (node.shape != nullptr) return;
    if (rule.tools.empty() && rule.servers.empty() && rule.groups.empty() && !rule.destructive)
        node.refuse("needs tools, servers, groups or destructive");
    approvals.rules.push_back(std::move(rule));
}

void read_rules(Section& section, ApprovalOptions& approvals) {
    const auto node = section.find("rules", "Which calls; all that is said in one rule must fit.");
    if (!node) return;
    if (node->shape != nullptr)
        return read_rule({node->json, node->pointer, node->path, node->faults, &node->shape->element()}, approvals);
    const JsonArray* rules = node->json.if_array();
    if (rules == nullptr) return node->refuse("expected a list of rules");
    for (std::size_t i = 0; i < rules->size(); ++i) read_rule(node->element(i), approvals);
}

void read_webhook(Section& section, ApprovalOptions& approvals) {
    const auto node = section.find("webhook", "A URL that is shown every question and may answer it, both signed.");
    if (!node) return;
    Section webhook(*node);
    webhook.read("url", approvals.webhook.url, read_url, "Where to; https, unless it is this machine.");
    webhook.read("secret", approvals.webhook.secret, read_text, "Signs questions and answers (HMAC-SHA256).");
    webhook.read("answer_url", approvals.webhook.answer_url, read_url,
                 "Where the receiver reaches this gateway (https://gateway.example.com): questions then say where they "
                 "can be answered later.");
    webhook.require("url", "needs a url");
    webhook.require("secret", "needs a secret");
}

}  // namespace

void read_approvals(const Node& node, ApprovalOptions& approvals) {
    Section section(node);
    read_rules(section, approvals);
    section.read("never_wins", approvals.never_wins, read_bool, "Where one rule says always and another never.");
    section.read("timeout", approvals.timeout, read_duration,
                 "A call that is not answered within this time is rejected.");
    section.read("keep", approvals.keep, read_duration, "How long an answer counts whose caller has gone meanwhile.");
    section.read("sticky", approvals.sticky, read_duration, "How long a no counts for the same call.");
    section.read("caller_may_approve", approvals.caller_may_approve, read_bool,
                 "The person at the calling program may answer, where the caller is the local user.");
    read_webhook(section, approvals);
    section.read("max_pending", approvals.max_pending, read_positive, "Questions at once.");
    section.read("max_pending_per_principal", approvals.max_pending_per_principal, read_positive,
                 "Questions of one caller at once; all programs of this machine are one caller.");
}

}  // namespace gantry::app
