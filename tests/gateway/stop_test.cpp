// Stopping a gateway: calls may finish, then force is used, and no process remains, in whatever state it was.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string peer(const std::string& script, const std::string& name, const std::string& kind, const std::string& more) {
    return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + peer_file(script) + ", " + name + ", " +
           kind + "]\n" + more;
}
/// Ignores every signal except SIGKILL, and so does its grandchild.
std::string stubborn(const std::string& name, const std::string& more = {}) {
    return peer("stubborn_server.mjs", name, "talks", "    timeout: 9m\n" + more);
}
/// The same, and never answers.
std::string mute(const std::string& name) {
    return peer("stubborn_server.mjs", name, "mute", "    connect_timeout: 1h\n    era: legacy\n");
}
std::vector<int> family(const std::string& name) {
    return processes_with("stubborn_server.mjs " + name);
}
/// Whether child and grandchild are running.
bool is_complete(const std::string& name) {
    return eventually([&] { return family(name).size() >= 2; });
}

Client connect_to(const Gateway& gateway, Era era = Era::kModern) {
    auto options = options_for(HttpServer{.url = gateway.url()});
    options.era = era;
    options.call_timeout = std::chrono::minutes(5);
    auto client = connect(options);
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

Json status_of(const Gateway& gateway) {
    Child child({.command = {gantry_program(), "status", "--json", "--state-dir", gateway.state()}, .env = {}});
    child.wait();
    return Json::parse(child.out()).value_or(Json());
}
bool runs_calls(const Gateway& gateway, int server, int count) {
    return eventually([&] {
        const Json status = status_of(gateway);
        const Json* running = status.at_pointer("/servers/" + std::to_string(server) + "/running");
        return running != nullptr && *running == Json(count);
    });
}

class StopTest : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT(node()); }
};

TEST_F(StopTest, CallsThatRunMayFinish) {
    SKIP_WITHOUT(dual_era_js());
    Gateway gateway("stop_timeout: 60s\nservers:\n" + peer("trouble_server.mjs", "calm", "stdio", ""));
    Client client = connect_to(gateway);
    auto call = client.call_async("calm_slow", {{"ms", 2000}});
    ASSERT_TRUE(runs_calls(gateway, 0, 1));
    ASSERT_EQ(::kill(gateway.child().pid(), SIGTERM), 0);
    const auto result = call.get();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "slept 2000");
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
}

TEST_F(StopTest, WhateverStateAnythingIsInItEndsAndNobodyIsLeft) {
    Gateway gateway("stop_timeout: 300ms\napprovals: {timeout: 1h}\nservers:\n" + stubborn("stop-busy") +
                    stubborn("stop-asked", "    require_approval: always\n") + stubborn("stop-lost") +
                    mute("stop-mute") + "  - name: absent\n    command: /nonexistent/program\n");
    for (const char* name : {"stop-busy", "stop-asked", "stop-lost", "stop-mute"}) ASSERT_TRUE(is_complete(name));
    Client modern = connect_to(gateway);
    Client legacy = connect_to(gateway, Era::kLegacy);  // has an open stream
    auto endless = modern.call_async("stop-busy_hang", {});
    auto undecided = legacy.call_async("stop-asked_who", {});
    ASSERT_TRUE(runs_calls(gateway, 0, 1));
    ASSERT_TRUE(gateway.child().wait_for_output("is needed: 'who' on server 'stop-asked'"));
    for (const int pid : family("stop-lost")) ::kill(pid, SIGKILL);  // it is, or will be, reconnecting
    ASSERT_EQ(::kill(gateway.child().pid(), SIGTERM), 0);
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
    EXPECT_FALSE(endless.get().has_value());
    EXPECT_FALSE(undecided.get().has_value());
    for (const char* name : {"stop-busy", "stop-asked", "stop-lost", "stop-mute"})
        EXPECT_TRUE(eventually([&] { return family(name).empty(); })) << name;
}

TEST_F(StopTest, ASecondSignalEndsItAtOnce) {
    Gateway gateway("stop_timeout: 1h\nservers:\n" + stubborn("stop-twice"));
    ASSERT_TRUE(is_complete("stop-twice"));
    Client client = connect_to(gateway);
    auto endless = client.call_async("stop-twice_hang", {});
    ASSERT_TRUE(runs_calls(gateway, 0, 1));
    ASSERT_EQ(::kill(gateway.child().pid(), SIGTERM), 0);
    // The signal was received: new clients are refused, and the call still runs.
    const auto options = options_for(HttpServer{.url = gateway.url()});
    ASSERT_TRUE(eventually([&] { return !connect(options).has_value(); }));
    EXPECT_FALSE(family("stop-twice").empty());
    ASSERT_EQ(::kill(gateway.child().pid(), SIGINT), 0);
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
    EXPECT_FALSE(endless.get().has_value());
    EXPECT_TRUE(eventually([&] { return family("stop-twice").empty(); }));
}

/// The reaper that carries out the gateway's orders about that server.
int reaper_of(const std::string& name) {
    const auto members = family(name);
    for (const int pid : members) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
        std::string own, program, state;
        int parent = 0;
        file >> own >> program >> state >> parent;
        if (std::ranges::find(members, parent) == members.end()) return parent;
    }
    return 0;
}

TEST_F(StopTest, AServerThatCannotBeEndedIsWaitedForOneSecondAndTheRestIsStillStoppedInOrder) {
    Gateway gateway("stop_timeout: 300ms\naudit: {mode: async}\nservers:\n" + stubborn("stop-stuck"));
    ASSERT_TRUE(is_complete("stop-stuck"));
    Client client = connect_to(gateway);
    ASSERT_TRUE(client.call("stop-stuck_who", {}));
    const int reaper = reaper_of("stop-stuck");
    ASSERT_GT(reaper, 1);
    ASSERT_EQ(::kill(reaper, SIGSTOP), 0);
    ASSERT_EQ(::kill(gateway.child().pid(), SIGTERM), 0);
    // 4 would be the watchdog, which gives the process another second after that one.
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
    for (const auto& entry : std::filesystem::directory_iterator(gateway.state()))
        EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("control"))) << "its socket is gone";
    ::kill(reaper, SIGCONT);
    EXPECT_TRUE(eventually([] { return family("stop-stuck").empty(); }));
    Child verify({.command = {gantry_program(), "audit", "verify", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_EQ(verify.wait(), 0) << verify.out() << verify.err();
    EXPECT_THAT(verify.out(), HasSubstr("verified"));
}

TEST_F(StopTest, AReloadThatWaitsForANewServerIsGivenUp) {
    Gateway gateway("stop_timeout: 300ms\ndemo_tools: true\n");
    gateway.rewrite("stop_timeout: 300ms\ndemo_tools: true\nservers:\n" + mute("stop-new"));
    ASSERT_EQ(::kill(gateway.child().pid(), SIGHUP), 0);
    ASSERT_TRUE(is_complete("stop-new"));
    ASSERT_EQ(::kill(gateway.child().pid(), SIGTERM), 0);
    EXPECT_EQ(gateway.child().wait(), 0) << gateway.child().err();
    EXPECT_THAT(gateway.child().err(), Not(HasSubstr("configuration reloaded")));
    EXPECT_TRUE(eventually([&] { return family("stop-new").empty(); }));
}

TEST_F(StopTest, ItEndsInOrderBeforeItHasEvenStarted) {
    const TempDir folder;
    const std::string file = folder.path() + "/gantry.yaml";
    std::ofstream(file) << "stop_timeout: 300ms\nservers:\n" << mute("stop-early");
    Child gateway({.command = {gantry_program(), "serve", "--config", file, "--listen", "127.0.0.1:0", "--state-dir",
                               folder.path() + "/state"},
                   .env = {}});
    ASSERT_TRUE(is_complete("stop-early"));
    ASSERT_TRUE(gateway.wait_for_output("gantry serves MCP at"));
    ASSERT_EQ(::kill(gateway.pid(), SIGTERM), 0);
    EXPECT_EQ(gateway.wait(), 0) << "it was killed by the signal, not stopped: " << gateway.err();
    EXPECT_THAT(gateway.out(), Not(HasSubstr("Ctrl-C stops it")));
    EXPECT_TRUE(eventually([&] { return family("stop-early").empty(); }));
}

TEST_F(StopTest, TheEndOfItsInputEndsAGatewayOnAPipeWithAllItsServers) {
    const TempDir folder;
    const std::string file = folder.path() + "/gantry.yaml";
    std::ofstream(file) << "stop_timeout: 300ms\nservers:\n" << stubborn("stop-pipe");
    {
        auto options = options_for(StdioServer{
            .command = gantry_program(), .args = {"stdio", "--config", file, "--state-dir", folder.path() + "/state"}});
        auto client = connect(options);
        ASSERT_TRUE(client) << client.error().to_string();
        EXPECT_TRUE(eventually([&] {
            const auto who = client->call("stop-pipe_who", {});
            return who && who->text().starts_with("stop-pipe");
        }));
        ASSERT_TRUE(is_complete("stop-pipe"));
    }
    EXPECT_TRUE(eventually([&] { return family("stop-pipe").empty(); }));
}

}  // namespace
}  // namespace gantry::testing
