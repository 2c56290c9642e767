// Servers that the gateway starts and reaches over HTTP: third-party servers on ports that the gateway chose.
#include <signal.h>

#include <algorithm>

#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Unlike that of any other test that runs at the same time.
const std::string kName = "kid" + std::to_string(::getpid());

struct Way {
    std::string transport, mode, era;
};
std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << way.mode << way.era;
}

/// The whole process trees of the servers of this test.
std::vector<int> kids() {
    return processes_with("watched_server.mjs " + kName);
}

std::string entry(const Way& way, const std::string& more = {}) {
    return "  - name: " + kName + "\n    command: " + node() + "\n    args: [" + watched_js() + ", " + kName + ", " +
           way.mode + (way.era.empty() ? "" : ", " + way.era) + "]\n    transport: " + way.transport +
           "\n    connect_timeout: 60s\n" + more;
}

/// The pid that the server reports. Without isolation it is the one seen from outside.
int pid_of(Ear& ear) {
    const auto json = Json::parse(ear.say(kName + "_who"));
    const Json* pid = json && json->is_object() ? json->find("pid") : nullptr;
    return pid == nullptr ? -1 : static_cast<int>(*pid->as_int());
}

/// The first port on which something listens in the network of this process.
int port_seen_by(int pid) {
    std::ifstream table("/proc/" + std::to_string(pid) + "/net/tcp");
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
        std::istringstream fields(line);
        std::string number, local, remote, state;
        fields >> number >> local >> remote >> state;
        if (state == "0A") return std::stoi(local.substr(local.find(':') + 1), nullptr, 16);
    }
    return 0;
}

class HttpChildren : public ::testing::TestWithParam<Way> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
};

INSTANTIATE_TEST_SUITE_P(Over, HttpChildren,
                         ::testing::Values(Way{"sse", "sse", ""}, Way{"streamable_http", "http", "legacy"},
                                           Way{"http", "http", "modern"}),
                         ::testing::PrintToStringParamName());

TEST_P(HttpChildren, ServeClientsOfBothErasFromOneProcess) {
    Gateway gateway("servers:\n" + entry(GetParam()));
    Ear legacy(over_http(gateway, Era::kLegacy));
    Ear modern(over_http(gateway, Era::kModern));
    for (Ear* ear : {&legacy, &modern}) EXPECT_EQ(ear->say(kName + "_echo", {{"value", "hello"}}), "hello");
    EXPECT_EQ(legacy.say(kName + "_steps", {{"to", 3}}), "took 3 steps");
    EXPECT_THAT(modern.say(kName + "_add_tool", {{"name", "fresh"}}), "added");
    EXPECT_TRUE(eventually([&] { return legacy.heard().list_changes("tools") > 0; })) << "announced";
    EXPECT_TRUE(eventually([&] { return legacy.lists(kName + "_fresh"); }));
    EXPECT_EQ(kids().size(), 1u);
}

TEST_P(HttpChildren, AreStartedAgainAfterACrashWhileClientsStayConnected) {
    Gateway gateway("servers:\n" + entry(GetParam(), "    isolation: off\n"));
    Ear ear(over_http(gateway, Era::kLegacy));
    const int first = pid_of(ear);
    ASSERT_GT(first, 0);
    ASSERT_EQ(::kill(first, SIGKILL), 0);
    EXPECT_TRUE(gateway.child().wait_for_output("the server ended (signal SIGKILL)")) << gateway.child().err();
    EXPECT_TRUE(eventually([&] { return pid_of(ear) > 0; }));
    const int second = pid_of(ear);
    EXPECT_NE(second, first);
    EXPECT_EQ(kids(), std::vector<int>{second});
}

TEST_P(HttpChildren, AReloadReplacesTheProcessIfItsSettingsChanged) {
    const auto with = [](const std::string& value) {
        return "servers:\n" + entry(GetParam(), "    isolation: off\n    env: {SETTING: " + value + "}\n");
    };
    Gateway gateway(with("one"));
    Ear ear(over_http(gateway, Era::kLegacy));
    const int first = pid_of(ear);
    gateway.rewrite(with("one") + "groups: {all: [" + kName + "]}\n");
    EXPECT_TRUE(gateway.child().wait_for_output("configuration"));
    EXPECT_EQ(pid_of(ear), first) << "a change elsewhere";
    gateway.rewrite(with("two"));
    EXPECT_TRUE(gateway.child().wait_for_output("changed: " + kName)) << gateway.child().err();
    int second = -1;
    EXPECT_TRUE(eventually([&] { return (second = pid_of(ear)) > 0 && second != first; }));
    EXPECT_TRUE(eventually([&] { return kids() == std::vector<int>{second}; })) << "the old one is gone";
    gateway.rewrite("servers: []\n");
    EXPECT_TRUE(eventually([] { return kids().empty(); }));
}

TEST_P(HttpChildren, NoneIsLeftWhenTheGatewayStopsOrIsKilled) {
    for (const int signal : {SIGTERM, SIGKILL}) {
        Gateway gateway("servers:\n" + entry(GetParam()));
        ASSERT_EQ(kids().size(), 1u);
        ASSERT_EQ(::kill(gateway.child().pid(), signal), 0);
        const auto code = gateway.child().wait();
        if (signal == SIGTERM) EXPECT_EQ(code, 0) << gateway.child().err();
        EXPECT_TRUE(eventually([] { return kids().empty(); }));
    }
}

TEST_P(HttpChildren, LazyOnesEndWhenIdleAndStartWithTheNextCall) {
    Gateway gateway("servers:\n" + entry(GetParam(), "    connect: lazy\n    idle_close: 1s\n"));
    Ear ear(over_http(gateway, Era::kModern));
    EXPECT_EQ(ear.say(kName + "_echo", {{"value", "one"}}), "one");
    EXPECT_TRUE(eventually([] { return kids().empty(); }));
    EXPECT_EQ(ear.say(kName + "_echo", {{"value", "two"}}), "two");
}

TEST_P(HttpChildren, AreIsolatedAndReachedInAnyIsolation) {
    // In strict it would see its script alone.
    const std::string packages = std::filesystem::canonical(peer_file("node_modules"));
    const std::string strict = "{level: strict, read: [" + peer_file(".") + ", " + packages + "]}";
    for (const std::string& level :
         {std::string("standard"), strict, std::string("{network: none}"), std::string("{network: [example.com]}")}) {
        Gateway gateway("servers:\n" + entry(GetParam(), "    isolation: " + level + "\n"));
        Ear ear(over_http(gateway, Era::kModern));
        if (ear.say(kName + "_echo", {{"value", "x"}}).contains("isolation: ")) GTEST_SKIP() << gateway.child().err();
        EXPECT_EQ(ear.say(kName + "_echo", {{"value", level}}), level) << gateway.child().err();
        ASSERT_EQ(kids().size(), 1u);
        const int port = port_seen_by(kids().front());
        ASSERT_GT(port, 0);
        // With a network of its own it listens where no other program of this machine can connect.
        const bool reachable = wait_for_port(port, std::chrono::seconds(0));
        EXPECT_EQ(reachable, level == "standard") << level;
    }
}

TEST(HttpChild, GetsItsPortByArgumentAndItsOutputIsLogged) {
    const std::string python = peer_file("python/.venv/bin/python");
    if (python.empty()) GTEST_SKIP() << "the Python peers are not installed: run tools/setup peers";
    Gateway gateway(
        "servers:\n  - name: fast\n    command: " + python + "\n    args: [" + peer_file("python/fast_server.py") +
            ", \"{port}\"]\n    transport: http\n    ready_when: Uvicorn running on\n" + "    connect_timeout: 60s\n",
        {}, {"--stderr"});
    Ear ear(over_http(gateway, Era::kModern));
    EXPECT_EQ(ear.say("fast_add", {{"a", 2}, {"b", 3}}), "5") << gateway.child().err();
    EXPECT_TRUE(gateway.child().wait_for_output("Uvicorn running on")) << gateway.child().err();
}

TEST(HttpChild, IsAddedOnTheCommandLine) {
    SKIP_WITHOUT(watched_js());
    Gateway gateway("servers: []\n");
    Child add({.command = {gantry_program(), "add", kName, "--state-dir", gateway.state(), "--transport", "sse",
                           "--header", "X-Trial: yes", "--", node(), watched_js(), kName, "sse"},
               .env = {}});
    EXPECT_EQ(add.wait(), 0) << add.err();
    EXPECT_THAT(add.out() + add.err(), HasSubstr("12 tools"));
    Ear ear(over_http(gateway, Era::kModern));
    EXPECT_EQ(ear.say(kName + "_echo", {{"value", "hello"}}), "hello");
    Child tools({.command = {gantry_program(), "tools", "--server", kName, "--config", gateway.file()}, .env = {}});
    EXPECT_NE(tools.wait(), 0);
    EXPECT_THAT(tools.err(), HasSubstr("which only the gateway starts: run gantry serve and use its URL"));
}

TEST(HttpChild, ThatCannotStartIsReportedWithItsStatusAndOutput) {
    Gateway gateway(
        "servers:\n"
        "  - {name: ends, command: sh, args: [-c, 'echo no license >&2; exit 4'], transport: sse}\n"
        "  - {name: mute, command: sh, args: [-c, 'echo thinking; read x'], transport: http, connect_timeout: 1s}\n");
    Child status({.command = {gantry_program(), "status", "--state-dir", gateway.state()}, .env = {}});
    ASSERT_TRUE(status.wait());
    EXPECT_THAT(status.out(), AllOf(HasSubstr("the server ended (exit code 4) before it was ready on port"),
                                    HasSubstr("output: no license")));
    EXPECT_THAT(status.out(), AllOf(HasSubstr("did not listen on port"), HasSubstr("within its connect_timeout"),
                                    HasSubstr("thinking")));
}

}  // namespace
}  // namespace gantry::testing
