// Changing the servers of a running gateway from the command line: add, remove, enable, disable, restart.
#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string everything_server() {
    return gantry::test_support::built_path("examples/everything_server");
}

struct Ran {
    int code = -1;
    std::string text;
};

/// `gantry …` in a folder.
Ran gantry_in(const std::string& folder, std::vector<std::string> words) {
    std::string line = "cd '" + folder + "' && exec \"$0\" \"$@\"";
    words.insert(words.begin(), {"/bin/sh", "-c", line, gantry_program()});
    Child child({.command = std::move(words), .env = {}});
    const auto code = child.wait();
    return {.code = code.value_or(-1), .text = child.out() + child.err()};
}

Ran run(const Gateway& gateway, std::vector<std::string> words) {
    const auto dashes = std::ranges::find(words, "--");
    words.insert(dashes, {"--state-dir", gateway.state()});
    return gantry_in("/", std::move(words));
}

std::string text_of_file(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

Json status_of(const Gateway& gateway) {
    return Json::parse(run(gateway, {"status", "--json"}).text).value_or(Json());
}

std::string names_in(const Json& status) {
    std::string names;
    const Json* const servers = status.find("servers");
    if (servers == nullptr || !servers->is_array()) return "no servers in " + status.dump();
    for (const Json& server : *servers->if_array()) names += std::string(server.string_at("name")) + " ";
    return names;
}

TEST(ServersTest, AddedDisabledEnabledAndRemovedWhileTheFileKeepsItsComments) {
    const std::string before =
        "# my servers\nservers:\n  # the first\n  - name: e # short for everything\n    command: " +
        everything_server() + "\n    args: [--stdio]\n\n# the end\n";
    Gateway gateway(before);
    const Ran added = run(gateway, {"add", "two", "--prefix", "zwei", "--", everything_server(), "--stdio"});
    EXPECT_EQ(added.code, 0) << added.text;
    EXPECT_THAT(added.text,
                AllOf(HasSubstr("'two' added to " + gateway.file()), HasSubstr("two: ready, "), HasSubstr(" tools")));
    EXPECT_EQ(names_in(status_of(gateway)), "e two ");
    const std::string with_two = text_of_file(gateway.file());
    EXPECT_THAT(with_two,
                AllOf(HasSubstr("# my servers\n"), HasSubstr("  # the first\n  - name: e # short for everything\n"),
                      HasSubstr("\n# the end\n")));
    EXPECT_THAT(with_two, HasSubstr("  - name: two\n    command: "));
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->call("zwei_test_simple_text", {}));

    const Ran twice = run(gateway, {"add", "two", "--", "true"});
    EXPECT_EQ(twice.code, 2);
    EXPECT_THAT(twice.text, AllOf(HasSubstr("already a server 'two'"), HasSubstr("--replace")));

    const Ran off = run(gateway, {"disable", "two"});
    EXPECT_EQ(off.code, 0) << off.text;
    EXPECT_THAT(off.text, HasSubstr("no longer offers it"));
    EXPECT_EQ(names_in(status_of(gateway)), "e ");
    EXPECT_THAT(text_of_file(gateway.file()), HasSubstr("    enabled: false\n"));
    const Ran on = run(gateway, {"enable", "two"});
    EXPECT_EQ(on.code, 0) << on.text;
    EXPECT_THAT(on.text, HasSubstr("two: ready, "));

    const Ran removed = run(gateway, {"remove", "two"});
    EXPECT_EQ(removed.code, 0) << removed.text;
    EXPECT_EQ(names_in(status_of(gateway)), "e ");
    EXPECT_EQ(text_of_file(gateway.file()), before) << "as if it had never been there";
    const Ran again = run(gateway, {"remove", "two"});
    EXPECT_EQ(again.code, 3);
    EXPECT_THAT(again.text, HasSubstr("no server 'two'"));
}

TEST(ServersTest, AServerThatCannotBeReachedIsAddedAndItsTroubleShown) {
    Gateway gateway("servers: []\n");
    const Ran added = run(gateway, {"add", "gone", "--", "/nonexistent/server"});
    EXPECT_EQ(added.code, 3) << added.text;
    EXPECT_THAT(added.text, AllOf(HasSubstr("'gone' added"), HasSubstr("gone: down: "),
                                  HasSubstr("/nonexistent/server"), HasSubstr("gantry logs --server gone")));
    const Ran url = run(gateway, {"add", "web", "http://127.0.0.1:" + std::to_string(free_port()) + "/mcp", "--header",
                                  "Authorization: Bearer abc", "--json"});
    EXPECT_EQ(url.code, 3) << url.text;
    EXPECT_THAT(url.text,
                AllOf(HasSubstr(R"("change": "added")"), HasSubstr("in plain text"), Not(HasSubstr("Bearer abc"))));
    EXPECT_THAT(text_of_file(gateway.file()), HasSubstr("    headers:\n      Authorization: \"Bearer abc\"\n"));
}

TEST(ServersTest, WhatIsWrongIsSaidBeforeAnythingIsWritten) {
    const TempDir folder;
    const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
        {{"add", "x"}, "gantry add x -- COMMAND"},
        {{"add", "x", "not a url"}, "is no URL"},
        {{"add", "a b", "--", "true"}, "is not a valid server name"},
        {{"add", "x", "http://127.0.0.1/mcp", "--", "true"}, "not both"},
        {{"add", "x", "--env", "A=b", "http://127.0.0.1/mcp"}, "--env and --cwd are for"},
        {{"add", "x", "--header", "nothing", "http://127.0.0.1/mcp"}, "--header expects"},
        {{"add", "x", "--header", "A: b", "--", "true"}, "or for a command with --transport http or sse"},
        {{"add", "x", "--timeout", "soon", "--", "true"}, "would be invalid"},
        {{"remove", "x"}, "no gateway is running and there is no gantry.yaml"},
        {{"enable", "x", "--config", "none.yaml"}, "there is no such file"},
    };
    for (auto [words, says] : rows) {
        const auto dashes = std::ranges::find(words, "--");
        words.insert(dashes, {"--state-dir", folder.path() + "/state"});
        const Ran ran = gantry_in(folder.path(), words);
        EXPECT_EQ(ran.code, 2) << says << "\n" << ran.text;
        EXPECT_THAT(ran.text, HasSubstr(says));
        EXPECT_NE(::access((folder.path() + "/gantry.yaml").c_str(), F_OK), 0) << says;
    }
}

TEST(ServersTest, WithoutAGatewayTheFileOfTheFolderIsWritten) {
    const TempDir folder;
    const std::vector<std::string> state = {"--state-dir", folder.path() + "/state"};
    Ran ran = gantry_in(folder.path(), {"add", "e", state[0], state[1], "--env", "A=1", "--env", "B=2", "--cwd", ".",
                                        "--", "./server", "--stdio"});
    EXPECT_EQ(ran.code, 0) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("the next gantry serve uses it"));
    const std::string text = text_of_file(folder.path() + "/gantry.yaml");
    EXPECT_THAT(text, AllOf(HasSubstr("servers:\n  - name: e\n"), HasSubstr("/server\n    args: [\"--stdio\"]\n"),
                            HasSubstr("    env:\n      A: \"1\"\n      B: \"2\"\n")));
    EXPECT_THAT(text, Not(HasSubstr("./server"))) << "the gateway may start in another folder";
    ran = gantry_in(folder.path(), {"disable", "e", state[0], state[1]});
    EXPECT_EQ(ran.code, 0) << ran.text;
    EXPECT_EQ(gantry_in(folder.path(), {"check"}).code, 0);
}

TEST(ServersTest, RestartGivesAServerANewProcessWhileCallsFinish) {
    SKIP_WITHOUT(dual_era_js());
    const std::string marker = "trouble_server.mjs restarted";
    Gateway gateway("servers:\n  - name: d\n    command: " + node() + "\n    args: [" +
                    peer_file("trouble_server.mjs") + ", restarted]\n    timeout: 60s\n");
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    const auto first = processes_with(marker);
    ASSERT_EQ(first.size(), 1u);
    auto running = client->call_async("d_slow", {{"ms", 3000}});
    EXPECT_TRUE(eventually([&] { return *status_of(gateway).at_pointer("/servers/0/running") == Json(1); }));
    const Ran ran = run(gateway, {"restart", "d"});
    EXPECT_EQ(ran.code, 0) << ran.text;
    EXPECT_THAT(ran.text, HasSubstr("d: ready, "));
    const auto result = running.get();
    EXPECT_TRUE(result) << "a call in flight finishes at the old process: " << result.error().to_string();
    EXPECT_TRUE(eventually([&] {
        const auto now = processes_with(marker);
        return now.size() == 1 && now != first;
    })) << "the old process ends, the new one stays";
    const auto tools = client->list_tools({.refresh = true});
    ASSERT_TRUE(tools);
    EXPECT_FALSE(tools->empty());
    EXPECT_EQ(run(gateway, {"restart", "nobody"}).code, 3);
}

}  // namespace
}  // namespace gantry::testing
