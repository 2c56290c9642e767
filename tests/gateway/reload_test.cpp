// Changing the configuration of a running gateway: by file, by signal, by command.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "bad_clients/rig.hpp"
#include "gateway/rig.hpp"
#include "support/paths.hpp"
#include "support/sanitized.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// `examples/everything_server` over HTTP, which needs no installation.
class Upstream {
public:
    Upstream()
        : child_(
              {.command = {gantry::test_support::built_path("examples/everything_server"), "--port", "0"}, .env = {}}) {
        EXPECT_TRUE(child_.wait_for_output("/mcp\n"));
        url_ = child_.out().substr(0, child_.out().find('\n'));
    }
    std::string as(const std::string& name, const std::string& more = {}) const {
        return "  - name: " + name + "\n    url: " + url_ + "\n" + more;
    }

private:
    Child child_;
    std::string url_;
};

std::vector<std::string> tools_of(Client& client) {
    std::vector<std::string> names;
    auto tools = client.list_tools({.refresh = true});
    if (!tools) return names;
    for (const Tool& tool : *tools) names.push_back(tool.name());
    return names;
}

Client connect_to(const Gateway& gateway) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

/// Runs `gantry COMMAND … --state-dir …`; returns its output.
std::string ask(const Gateway& gateway, std::vector<std::string> words, int expected = 0) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state()});
    Child child({.command = std::move(words), .env = {}});
    const auto code = child.wait();
    EXPECT_EQ(code, expected) << child.err();
    return child.out() + child.err();
}

TEST(ReloadTest, AChangedFileIsTakenOverAndClientsHearOfIt) {
    const Upstream upstream;
    Gateway gateway("servers:\n" + upstream.as("one"));
    Client client = connect_to(gateway);
    EXPECT_THAT(tools_of(client), Contains("one_test_simple_text"));

    gateway.rewrite("servers:\n" + upstream.as("one") + upstream.as("two"));
    EXPECT_TRUE(gateway.child().wait_for_output("added: two"));
    EXPECT_THAT(tools_of(client), Contains("two_test_simple_text"));

    gateway.rewrite("servers:\n" + upstream.as("two", "    prefix: zwei\n"));
    EXPECT_TRUE(gateway.child().wait_for_output("changed: two; removed: one"));
    EXPECT_THAT(tools_of(client), Contains("zwei_test_simple_text"));
    EXPECT_THAT(tools_of(client), Not(Contains("one_test_simple_text")));
}

TEST(ReloadTest, ABrokenFileLeavesTheRunningConfigurationInForceAndSaysWhy) {
    const Upstream upstream;
    Gateway gateway("servers:\n" + upstream.as("one"));
    Client client = connect_to(gateway);
    gateway.rewrite("servers:\n" + upstream.as("one") + "    tmieout: 3s\n");
    EXPECT_TRUE(gateway.child().wait_for_output("reload rejected; still using the previous configuration"));
    EXPECT_TRUE(gateway.child().wait_for_output("timeout"));
    EXPECT_THAT(tools_of(client), Contains("one_test_simple_text"));
    EXPECT_THAT(ask(gateway, {"reload"}, 2), HasSubstr("tmieout"));
}

TEST(ReloadTest, TheListenerMovesOnlyWhereItCan) {
    const TempDir folder;
    const std::string file = folder.path() + "/gantry.yaml";
    const auto write = [&file](const std::string& listen) {
        std::ofstream(file + ".new") << "demo_tools: true\nlisten: " << listen << "\n";
        std::filesystem::rename(file + ".new", file);
    };
    const auto answers = [](int port) {
        return connect(options_for(HttpServer{.url = "http://127.0.0.1:" + std::to_string(port) + "/mcp"})).has_value();
    };
    const int first = free_port();
    write("127.0.0.1:" + std::to_string(first));
    Child gateway(
        {.command = {gantry_program(), "serve", "--config", file, "--state-dir", folder.path() + "/state"}, .env = {}});
    ASSERT_TRUE(gateway.wait_for_output("Ctrl-C stops it"));
    EXPECT_TRUE(answers(first));

    write("192.0.2.1:1");
    EXPECT_TRUE(gateway.wait_for_output("reload rejected; still using the previous configuration"));
    EXPECT_TRUE(answers(first)) << "an address that cannot be had is found out before anything changes";

    const int second = free_port();
    write("127.0.0.1:" + std::to_string(second));
    EXPECT_TRUE(gateway.wait_for_output("configuration reloaded"));
    EXPECT_TRUE(answers(second));
    EXPECT_TRUE(eventually([&] { return !answers(first); }));
}

TEST(ReloadTest, SighupAndTheCommandReadTheFileAnew) {
    const Upstream upstream;
    Gateway gateway("servers:\n" + upstream.as("one"));
    ASSERT_EQ(::kill(gateway.child().pid(), SIGHUP), 0);
    EXPECT_TRUE(gateway.child().wait_for_output("configuration reloaded; no server changed"));
    EXPECT_THAT(ask(gateway, {"reload"}), HasSubstr("configuration reloaded"));
    const std::string status = ask(gateway, {"status"});
    EXPECT_THAT(status, HasSubstr(gateway.url()));
    EXPECT_THAT(status, HasSubstr("ready"));
    const auto json = Json::parse(ask(gateway, {"status", "--json"}));
    ASSERT_TRUE(json);
    EXPECT_EQ(*json->at_pointer("/servers/0/connected"), Json(true));
    EXPECT_THAT(ask(gateway, {"top", "--once"}), HasSubstr("CALLS/S"));
}

TEST(ReloadTest, WithoutAGatewayTheCommandsSayWhatToDo) {
    const TempDir nobody;
    Child child({.command = {gantry_program(), "status", "--state-dir", nobody.path()}, .env = {}});
    EXPECT_NE(child.wait(), 0);
    EXPECT_THAT(child.err(), HasSubstr("gantry serve"));
}

TEST(ReloadTest, AServerKeepsItsProcessUnlessAKeyThatNeedsANewOneChanged) {
    SKIP_WITHOUT(dual_era_js());
    const auto config = [](const std::string& more) {
        return "servers:\n  - name: kept\n    command: " + node() + "\n    args: [" + peer_file("trouble_server.mjs") +
               ", kept]\n" + more;
    };
    Gateway gateway(config(""), {}, {"--no-watch"});
    Client client = connect_to(gateway);
    const auto processes = [] { return processes_with("trouble_server.mjs kept"); };
    ASSERT_TRUE(client.call("kept_who", {}));
    const auto before = processes();
    ASSERT_EQ(before.size(), 1u);

    gateway.rewrite(
        config("    trust_hints: false\n    retries: {attempts: 1}\n    on_tool_change: quarantine\n"
               "    on_connect_error: fail\n    breaker: patient\n    max_concurrent: 3\n    rate: 1000/s\n"
               "    require_approval: never\n    deny: [hang]\n"));
    EXPECT_THAT(ask(gateway, {"reload"}), HasSubstr("kept"));
    ASSERT_TRUE(client.call("kept_who", {}));
    EXPECT_EQ(processes(), before);
    EXPECT_THAT(tools_of(client), Not(Contains("kept_hang")));

    gateway.rewrite(config("    max_lanes: 3\n"));
    EXPECT_THAT(ask(gateway, {"reload"}), HasSubstr("kept"));
    ASSERT_TRUE(client.call("kept_who", {}));
    EXPECT_TRUE(eventually([&] { return !processes().empty() && processes() != before; }));
}

TEST(ReloadTest, EveryChangedKeyIsNamedWithWhatItsChangeDoes) {
    const Upstream upstream;
    Gateway gateway("servers:\n" + upstream.as("one"), {}, {"--no-watch"});
    gateway.rewrite(
        "servers:\n" + upstream.as("one") +
        "groups: {readers: [one]}\napprovals: {rules: [{tools: [drop]}], keep: 1m}\ninstructions: Be kind.\n"
        "on_collision: first\ntimeout: 31s\nready_timeout: 2m\n"
        "limits: {principal_rate: 1000/s, max_streams: 5}\nlisten: 127.0.0.1:1\n");
    const std::string told = ask(gateway, {"reload"});
    for (const char* key : {"approvals.keep", "approvals.rules", "groups.readers", "instructions",
                            "limits.principal_rate", "on_collision", "timeout"})
        EXPECT_THAT(told, HasSubstr(key));
    EXPECT_THAT(told, HasSubstr("one")) << "it has another timeout";
    EXPECT_THAT(told, ::testing::ContainsRegex("next start.*limits.max_streams, ready_timeout"));
    EXPECT_THAT(told, Not(HasSubstr("listen"))) << "the command line decides";
}

TEST(ReloadTest, ACallThatRunsAtAServerThatGoesFinishesThere) {
    SKIP_WITHOUT(dual_era_js());
    const auto slow = [](const std::string& name) {
        return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + peer_file("trouble_server.mjs") +
               ", " + name + "]\n    timeout: 60s\n";
    };
    Gateway gateway("servers:\n" + slow("old"));
    Client client = connect_to(gateway);
    auto running = client.call_async("old_slow", {{"ms", 3000}});
    EXPECT_TRUE(eventually([&] {
        const auto status = Json::parse(ask(gateway, {"status", "--json"}));
        return status && *status->at_pointer("/servers/0/running") == Json(1);
    }));
    gateway.rewrite("servers:\n" + slow("new"));
    EXPECT_TRUE(gateway.child().wait_for_output("added: new; removed: old"));
    EXPECT_THAT(tools_of(client), Not(Contains("old_slow")));
    const auto result = running.get();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_TRUE(eventually([] { return processes_with("trouble_server.mjs old").empty(); }))
        << "and then its server ends";
}

bool all_are_ready(const Gateway& gateway) {
    const auto status = Json::parse(ask(gateway, {"status", "--json"}));
    const Json* servers = status ? status->find("servers") : nullptr;
    return servers != nullptr && std::ranges::all_of(*servers->if_array(), [](const Json& server) {
               return *server.find("state") == Json("ready");
           });
}

TEST(ReloadTest, AHundredServersUnderLoadLoseNoCall) {
    constexpr int kServers = kSanitized ? 40 : 100;
    const Upstream upstream;
    const auto config = [&upstream](int round) {
        std::string text =
            "servers:\n" + upstream.as("steady", "    total_timeout: " + std::to_string(100 + round) + "s\n");
        for (int i = 0; i < kServers; ++i) {
            // A third stays, a third is reconnected, a third comes and goes.
            if (i % 3 == 2 && round % 2 == 1) continue;
            const std::string more = i % 3 == 1 ? "    timeout: " + std::to_string(20 + round) + "s\n" : "";
            text += upstream.as("s" + std::to_string(i), more);
        }
        return text;
    };
    Gateway gateway(config(0));
    ASSERT_TRUE(eventually([&] { return all_are_ready(gateway); })) << "calls begin when every tool is listed";
    std::atomic<bool> stop = false;
    std::atomic<int> done = 0;
    std::vector<std::string> failures;
    std::mutex guard;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&, i] {
            auto client = connect(options_for(HttpServer{.url = gateway.url()}));
            // One kind of server per caller; the third kind is called only while it exists.
            const std::string tool = i == 0   ? "steady_test_simple_text"
                                     : i == 1 ? "s1_test_simple_text"
                                              : "s0_test_simple_text";
            while (client && !stop) {
                auto result = client->call(tool, {});
                if (!result) {
                    const std::lock_guard lock(guard);
                    failures.push_back(tool + ": " + result.error().to_string());
                }
                ++done;
            }
        });
    }
    for (int round = 1; round <= 4; ++round) {
        const int before = done;
        gateway.rewrite(config(round));
        EXPECT_THAT(ask(gateway, {"reload"}), HasSubstr("configuration reloaded"));
        EXPECT_TRUE(eventually([&] { return done > before + 50; }));
    }
    stop = true;
    for (std::thread& caller : callers) caller.join();
    EXPECT_THAT(failures, ::testing::IsEmpty()) << "of " << done << " calls";
}

TEST(ReloadTest, McpMovesToAnotherPath) {
    Gateway gateway("demo_tools: true\n", {}, {"--no-watch"});
    const auto status_of = [&](const std::string& path) {
        RawClient client(gateway.port());
        client.send(request("GET", path, ""));
        return client.reply().status;
    };
    EXPECT_EQ(status_of("/mcp/tools"), 200);
    gateway.rewrite("demo_tools: true\npath: /other/place\n");
    EXPECT_THAT(ask(gateway, {"reload"}), AllOf(HasSubstr("path"), Not(HasSubstr("next start"))));
    EXPECT_EQ(status_of("/mcp/tools"), 404);
    EXPECT_EQ(status_of("/other/place/tools"), 200);
    EXPECT_THAT(ask(gateway, {"status"}), HasSubstr("/other/place"));
    auto client =
        connect(options_for(HttpServer{.url = "http://127.0.0.1:" + std::to_string(gateway.port()) + "/other/place"}));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_THAT(tools_of(*client), Contains("demo_echo"));
}

TEST(ReloadTest, WhoMayComeAndHowMuchIsTakenOverAtOnce) {
    // Without the watch, so that the command is the first to read the file and reports the change.
    Gateway gateway("demo_tools: true\nallowed_hosts: [old.example]\n", {}, {"--no-watch"});
    const std::string ping =
        legacy("1", "initialize",
               R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"})");
    const auto post = [&](const std::string& host, const std::string& body) {
        RawClient client(gateway.port());
        client.send(request("POST", "/mcp", body, {{"Host", host}}));
        return client.reply();
    };
    const RawReply before = post("old.example", ping);
    EXPECT_EQ(before.status, 200);
    EXPECT_NE(before.header("Mcp-Session-Id"), "");
    EXPECT_EQ(post("new.example", ping).status, 403);
    const std::string large = "{" + std::string(200'000, ' ') + "}";
    EXPECT_EQ(post("old.example", large).status, 400) << "it is no message, but not too large";

    gateway.rewrite(
        "demo_tools: true\nallowed_hosts: [new.example]\nstateless: true\njson_response: true\n"
        "limits: {max_request_bytes: 100000, max_connections: 50}\n");
    const std::string told = ask(gateway, {"reload"});
    for (const char* key : {"allowed_hosts", "stateless", "json_response", "max_request_bytes", "max_connections"})
        EXPECT_THAT(told, HasSubstr(key));
    EXPECT_THAT(told, Not(HasSubstr("next start")));
    EXPECT_EQ(post("old.example", ping).status, 403);
    const RawReply after = post("new.example", ping);
    EXPECT_EQ(after.status, 200);
    EXPECT_EQ(after.header("Mcp-Session-Id"), "") << "without sessions";
    EXPECT_EQ(after.header("Content-Type"), "application/json");
    EXPECT_EQ(post("new.example", large).status, 413);
}

}  // namespace
}  // namespace gantry::testing
