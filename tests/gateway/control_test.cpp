// The commands for a running gateway: approvals, breakers, events, metrics.
#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <future>

#include "gateway/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string everything(const std::string& more = {}) {
    return "servers:\n  - name: e\n    command: " + gantry::test_support::built_path("examples/everything_server") +
           "\n    args: [--stdio]\n" + more;
}

Child asked(const Gateway& gateway, std::vector<std::string> words) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state()});
    return Child({.command = std::move(words), .env = {}});
}

std::string ask(const Gateway& gateway, std::vector<std::string> words, int expected = 0) {
    Child child = asked(gateway, std::move(words));
    EXPECT_EQ(child.wait(), expected) << child.err();
    return child.out() + child.err();
}

Client connect_to(const Gateway& gateway) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

/// The id of the only pending question.
std::string waiting(const Gateway& gateway) {
    std::string id;
    EXPECT_TRUE(eventually([&] {
        const auto answer = Json::parse(ask(gateway, {"approvals", "--json"}));
        const Json* const first = answer ? answer->at_pointer("/approvals/0/id") : nullptr;
        if (first != nullptr) id = *first->if_string();
        return first != nullptr;
    }));
    return id;
}

TEST(ControlTest, APersonApprovesOrRejectsACallFromTheCommandLine) {
    Gateway gateway(everything("    require_approval: {always: [greet]}\n"));
    Client client = connect_to(gateway);
    auto call = client.call_async("e_greet", {{"name", "Ada Lovelace"}});
    const std::string first = waiting(gateway);
    EXPECT_THAT(ask(gateway, {"approvals"}),
                AllOf(HasSubstr("Ada Lovelace"), HasSubstr("EXPIRES IN"), HasSubstr("AGE")));
    EXPECT_THAT(ask(gateway, {"approvals", "show", first}),
                AllOf(HasSubstr("\"name\": \"Ada Lovelace\""), HasSubstr("gantry approvals --approve " + first)));
    EXPECT_THAT(ask(gateway, {"approvals", "show", "none"}, 3), HasSubstr("no call is waiting for approval 'none'"));
    EXPECT_THAT(ask(gateway, {"approvals", "--approve", first}), HasSubstr("approved"));
    const auto result = call.get();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_THAT(ask(gateway, {"approvals", "--approve", first}, 3), HasSubstr(first)) << "an approval is for one call";

    auto another = client.call_async("e_greet", {{"name", "Charles"}});
    EXPECT_THAT(ask(gateway, {"approvals", "--reject", waiting(gateway), "--reason", "not today"}),
                HasSubstr("rejected"));
    const auto refused = another.get();
    EXPECT_TRUE(!refused || refused->is_error);
    EXPECT_THAT(ask(gateway, {"approvals"}), HasSubstr("no calls are waiting"));
}

TEST(ControlTest, EventsOfCallsArriveWhereTheyAreFollowed) {
    Gateway gateway(everything());
    Client client = connect_to(gateway);
    Child follower = asked(gateway, {"events", "--count", "1"});
    // The follower may connect late: keep calling until it has received an event.
    EXPECT_TRUE(eventually([&] {
        EXPECT_TRUE(client.call("e_greet", {{"name", "x"}}));
        return !follower.running() || follower.wait_for_output("gantry.tool.called", std::chrono::seconds(1));
    }));
    EXPECT_THAT(follower.out(), HasSubstr("e_greet"));
}

TEST(ControlTest, StatusCountsCallsAndFailures) {
    Gateway gateway(everything());
    Client client = connect_to(gateway);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.call("e_greet", {{"name", "x"}}));
    (void)client.call("e_test_error_handling", {});
    const auto status = Json::parse(ask(gateway, {"status", "--json"}));
    ASSERT_TRUE(status);
    EXPECT_EQ(*status->at_pointer("/servers/0/calls"), Json(4));
    EXPECT_EQ(*status->at_pointer("/servers/0/failed"), Json(1));
    EXPECT_GT(status->at_pointer("/servers/0/p50_ms")->as_double().value_or(0), 0);
    EXPECT_THAT(ask(gateway, {"breakers"}), HasSubstr("closed"));
    EXPECT_THAT(ask(gateway, {"breakers", "--reset", "e"}), HasSubstr("may be called again"));
    EXPECT_THAT(ask(gateway, {"breakers", "--reset", "nobody"}, 3), HasSubstr("nobody"));
}

TEST(ControlTest, PatternsThatMatchNothingAreWarnedOfAndToolsAreCountedAfterFilters) {
    Gateway gateway(everything("    allow: [greet, nonesuch_*]\n    deny: [test_gone]\n") +
                    "groups:\n  - {name: g, tools: [\"e_greet\", \"zzz_*\"]}\n");
    const auto warned = AllOf(HasSubstr("allow pattern 'nonesuch_*' matches nothing"),
                              HasSubstr("deny pattern 'test_gone' matches nothing"),
                              HasSubstr("group 'g': pattern 'zzz_*' matches no tool"), Not(HasSubstr("'e_greet'")));
    EXPECT_THAT(gateway.child().out(), warned) << "at the start";
    EXPECT_THAT(ask(gateway, {"status"}), warned);
    const auto status = Json::parse(ask(gateway, {"status", "--json"}));
    ASSERT_TRUE(status);
    EXPECT_EQ(*status->at_pointer("/servers/0/tools"), Json(1));
    EXPECT_GT(status->at_pointer("/servers/0/tools_offered")->as_int().value_or(0), 10);
}

TEST(ControlTest, NamesThatDoNotExistAreSaidSo) {
    Gateway gateway(everything());
    EXPECT_THAT(ask(gateway, {"logs", "--server", "nobody"}, 2),
                AllOf(HasSubstr("no server 'nobody'"), HasSubstr("servers: e")));
    EXPECT_THAT(ask(gateway, {"events", "--type", "tools.called"}, 2),
                AllOf(HasSubstr("no type of event matches"), HasSubstr("tool.called")));
    EXPECT_THAT(ask(gateway, {"audit", "show", "--type", "nonsense"}, 2), HasSubstr("no type of event contains"));
    EXPECT_EQ(ask(gateway, {"logs", "--server", "e", "--level", "error"}), "")
        << "a server without such lines is no mistake";
}

TEST(ControlTest, EventsAndTheRecordAreTablesWhereAskedFor) {
    Gateway gateway(everything());
    Client client = connect_to(gateway);
    EXPECT_TRUE(client.call("e_greet", {{"name", "x"}}));
    std::string table;
    EXPECT_TRUE(eventually([&] {
        table = ask(gateway, {"audit", "show", "--format", "table", "--type", "tool.called"});
        return table.contains("e_greet");
    })) << table;
    EXPECT_THAT(table, AllOf(HasSubstr("TIME"), HasSubstr("tool.called"), Not(HasSubstr("specversion"))));
    EXPECT_THAT(ask(gateway, {"audit", "show", "--type", "tool.called"}), HasSubstr("\"specversion\""))
        << "JSON for programs";
    const std::string events = ask(gateway, {"events", "--after", "0", "--count", "2", "--format", "table"});
    EXPECT_THAT(events, AllOf(HasSubstr("SUBJECT"), Not(HasSubstr("specversion"))));
}

TEST(ControlTest, AReloadThatWentWellIsNoWarning) {
    Gateway gateway(everything());
    gateway.rewrite(everything("    timeout: 20s\n"));
    std::string lines;
    EXPECT_TRUE(eventually([&] {
        lines = ask(gateway, {"logs", "--json"});
        return lines.contains("configuration reloaded");
    }));
    EXPECT_THAT(ask(gateway, {"logs", "--json", "--level", "warning"}), Not(HasSubstr("configuration reloaded")));
}

TEST(ControlTest, AnotherUserHearsThatPermissionIsDenied) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    Gateway gateway(everything());
    const TempDir data;
    std::filesystem::create_directories(data.path() + "/gantry");
    std::filesystem::permissions(data.path() + "/gantry", std::filesystem::perms::owner_all);
    const auto as_nobody = [&](std::vector<std::string> words) {
        words.insert(words.begin(),
                     {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", gantry_program()});
        Child child({.command = std::move(words), .env = {{"XDG_DATA_HOME", data.path()}}});
        EXPECT_NE(child.wait(), 0) << child.out();
        return child.err();
    };
    std::filesystem::permissions(data.path(), std::filesystem::perms(0755));
    EXPECT_THAT(as_nobody({"status", "--state-dir", gateway.state()}),
                AllOf(HasSubstr("permission denied"), HasSubstr("sudo -u")));
    EXPECT_THAT(as_nobody({"secrets", "list"}), HasSubstr("permission denied"));
}

TEST(ControlTest, TheLogIsReadFromOutsideWithWhatServersWriteToStandardError) {
    Gateway gateway("log: {level: error, calls: true}\nservers:\n  - name: e\n    command: /bin/sh\n    args: [-c, '" +
                    std::string("echo \"hello from the server\" >&2; exec ") +
                    gantry::test_support::built_path("examples/everything_server") +
                    " --stdio']\n  - name: gone\n    command: /nonexistent/server\n");
    Client client = connect_to(gateway);
    EXPECT_TRUE(client.call("e_greet", {{"name", "x"}}));
    EXPECT_THAT(gateway.child().err(), ::testing::Not(HasSubstr("hello from"))) << "not asked for with --stderr";
    std::string lines;
    EXPECT_TRUE(eventually([&] {
        lines = ask(gateway, {"logs"});
        return lines.contains("hello from the server") && lines.contains("/nonexistent/server");
    })) << lines;
    EXPECT_THAT(lines, HasSubstr("correlation_id")) << "of the call, though standard error shows errors alone";
    const std::string of_one = ask(gateway, {"logs", "--server", "gone", "--level", "warning", "--json"});
    EXPECT_THAT(of_one, HasSubstr("/nonexistent/server"));
    EXPECT_THAT(of_one, ::testing::Not(HasSubstr("hello")));
    const auto last = Json::parse(ask(gateway, {"logs", "--server", "e", "--last", "1"}));
    ASSERT_TRUE(last) << "one line, one object";
    EXPECT_EQ(last->string_at("server"), "e");

    Child follower = asked(gateway, {"logs", "--follow", "--last", "0"});
    EXPECT_TRUE(eventually([&] {
        EXPECT_TRUE(client.call("e_greet", {{"name", "x"}}));
        return follower.wait_for_output("tools/call", std::chrono::seconds(1));
    }));
    ::kill(gateway.child().pid(), SIGTERM);
    EXPECT_EQ(gateway.child().wait(), 0);
    EXPECT_EQ(follower.wait(), 0) << "the gateway's end is the end of its log: " << follower.err();
    EXPECT_THAT(ask(gateway, {"logs"}, 3), HasSubstr("no gateway runs")) << "clear where nobody answers";
}

}  // namespace
}  // namespace gantry::testing
