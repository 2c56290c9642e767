// Every path of the listener, over a raw socket.
#include <gmock/gmock.h>

#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

RawReply get(const Gateway& gateway, const std::string& path, const std::string& method = "GET") {
    RawClient client(gateway.port());
    client.send(request(method, path, "", {{"Accept", "*/*"}}));
    return client.reply(method == "HEAD");
}

RawReply post(const Gateway& gateway, const std::string& path, const std::string& body, const Fields& fields) {
    RawClient client(gateway.port());
    client.send(request("POST", path, body, fields));
    return client.reply();
}

TEST(RoutesTest, HealthAndReadySayHowThingsStand) {
    Gateway gateway("demo_tools: true\nservers:\n  - name: gone\n    command: /nonexistent/server\n");
    const RawReply health = get(gateway, "/health");
    EXPECT_EQ(health.status, 200);
    EXPECT_EQ(health.header("Content-Type"), "application/json");
    EXPECT_EQ(health.json().string_at("status"), "degraded") << health.body;
    EXPECT_EQ(health.json().at_pointer("/servers/gone")->dump(), "\"down\"");
    EXPECT_EQ(health.json().at_pointer("/servers/demo")->dump(), "\"ready\"");
    EXPECT_EQ(health.json().find("tools")->as_int(), 3);
    EXPECT_GE(health.json().find("uptimeSeconds")->as_int(), 0);
    const RawReply ready = get(gateway, "/ready");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.body, R"({"ready":true})");
    EXPECT_EQ(get(gateway, "/health", "HEAD").status, 200);
    const RawReply put = get(gateway, "/ready", "DELETE");
    EXPECT_EQ(put.status, 405);
    EXPECT_THAT(put.header("Allow"), HasSubstr("GET"));
}

TEST(RoutesTest, ToolsIsAPlainList) {
    Gateway gateway("demo_tools: true\n");
    const RawReply tools = get(gateway, "/mcp/tools");
    EXPECT_EQ(tools.status, 200);
    EXPECT_THAT(tools.body, HasSubstr("demo_echo"));
    EXPECT_THAT(tools.body, HasSubstr("inputSchema"));
    EXPECT_EQ(get(gateway, "/mcp/tools", "DELETE").status, 405);
}

TEST(RoutesTest, TheSummarySaysWhatIsConnectedInSentences) {
    Gateway gateway("demo_tools: true\n");
    const RawReply summary = get(gateway, "/mcp/summary");
    EXPECT_EQ(summary.status, 200);
    EXPECT_THAT(summary.header("Content-Type"), HasSubstr("text/plain"));
    EXPECT_THAT(summary.body, HasSubstr("- demo offers 3 tools: "));
}

TEST(RoutesTest, ServersAndGroupsHavePathsAndOthersAreNotThere) {
    Gateway gateway("demo_tools: true\ngroups:\n  - name: clock\n    tools: [\"*_now\"]\n");
    const auto list = [&](const std::string& path) {
        return post(gateway, path, modern("1", "tools/list"), modern_fields("tools/list")).body;
    };
    EXPECT_THAT(list("/mcp/servers/demo"), HasSubstr("\"echo\""));
    EXPECT_THAT(list("/mcp/groups/clock"), HasSubstr("demo_now"));
    EXPECT_THAT(list("/mcp/groups/clock"), Not(HasSubstr("demo_echo")));
    for (const char* path : {"/", "/mcp/servers/other", "/mcp/groups/other", "/mcp/servers", "/mcpx", "/metric"}) {
        const RawReply reply = post(gateway, path, modern("1", "tools/list"), modern_fields("tools/list"));
        EXPECT_EQ(reply.status, 404) << path;
        EXPECT_THAT(reply.body, HasSubstr("/mcp")) << path;
    }
}

TEST(RoutesTest, APathOfOnesOwn) {
    Gateway gateway("demo_tools: true\npath: /tools/v1\n");
    const auto call = [&](const std::string& path) {
        return post(gateway, path, modern("1", "tools/call", echo_params("hi")),
                    modern_fields("tools/call", "demo_echo"));
    };
    EXPECT_EQ(call("/tools/v1").text(), "hi");
    EXPECT_EQ(call("/mcp").status, 404);
    EXPECT_EQ(get(gateway, "/tools/v1/tools").status, 200);
}

TEST(RoutesTest, StatelessAndJsonOnlyAreOptions) {
    Gateway gateway("demo_tools: true\nstateless: true\njson_response: true\n");
    const RawReply hello =
        post(gateway, "/mcp",
             legacy("1", "initialize",
                    R"("protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"})"),
             {});
    EXPECT_EQ(hello.status, 200);
    EXPECT_EQ(hello.header("Mcp-Session-Id"), "");
    // Without a session and on another connection.
    const RawReply called =
        post(gateway, "/mcp", legacy("2", "tools/call", echo_params("hi")), {{"MCP-Protocol-Version", "2025-11-25"}});
    EXPECT_EQ(called.text(), "hi");
    EXPECT_THAT(called.header("Content-Type"), HasSubstr("application/json"));
    RawClient stream(gateway.port());
    stream.send(request("GET", "/mcp", ""));
    EXPECT_EQ(stream.reply().status, 405);
}

}  // namespace
}  // namespace gantry::testing
