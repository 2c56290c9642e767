// Tasks through the gateway: a modern client is notified of progress, whichever form of tasks its server supports.
#include "gateway/raw_http.hpp"
#include "gateway/watched.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

std::string everything_program() {
    return gantry::test_support::built_path("examples/everything_server");
}

const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":)"
    R"({"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":)"
    R"({"extensions":{"io.modelcontextprotocol/tasks":{}}}})";

void post_modern(RawHttp& http, const std::string& method, const std::string& name, const std::string& params) {
    std::string fields = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n";
    if (!name.empty()) fields += "Mcp-Name: " + name + "\r\n";
    http.send("POST", fields,
              R"({"jsonrpc":"2.0","id":"r","method":")" + method + R"(","params":{)" + params + "," + kMeta + "}}");
}

/// The value of a string member in the received text.
std::string member(const std::string& text, const std::string& name) {
    const auto at = text.find("\"" + name + "\":\"");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 4;
    return text.substr(begin, text.find('"', begin) - begin);
}

class TasksTest : public ::testing::TestWithParam<const char*> {};

TEST_P(TasksTest, AModernClientIsToldWhenItsTaskEnds) {
    Gateway gateway("servers:\n  - name: e\n    command: " + everything_program() + "\n    args: [--stdio, --era, " +
                    GetParam() + "]\n    era: " + GetParam() + "\n");
    RawHttp call(gateway.port());
    post_modern(call, "tools/call", "e_slow_compute",
                R"("name":"e_slow_compute","arguments":{"seconds":1,"label":"six"})");
    ASSERT_TRUE(call.read_until("taskId")) << call.received();
    ASSERT_TRUE(call.read_until("}}")) << call.received();
    const std::string id = member(call.received(), "taskId");
    ASSERT_FALSE(id.empty()) << call.received();

    RawHttp listen(gateway.port());
    post_modern(listen, "subscriptions/listen", "",
                R"("notifications":{"taskIds":[")" + id + R"(","somebody-elses"]})");
    ASSERT_TRUE(listen.read_until("acknowledged")) << listen.received();
    ASSERT_TRUE(listen.read_until("subscriptionId"));
    EXPECT_TRUE(listen.received().contains(R"("taskIds":[")" + id + R"("])")) << listen.received();
    ASSERT_TRUE(listen.read_until(R"("status":"completed")")) << listen.received();
    ASSERT_TRUE(listen.read_until("Computed six")) << listen.received();
    EXPECT_TRUE(listen.received().contains(R"("method":"notifications/tasks")")) << listen.received();
    EXPECT_TRUE(listen.received().contains(R"("taskId":")" + id + "\"")) << listen.received();

    RawHttp get(gateway.port());
    post_modern(get, "tasks/get", id, R"("taskId":")" + id + "\"");
    EXPECT_TRUE(get.read_until("Computed six")) << get.received();
}

TEST_P(TasksTest, ABackgroundCallDoesNotBeginBeforeSomebodyAgreed) {
    Gateway gateway("servers:\n  - name: e\n    command: " + everything_program() + "\n    args: [--stdio, --era, " +
                    GetParam() + "]\n    era: " + GetParam() + "\n    require_approval: always\n");
    const auto approvals = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {gantry_program(), "approvals", "--state-dir", gateway.state()});
        Child child({.command = std::move(words), .env = {}});
        EXPECT_EQ(child.wait(), 0) << child.err();
        return child.out();
    };
    RawHttp call(gateway.port());
    post_modern(call, "tools/call", "e_slow_compute",
                R"("name":"e_slow_compute","arguments":{"seconds":1,"label":"six"})");
    std::string id;
    ASSERT_TRUE(eventually([&] {
        const auto listed = Json::parse(approvals({"--json"}));
        const Json* const first = listed ? listed->at_pointer("/approvals/0/id") : nullptr;
        if (first != nullptr) id = *first->if_string();
        return !id.empty();
    }));
    EXPECT_FALSE(call.received().contains("taskId")) << call.received();
    approvals({"--approve", id});
    ASSERT_TRUE(call.read_until("taskId")) << call.received();
    const std::string task = member(call.received(), "taskId");
    RawHttp get(gateway.port());
    post_modern(get, "tasks/get", task, R"("taskId":")" + task + "\"");
    EXPECT_TRUE(get.read_until(R"("status":)")) << "asking for it needs no further approval: " << get.received();
}

INSTANTIATE_TEST_SUITE_P(EitherForm, TasksTest, ::testing::Values("modern", "legacy"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gantry::testing
