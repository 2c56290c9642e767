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
        section.read_patterns("tools", rule.tools, About("The servers' own tool names.").by_default("any"));
        section.read_patterns("servers", rule.servers, About("Names of servers.").by_default("any"));
        section.read_list("groups", rule.groups, About("Names of groups.").by_default("any"));
        section.read("destructive", rule.destructive, read_bool,
                     "Only tools that may destroy something; a tool counts as destructive unless it declares "
                     "otherwise.");
        section.choose<ApprovalRule::Says>(
            "require", rule.says, {{"always", ApprovalRule::Says::kAlways}, {"never", ApprovalRule::Says::kNever}},
            "`always`: each call needs a person's approval; `never`: it needs none, unless another rule says "
            "`always`.");
    }
    if (node.shape != nullptr) return;
    if (rule.tools.empty() && rule.servers.empty() && rule.groups.empty() && !rule.destructive)
        node.refuse("needs tools, servers, groups or destructive");
    approvals.rules.push_back(std::move(rule));
}

void read_rules(Section& section, ApprovalOptions& approvals) {
    const auto node = section.find(
        "rules", About("Which calls need approval; all conditions of one rule must match.").by_default("none"));
    if (!node) return;
    if (node->shape != nullptr)
        return read_rule({node->json, node->pointer, node->path, node->faults, &node->shape->element()}, approvals);
    const JsonArray* rules = node->json.if_array();
    if (rules == nullptr) return node->refuse("expected a list of rules");
    for (std::size_t i = 0; i < rules->size(); ++i) read_rule(node->element(i), approvals);
}

void read_webhook(Section& section, ApprovalOptions& approvals) {
    const auto node = section.find("webhook", "A receiver that is sent every question and may answer it, both signed.");
    if (!node) return;
    Section webhook(*node);
    webhook.read(
        "url", approvals.webhook.url, read_url,
        About("Is sent every question and may answer it; https, unless it is on this machine.").by_default("none"));
    webhook.read("secret", approvals.webhook.secret, read_text,
                 About("Signs questions and answers (HMAC-SHA256).").by_default("required with `url`"));
    webhook.read("answer_url", approvals.webhook.answer_url, read_url,
                 About("Where the receiver reaches this gateway, for answers sent later.").by_default("none"));
    webhook.require("url", "needs a url");
    webhook.require("secret", "needs a secret");
}

}  // namespace

void read_approvals(const Node& node, ApprovalOptions& approvals) {
    Section section(node);
    read_rules(section, approvals);
    section.read("never_wins", approvals.never_wins, read_bool,
                 "`true`: `never` wins where one rule says `always` and another `never`.");
    section.read("timeout", approvals.timeout, read_duration, "A call that is not answered within this time fails.");
    section.read("keep", approvals.keep, read_duration,
                 "How long an approval stays valid if its caller has gone in the meantime.");
    section.read("sticky", approvals.sticky, read_duration,
                 "How long a rejection also applies to the same call made again.");
    section.read("caller_may_approve", approvals.caller_may_approve, read_bool,
                 "`true`: the person at the calling program may answer, if the caller is local.");
    read_webhook(section, approvals);
    section.read("max_pending", approvals.max_pending, read_positive,
                 "Calls that wait at once; further calls are refused.");
    section.read("max_pending_per_principal", approvals.max_pending_per_principal, read_positive,
                 "The same for one principal; all callers on this machine are one principal.");
}

}  // namespace gantry::app
