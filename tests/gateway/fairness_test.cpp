// The cost of one server's schemas, lists and names for the others, and what an operator sees of it.
#include <gmock/gmock.h>

#include "bad_clients/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string hostile(const std::string& name, const std::string& arguments) {
    return "  - name: " + name + "\n    command: " + gantry::test_support::built_path("tests/gantry_hostile_server") +
           "\n    args: [" + arguments + "]\n";
}

std::string ask(const Gateway& gateway, std::vector<std::string> words) {
    words.insert(words.begin(), gantry_program());
    words.insert(words.end(), {"--state-dir", gateway.state()});
    Child child({.command = std::move(words), .env = {}});
    EXPECT_EQ(child.wait(), 0) << child.err();
    return child.out();
}

RawReply post(const Gateway& gateway, const std::string& method, const std::string& params, const std::string& name,
              const std::string& meta = kMeta) {
    RawClient client(gateway.port());
    client.send(request("POST", "/mcp", modern("1", method, params, meta), modern_fields(method, name)));
    return client.reply();
}

std::string call_params(const std::string& tool, const std::string& arguments) {
    return R"("name":")" + tool + R"(","arguments":)" + arguments;
}

std::string list_of(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += i == 0 ? "1999" : ",1999";
    return R"({"list":[)" + text + "]}";
}

TEST(FairnessTest, ACostlySchemaIsEnforcedOffTheLoopAndRefusedBeyondItsSteps) {
    Gateway gateway("demo_tools: true\nlimits: {validation_steps: 1000000}\nservers:\n" + hostile("bad", "costly"));
    EXPECT_EQ(post(gateway, "tools/call", call_params("bad_check", list_of(50)), "bad_check").text(), "done");
    EXPECT_THAT(post(gateway, "tools/call", call_params("bad_check", R"({"list":[-1]})"), "bad_check").body,
                HasSubstr("list/0"))
        << "it is enforced";
    const RawReply refused = post(gateway, "tools/call", call_params("bad_check", list_of(1000)), "bad_check");
    EXPECT_THAT(refused.body, AllOf(HasSubstr("too costly"), HasSubstr("limits.validation_steps")));
    EXPECT_EQ(post(gateway, "tools/call", echo_params("others"), "demo_echo").text(), "others");
    EXPECT_THAT(ask(gateway, {"status"}), HasSubstr("warning: bad: 1 call was refused"));
}

TEST(FairnessTest, ALongListIsCutAndOtherServersKeepTheirTools) {
    Gateway gateway("max_tools: 100\nservers:\n" + hostile("long", "tools, '300'") + hostile("small", "tools, '5'"));
    EXPECT_EQ(post(gateway, "tools/call", call_params("small_t4", "{}"), "small_t4").text(), "done");
    EXPECT_EQ(post(gateway, "tools/call", call_params("long_t0", "{}"), "long_t0").text(), "done");
    const std::string status = ask(gateway, {"status"});
    EXPECT_THAT(status, HasSubstr("warning: long: 205 tools are left out"));
    EXPECT_THAT(status, Not(HasSubstr("warning: small")));
    EXPECT_THAT(gateway.child().err(), HasSubstr("205 tools are left out"));
    const auto events = [&gateway](const char* count) {
        return ask(gateway, {"events", "--after", "0", "--type", "catalog.truncated", "--count", count});
    };
    // The long list may have been the first to arrive: it was cut once for itself and once more for the other.
    std::string said = events("1");
    if (said.contains("\"tools_left_out\":200")) said = events("2");
    EXPECT_THAT(said, AllOf(HasSubstr("\"long\""), HasSubstr("\"tools_left_out\":205")));
}

TEST(FairnessTest, ASchemaThatIsNotEnforcedIsShown) {
    Gateway gateway("servers:\n" + hostile("bad", "unusable"));
    EXPECT_THAT(ask(gateway, {"status"}), HasSubstr("warning: bad: arguments of 1 tool are not validated"));
    EXPECT_THAT(gateway.child().err(), HasSubstr("arguments of tool 'odd' are not validated"));
    EXPECT_EQ(post(gateway, "tools/call", call_params("bad_odd", R"({"any":1})"), "bad_odd").text(), "done");
}

TEST(FairnessTest, AContestedUriBelongsToTheServerThatIsConfiguredFirst) {
    for (const auto& [first, second] : {std::pair("400", "0"), std::pair("0", "400")}) {
        Gateway gateway("servers:\n" + hostile("one", "resource, one, '" + std::string(first) + "'") +
                        hostile("two", "resource, two, '" + std::string(second) + "'"));
        const RawReply read = post(gateway, "resources/read", R"("uri":"shared://one")", "shared://one");
        EXPECT_THAT(read.body, HasSubstr("of one")) << "whichever answers first";
        const std::string other = "via-two+shared://one";
        EXPECT_THAT(post(gateway, "resources/read", R"("uri":")" + other + "\"", other).body, HasSubstr("of two"));
    }
}

TEST(FairnessTest, WhatAPersonApprovesIsShownWithItsInvisibleCharacters) {
    Gateway gateway("servers:\n" + everything_server("    require_approval: {always: [greet]}\n"));
    RawClient waiting(gateway.port());
    waiting.send(request("POST", "/mcp",
                         modern("1", "tools/call", call_params("every_greet", R"({"name":"a\u202eb"})")),
                         modern_fields("tools/call", "every_greet")));
    std::string shown;
    EXPECT_TRUE(eventually([&] {
        shown = ask(gateway, {"approvals"});
        return shown.contains("every");
    }));
    EXPECT_THAT(shown, HasSubstr("a<U+202E>b"));
    EXPECT_THAT(shown, Not(HasSubstr("\u202e")));
}

const std::string kAsking =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
    R"({"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}})";

TEST(FairnessTest, StatesAndTaskIdsOfAnotherGatewayOrAnotherCallAreRefused) {
    const std::string config = "servers:\n" + everything_server();
    Gateway own(config);
    Gateway other(config);
    const std::string tool = "every_test_input_required_result_elicitation";
    const RawReply asked = post(own, "tools/call", call_params(tool, "{}"), tool, kAsking);
    const Json question = asked.json();
    const Json* const state = question.at_pointer("/result/requestState");
    ASSERT_NE(state, nullptr) << asked.body;
    const auto again = [&](const Gateway& gateway, const std::string& name, const std::string& with) {
        return post(gateway, "tools/call",
                    call_params(name, "{}") + R"(,"requestState":)" + with +
                        R"(,"inputResponses":{"user_name":{"action":"accept","content":{"name":"Ada"}}})",
                    name, kAsking);
    };
    EXPECT_EQ(again(other, tool, state->dump()).code(), -32602) << "another gateway's";
    EXPECT_EQ(again(own, "every_test_input_required_result_request_state", state->dump()).code(), -32602)
        << "another call's";
    std::string forged = *state->if_string();
    forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
    EXPECT_EQ(again(own, tool, Json(forged).dump()).code(), -32602) << "a forged one";
    EXPECT_THAT(again(own, tool, state->dump()).text(), HasSubstr("Ada")) << "its own";

    const RawReply begun = post(own, "tools/call", call_params("every_slow_compute", R"({"seconds":1,"label":"six"})"),
                                "every_slow_compute", kAsking);
    const Json started = begun.json();
    const Json* const task = started.at_pointer("/result/taskId");
    ASSERT_NE(task, nullptr) << begun.body;
    for (const std::string method : {"tasks/get", "tasks/cancel"}) {
        const RawReply foreign = post(other, method, R"("taskId":)" + task->dump(), *task->if_string(), kAsking);
        EXPECT_EQ(foreign.code(), -32602) << method << foreign.body;
    }
    EXPECT_EQ(post(own, "tasks/get", R"("taskId":"somebody-elses")", "somebody-elses", kAsking).code(), -32602);
    EXPECT_EQ(post(own, "tasks/get", R"("taskId":)" + task->dump(), *task->if_string(), kAsking).code(), 0);
}

}  // namespace
}  // namespace gantry::testing
