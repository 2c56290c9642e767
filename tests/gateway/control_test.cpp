// Asking a running gateway: approvals, breakers, events, figures.
#include <gmock/gmock.h>

#include <future>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

std::string everything(const std::string& more = {}) {
    return "servers:\n  - name: e\n    command: " + std::string(GANTRY_BINARY_DIR) +
           "/examples/everything_server\n    args: [--stdio]\n" + more;
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

/// The id of the only question that waits.
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
    EXPECT_THAT(ask(gateway, {"approvals"}), HasSubstr("Ada Lovelace")) << "whoever decides sees the arguments";
    EXPECT_THAT(ask(gateway, {"approvals", "--approve", first}), HasSubstr("approved"));
    const auto result = call.get();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_THAT(ask(gateway, {"approvals", "--approve", first}, 2), HasSubstr(first)) << "an approval is for one call";

    auto another = client.call_async("e_greet", {{"name", "Charles"}});
    EXPECT_THAT(ask(gateway, {"approvals", "--reject", waiting(gateway), "--reason", "not today"}),
                HasSubstr("rejected"));
    const auto refused = another.get();
    EXPECT_TRUE(!refused || refused->is_error);
    EXPECT_THAT(ask(gateway, {"approvals"}), HasSubstr("nothing waits"));
}

TEST(ControlTest, EventsOfCallsArriveWhereTheyAreFollowed) {
    Gateway gateway(everything());
    Client client = connect_to(gateway);
    Child follower = asked(gateway, {"events", "--count", "1"});
    // The follower may be late: calls go on until it has heard of one.
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
    EXPECT_THAT(ask(gateway, {"breakers", "--reset", "nobody"}, 2), HasSubstr("nobody"));
}

TEST(ControlTest, TheLogIsReadFromOutsideWithWhatServersWriteToStandardError) {
    Gateway gateway("log: {level: error, calls: true}\nservers:\n  - name: e\n    command: /bin/sh\n    args: [-c, '" +
                    std::string("echo \"hello from the server\" >&2; exec ") + GANTRY_BINARY_DIR +
                    "/examples/everything_server --stdio']\n  - name: gone\n    command: /nonexistent/server\n");
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
    EXPECT_THAT(ask(gateway, {"logs"}, 2), HasSubstr("no gateway runs")) << "clear where nobody answers";
}

}  // namespace
}  // namespace gantry::testing
