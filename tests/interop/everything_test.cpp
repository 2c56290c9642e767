// The reference server, which uses every feature, over each of its transports.

#include <atomic>

#include "interop/peers.hpp"

namespace gantry::testing {
namespace {

/// Checks that must pass over every transport.
void exercise(Client& client) {
    EXPECT_EQ(client.state(), ConnectionState::kConnected);
    EXPECT_FALSE(mcp::is_modern(client.server().revision));
    EXPECT_FALSE(client.server().info.name.empty());
    auto pinged = client.ping();
    EXPECT_TRUE(pinged) << pinged.error().to_string();

    const auto tools = client.list_tools({.prefix = "all"});
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_TRUE(has_tool(*tools, "all_echo"));

    const auto echoed = client.call("echo", {{"message", "hello"}});
    ASSERT_TRUE(echoed) << echoed.error().to_string();
    EXPECT_NE(echoed->text().find("hello"), std::string::npos);
    EXPECT_FALSE(echoed->is_error);

    const auto resources = client.list_resources();
    ASSERT_TRUE(resources) << resources.error().to_string();
    ASSERT_FALSE(resources->empty());
    const auto read = client.read_resource(resources->front().uri);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_FALSE(read->contents.empty());

    const auto templates = client.list_resource_templates();
    ASSERT_TRUE(templates) << templates.error().to_string();
    EXPECT_FALSE(templates->empty());

    const auto prompts = client.list_prompts();
    ASSERT_TRUE(prompts) << prompts.error().to_string();
    ASSERT_FALSE(prompts->empty());
    for (const mcp::Prompt& prompt : *prompts) {
        if (!prompt.arguments.empty()) continue;
        const auto got = client.get_prompt(prompt.name);
        ASSERT_TRUE(got) << prompt.name << ": " << got.error().to_string();
        EXPECT_FALSE(got->messages.empty());
        break;
    }

    const auto unknown = client.call("no-such-tool");
    EXPECT_TRUE(!unknown || unknown->is_error);
    client.close();
    EXPECT_EQ(client.ping().error().code(), ErrorCode::kInvalidArgument);
}

TEST(Everything, OverStdio) {
    const std::string script = everything_js();
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    auto client = connect(options_for(StdioServer{.command = node(), .args = {script, "stdio"}}));
    ASSERT_TRUE(client) << client.error().to_string();
    exercise(*client);
}

TEST(Everything, ReportsProgressAndRunsCallsSideBySide) {
    const std::string script = everything_js();
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    auto client = connect(options_for(StdioServer{.command = node(), .args = {script, "stdio"}}));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    if (!has_tool(*tools, "trigger-long-running-operation")) GTEST_SKIP() << "the server no longer has that tool";
    std::atomic<int> steps = 0;
    CallOptions options;
    options.on_progress = [&steps](const mcp::Progress&) { ++steps; };
    auto slow = client->call_async("trigger-long-running-operation", {{"duration", 2}, {"steps", 4}}, options);
    for (int i = 0; i < 10; ++i) {
        const auto echoed = client->call("echo", {{"message", std::to_string(i)}});
        ASSERT_TRUE(echoed) << echoed.error().to_string();
        EXPECT_NE(echoed->text().find(std::to_string(i)), std::string::npos);
    }
    const auto done = slow.get();
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_GE(steps.load(), 2);
}

void over_http(const char* mode, const char* path, HttpServer::Transport transport) {
    const std::string script = everything_js();
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    const int port = free_port();
    Child server({.command = {node(), script, mode}, .env = {{"PORT", std::to_string(port)}}});
    ASSERT_TRUE(server.running());
    ASSERT_TRUE(wait_for_port(port)) << server.err();
    HttpServer http{.url = "http://127.0.0.1:" + std::to_string(port) + path};
    http.transport = transport;
    auto client = connect(options_for(std::move(http)));
    ASSERT_TRUE(client) << client.error().to_string();
    exercise(*client);
}
TEST(Everything, OverStreamableHttp) {
    over_http("streamableHttp", "/mcp", HttpServer::Transport::kAuto);
}
TEST(Everything, OverHttpWithServerSentEvents) {
    over_http("sse", "/sse", HttpServer::Transport::kSse);
}
TEST(Everything, FallsBackToServerSentEventsByItself) {
    over_http("sse", "/sse", HttpServer::Transport::kAuto);
}

}  // namespace
}  // namespace gantry::testing
