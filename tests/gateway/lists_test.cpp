// Stored inventories: listed without starting the servers, and refreshed on request.
#include <gmock/gmock.h>
#include <signal.h>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

std::string trouble_stdio(const std::string& name, const std::string& more) {
    return "servers:\n  - name: " + name + "\n    command: " + node() + "\n    args: [" +
           peer_file("trouble_server.mjs") + ", " + name + "]\n" + more;
}
std::vector<int> processes_of(const std::string& name) {
    return processes_with("trouble_server.mjs " + name);
}

bool offers(const Gateway& gateway, const std::string& tool) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) return false;
    const auto tools = client->list_tools();
    return tools && has_tool(*tools, tool);
}
std::string say(const Gateway& gateway, const std::string& tool) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) return client.error().to_string();
    const auto result = client->call(tool, {});
    return result ? result->text() : result.error().to_string();
}
std::string ask(const Gateway& gateway, std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state()});
    Child child({.command = std::move(words), .env = {}});
    EXPECT_EQ(child.wait(), expected) << child.err();
    return child.out() + child.err();
}
void end(Gateway& gateway) {
    ::kill(gateway.child().pid(), SIGTERM);
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
}

class ListsTest : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT(dual_era_js()); }
    const TempDir folder;
    const std::string state = folder.path() + "/state";
};

TEST_F(ListsTest, ALazyServerIsNotStartedBeforeItIsCalledAndRefreshWakesIt) {
    const std::string config = trouble_stdio("keeps", "    connect: lazy\n    idle_close: 1h\n");
    {
        Gateway first(config, state);
        EXPECT_TRUE(offers(first, "keeps_who"));
        EXPECT_FALSE(processes_of("keeps").empty()) << "the first time it has to be asked";
        end(first);
    }
    ASSERT_TRUE(eventually([] { return processes_of("keeps").empty(); }));
    Gateway second(config, state);
    EXPECT_TRUE(offers(second, "keeps_who"));
    EXPECT_TRUE(processes_of("keeps").empty());
    EXPECT_THAT(ask(second, {"status"}), HasSubstr("asleep"));
    EXPECT_THAT(ask(second, {"refresh", "keeps"}), HasSubstr("keeps"));
    EXPECT_TRUE(eventually([] { return processes_of("keeps").empty(); })) << "it sleeps again, however long idle_close";
    EXPECT_THAT(say(second, "keeps_who"), ::testing::StartsWith("keeps "));
    EXPECT_FALSE(processes_of("keeps").empty());
    EXPECT_THAT(ask(second, {"refresh"}), HasSubstr("keeps"));
    EXPECT_THAT(ask(second, {"refresh", "nobody"}, 3), HasSubstr("no server 'nobody'"));
    end(second);
}

TEST_F(ListsTest, AServerWhoseListIsKeptIsOfferedWhileItIsDown) {
    const std::string script = folder.path() + "/server.sh";
    const auto write = [&](const std::string& text) {
        std::ofstream(script) << "#!/bin/sh\n" << text << "\n";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    };
    const std::string config = "servers:\n  - name: kept\n    command: " + script + "\n    cache_tools: true\n";
    write("exec " + node() + " " + peer_file("trouble_server.mjs") + " kept");
    {
        Gateway first(config, state);
        EXPECT_TRUE(offers(first, "kept_who"));
        end(first);
    }
    write("exit 1");
    Gateway second(config, state);
    EXPECT_TRUE(offers(second, "kept_who"));
    EXPECT_THAT(say(second, "kept_who"), HasSubstr("exit code 1"));
    EXPECT_THAT(ask(second, {"refresh"}, 3), HasSubstr("exit code 1"));
    const auto status = Json::parse(ask(second, {"status", "--json"}));
    ASSERT_TRUE(status);
    EXPECT_EQ(*status->at_pointer("/servers/0/health"), Json("server_crashed"));
    EXPECT_EQ(*status->at_pointer("/servers/0/uptime_seconds"), Json());
    EXPECT_NE(*status->at_pointer("/servers/0/tool_count"), Json(0));
    end(second);
    // A file with invalid content is reported and costs only time.
    for (const auto& file : std::filesystem::directory_iterator(state + "/lists")) std::ofstream(file.path()) << "{";
    write("exec " + node() + " " + peer_file("trouble_server.mjs") + " kept");
    Gateway third(config, state);
    EXPECT_TRUE(third.child().wait_for_output("cannot be read and is not used"));
    EXPECT_TRUE(eventually([&] { return offers(third, "kept_who"); }));
    end(third);
}

TEST_F(ListsTest, StatusTellsHealthInTheWordsOfHealthChecks) {
    Gateway gateway(trouble_stdio("well", "") + "  - name: leaves\n    command: sh\n    args: [-c, \"read first\"]\n");
    const auto health_of = [&](int server) {
        const auto status = Json::parse(ask(gateway, {"status", "--json"}));
        const Json* health = status ? status->at_pointer("/servers/" + std::to_string(server) + "/health") : nullptr;
        return health == nullptr ? Json() : *health;
    };
    EXPECT_TRUE(eventually([&] { return health_of(0) == Json("healthy"); }));
    EXPECT_TRUE(eventually([&] { return health_of(1) == Json("server_exited"); }));
    const auto status = Json::parse(ask(gateway, {"status", "--json"}));
    EXPECT_EQ(*status->at_pointer("/servers/0/tool_count"), Json(6));
    EXPECT_TRUE(status->at_pointer("/servers/0/uptime_seconds")->as_int().has_value());
    end(gateway);
}

}  // namespace
}  // namespace gantry::testing
