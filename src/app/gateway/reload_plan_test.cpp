#include "app/gateway/reload_plan.hpp"

#include <gtest/gtest.h>

#include "app/gateway/source_maker.hpp"
#include "io/loop.hpp"

namespace gantry::app {
namespace {

Config config_of(const std::string& yaml) {
    auto config = parse_config(yaml, "test");
    EXPECT_TRUE(config) << config.error().message();
    return config ? *std::move(config) : Config();
}

const char* const kNow = R"(
servers:
  - {name: stays, url: "http://127.0.0.1:1/mcp"}
  - {name: moves, url: "http://127.0.0.1:2/mcp"}
  - {name: filtered, url: "http://127.0.0.1:3/mcp"}
  - {name: goes, command: some-server}
)";
const char* const kNext = R"(
servers:
  - {name: comes, command: some-server}
  - {name: filtered, url: "http://127.0.0.1:3/mcp", deny: ["x"], prefix: none, max_concurrent: 3}
  - {name: moves, url: "http://127.0.0.1:22/mcp"}
  - {name: stays, url: "http://127.0.0.1:1/mcp"}
)";

TEST(ReloadPlan, NamesWhatComesChangesAndGoes) {
    const ReloadPlan plan = plan_reload(config_of(kNow), config_of(kNext));
    EXPECT_EQ(plan.added, std::vector<std::string>{"comes"});
    EXPECT_EQ(plan.changed, (std::vector<std::string>{"filtered", "moves"}));
    EXPECT_EQ(plan.removed, std::vector<std::string>{"goes"});
    EXPECT_TRUE(plan.later.empty());
    const ReloadPlan same = plan_reload(config_of(kNow), config_of(kNow));
    EXPECT_TRUE(same.added.empty() && same.changed.empty() && same.removed.empty());
}

TEST(ReloadPlan, SaysWhatCountsOnlyFromTheNextStart) {
    Config next = config_of(kNow);
    next.path = "/other";
    next.state_dir = "/elsewhere";
    next.events.audit.mode = gateway::AuditMode::kOff;
    next.max_connections = 7;
    next.events.webhooks.push_back({.name = "pager", .url = "https://example.com/", .secret = "0123456789abcdef"});
    const ReloadPlan plan = plan_reload(config_of(kNow), next);
    EXPECT_EQ(plan.later, (std::vector<std::string>{"state_dir", "audit.mode"}));
    EXPECT_EQ(plan.settings, (std::vector<std::string>{"path", "limits.max_connections", "webhooks"}));
    next.events.audit.mode = gateway::AuditMode::kBeforeAnswer;
    EXPECT_EQ(plan_reload(config_of(kNow), next).later, (std::vector<std::string>{"state_dir"}))
        << "only whether there is a journal needs another start";
}

Task<void> two_configurations() {
    SourceMaker maker(Loop::current(), {});
    const Config now = config_of(kNow);
    const auto first = maker.make(now);
    EXPECT_EQ(first.fresh.size(), 4u);
    maker.keep(now, first);
    const auto second = maker.make(config_of(kNext));
    if (second.all.size() != 4) {
        ADD_FAILURE() << second.all.size();
        co_return;
    }
    EXPECT_EQ(second.fresh.size(), 2u) << "the new one and the one with another address";
    EXPECT_EQ(second.all[1].source, first.all[2].source) << "other names and limits need no other connection";
    EXPECT_EQ(second.all[1].prefix, "");
    EXPECT_EQ(second.all[1].deny, std::vector<std::string>{"x"});
    EXPECT_NE(second.all[2].source, first.all[1].source);
    EXPECT_EQ(second.all[3].source, first.all[0].source);
    for (const auto& made : {first, second}) {
        for (const auto& entry : made.all) co_await entry.source->stop();
    }
}

TEST(SourceMaker, TakesOverWhatServesBothConfigurations) {
    Loop loop;
    loop.run_until_done(two_configurations());
}

}  // namespace
}  // namespace gantry::app
