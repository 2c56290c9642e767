#include "app/config/approvals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/config/config.hpp"

namespace gantry::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ApprovalsConfig, EveryKeyReachesItsSetting) {
    const auto config = parse_config(
        "approvals:\n  never_wins: true\n  timeout: 2m\n  keep: 3m\n  sticky: 4m\n  caller_may_approve: true\n"
        "  max_pending: 5\n  max_pending_per_principal: 4\n  rules:\n    - {tools: [a, b], servers: s, groups: [g], "
        "destructive: true}\n"
        "    - {servers: [t], require: never}\n",
        "f.yaml");
    ASSERT_TRUE(config.has_value()) << config.error().to_string();
    const auto& approvals = config->approvals;
    EXPECT_TRUE(approvals.never_wins);
    EXPECT_EQ(approvals.timeout, seconds(120));
    EXPECT_EQ(approvals.keep, seconds(180));
    EXPECT_EQ(approvals.sticky, seconds(240));
    EXPECT_TRUE(approvals.caller_may_approve);
    EXPECT_EQ(approvals.max_pending, 5u);
    EXPECT_EQ(approvals.max_pending_per_principal, 4u);
    ASSERT_EQ(approvals.rules.size(), 2u);
    EXPECT_THAT(approvals.rules[0].tools, ElementsAre("a", "b"));
    EXPECT_THAT(approvals.rules[0].servers, ElementsAre("s"));
    EXPECT_TRUE(approvals.rules[0].destructive);
    EXPECT_EQ(approvals.rules[1].says, gateway::ApprovalRule::Says::kNever);
}

TEST(ApprovalsConfig, TheWebhookSaysWhereItIsAnsweredLater) {
    const auto with = [](const std::string& more) {
        return parse_config(
            "approvals:\n  webhook: {url: \"https://a.example/ask\", secret: \"0123456789\"" + more + "}\n", "f.yaml");
    };
    EXPECT_EQ(with("")->approvals.webhook.answer_url, "");
    EXPECT_EQ(with(", answer_url: \"https://gateway.example\"")->approvals.webhook.answer_url,
              "https://gateway.example");
    const auto wrong = with(", answer_url: gateway.example");
    ASSERT_FALSE(wrong.has_value());
    EXPECT_THAT(wrong.error().message(), HasSubstr("approvals.webhook.answer_url"));
}

TEST(ApprovalsConfig, ARuleAboutNothingIsAMistake) {
    const auto config = parse_config("approvals:\n  rules:\n    - {require: always}\n", "f.yaml");
    ASSERT_FALSE(config.has_value());
    EXPECT_THAT(config.error().message(), HasSubstr("approvals.rules[0]: needs tools, servers, groups"));
}

}  // namespace
}  // namespace gantry::app
