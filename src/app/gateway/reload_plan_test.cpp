#include "app/gateway/reload_plan.hpp"

#include <gtest/gtest.h>

#include "app/config/test_keys.hpp"
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
    const std::string more = std::string(kNow) + "path: /other\nstate_dir: /elsewhere\nlimits: {max_connections: 7}\n" +
                             "webhooks: [{name: pager, url: 'https://example.com/', secret: 0123456789abcdef}]\n";
    const ReloadPlan plan = plan_reload(config_of(kNow), config_of(more + "audit: {mode: off}\n"));
    EXPECT_EQ(plan.later, (std::vector<std::string>{"audit.mode", "state_dir"}));
    EXPECT_EQ(plan.settings, (std::vector<std::string>{"limits.max_connections", "path", "webhooks.pager"}));
    EXPECT_EQ(plan_reload(config_of(kNow), config_of(more + "audit: {mode: before-answer}\n")).later,
              (std::vector<std::string>{"state_dir"}))
        << "only whether there is a journal needs another start";
}

/// A server, and one entry wherever there can be some.
Json one_of_each() {
    return JsonObject{
        {"servers", JsonArray{JsonObject{{"name", "s"}, {"command", "x"}}}},
        {"groups", JsonArray{JsonObject{{"name", "g"}, {"servers", JsonArray{"s"}}}}},
        {"webhooks",
         JsonArray{JsonObject{{"name", "w"}, {"url", "http://127.0.0.1:9/"}, {"secret", "0123456789abcdef"}}}},
        {"approvals",
         JsonObject{{"rules", JsonArray{JsonObject{{"tools", JsonArray{"a"}}}}},
                    {"webhook", JsonObject{{"url", "http://127.0.0.1:9/"}, {"secret", "word of mouth"}}}}}};
}

/// The name under which a change of the key is reported.
std::string reported(const std::string& key) {
    for (const auto& [entries, name] : {std::pair("groups.", "groups.g"), std::pair("webhooks.", "webhooks.w"),
                                        std::pair("approvals.rules.", "approvals.rules")}) {
        if (key.starts_with(entries)) return name;
    }
    return key;
}

TEST(ReloadPlan, NamesEveryKeyThatChangedWithWhatItsDeclarationSays) {
    const Json schema = config_schema();
    const Json base = one_of_each();
    const Config now = config_of(base.dump());
    std::size_t walked = 0;
    for (const ReferenceRow& row : reference_rows(schema)) {
        const bool other_spelling = row.key.starts_with("services") || row.key.starts_with("config") ||
                                    row.key.starts_with("context_servers") || row.key.starts_with("mcp");
        if (row.is_group || other_spelling || row.key.starts_with("servers.")) continue;
        const auto next = changed_config(base, row.key, *row.setting, [](const Config&) { return true; });
        ASSERT_TRUE(next) << "no value is valid for " << row.key;
        ++walked;
        const ReloadPlan plan = plan_reload(now, *next);
        const std::string_view reload = row.setting->string_at("x-gantry-reload");
        std::vector<std::string> names{reported(row.key)};
        if (row.key.ends_with("s.name")) names.push_back(row.key.starts_with("groups") ? "groups.17s" : "webhooks.17s");
        std::ranges::sort(names);
        const bool later = reload == to_string(Reload::kNextStart);
        EXPECT_EQ(plan.settings, later ? std::vector<std::string>() : names) << row.key;
        EXPECT_EQ(plan.later, later ? names : std::vector<std::string>()) << row.key;
        // Defaults of servers change the servers; nothing else does.
        const bool reconnects = reload == to_string(Reload::kReconnect);
        EXPECT_EQ(plan.changed, reconnects ? std::vector<std::string>{"s"} : std::vector<std::string>()) << row.key;
        if (row.key == "enabled") {
            EXPECT_EQ(plan.removed, std::vector<std::string>{"s"});
            continue;
        }
        EXPECT_EQ(same_connections(now.servers.at(0), next->servers.at(0)), !reconnects) << row.key;
        const ReloadPlan back = plan_reload(*next, now);
        EXPECT_EQ(std::pair(back.settings, back.later), std::pair(plan.settings, plan.later)) << row.key;
    }
    EXPECT_GT(walked, 70u);
    const ReloadPlan same = plan_reload(now, config_of(base.dump()));
    EXPECT_TRUE(same.settings.empty() && same.later.empty());
}

TEST(ReloadPlan, AServersKeyReconnectsItIfItsDeclarationSaysSo) {
    const Json schema = config_schema();
    const Json program = JsonObject{{"servers", JsonArray{JsonObject{{"name", "s"}, {"command", "x"}}}}};
    const Json remote =
        JsonObject{{"servers", JsonArray{JsonObject{{"name", "s"}, {"url", "http://127.0.0.1:9/mcp"}}}}};
    // Some keys belong to a program that serves HTTP.
    const Json over_http = with_value(program, "servers.transport", "http");
    std::size_t walked = 0;
    for (const ReferenceRow& row : reference_rows(schema)) {
        const bool group = row.is_group && row.setting->string_at("x-gantry-reload").empty();
        if (!row.key.starts_with("servers.") || group) continue;
        std::optional<Config> now, next;
        for (const Json* base : {&program, &remote, &over_http}) {
            auto parsed = parse_config(base->dump(), "test");
            if (!parsed) continue;
            now = *std::move(parsed);
            const auto counts = [&now](const Config& config) {
                return config.servers.empty() || !(config.servers.at(0) == now->servers.at(0));
            };
            if ((next = changed_config(*base, row.key, *row.setting, counts))) break;
        }
        ASSERT_TRUE(next) << "no value of " << row.key << " changes anything";
        ++walked;
        const ReloadPlan plan = plan_reload(*now, *next);
        const bool at_once = row.setting->string_at("x-gantry-reload") == to_string(Reload::kAtOnce);
        if (row.key == "servers.name") {
            EXPECT_EQ(plan.added, std::vector<std::string>{next->servers.at(0).name});
            EXPECT_EQ(plan.removed, std::vector<std::string>{"s"});
        } else if (row.key == "servers.disabled" || row.key == "servers.enabled") {
            EXPECT_EQ(plan.removed, std::vector<std::string>{"s"}) << row.key;
        } else {
            EXPECT_EQ(plan.changed, std::vector<std::string>{"s"}) << row.key;
            EXPECT_EQ(same_connections(now->servers.at(0), next->servers.at(0)), at_once) << row.key;
        }
        EXPECT_TRUE(plan.settings.empty() && plan.later.empty()) << row.key;
    }
    EXPECT_GT(walked, 45u);
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
