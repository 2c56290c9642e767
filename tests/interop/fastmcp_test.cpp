// FastMCP, the most common framework for servers in Python.

#include <atomic>

#include "interop/peers.hpp"

namespace gantry::testing {
namespace {

/// The Python in which tools/setup installed FastMCP, or the machine's own if it has it; empty: neither.
std::string python_with_fastmcp() {
    std::string ours = peer_file("python/.venv/bin/python");
    if (!ours.empty()) return ours;
    Child probe({.command = {"python3", "-c", "import fastmcp"}});
    return probe.wait() == 0 ? "python3" : std::string();
}

#define SKIP_WITHOUT_FASTMCP(python) \
    if ((python).empty())            \
    GTEST_SKIP() << "FastMCP is not installed: tools/setup gets it where the Python registry is reachable"

const Fields kQuiet = {{"FASTMCP_CHECK_FOR_UPDATES", "off"}, {"FASTMCP_LOG_LEVEL", "ERROR"}};

void exercise(Client& client) {
    EXPECT_EQ(client.server().info.name, "fast");
    const auto tools = client.list_tools({.prefix = "py"});
    ASSERT_TRUE(tools) << tools.error().to_string();
    ASSERT_TRUE(has_tool(*tools, "py_add"));

    const auto sum = client.call("add", {{"a", 2}, {"b", 3}});
    ASSERT_TRUE(sum) << sum.error().to_string();
    EXPECT_EQ(sum->text(), "5");
    ASSERT_TRUE(sum->structured_content);
    EXPECT_EQ(sum->structured_content->dump(), R"({"result":5})");

    const auto wrong = client.call("add", {{"a", "two"}, {"b", 3}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), ErrorCode::kSchema) << wrong.error().to_string();
    const auto failed = client.call("fail");
    ASSERT_TRUE(failed) << failed.error().to_string();
    EXPECT_TRUE(failed->is_error);
    EXPECT_NE(failed->text().find("no luck"), std::string::npos) << failed->text();

    std::atomic<int> steps = 0;
    CallOptions watched;
    watched.on_progress = [&steps](const mcp::Progress&) { ++steps; };
    const auto counted = client.call("count", {{"to", 3}}, watched);
    ASSERT_TRUE(counted) << counted.error().to_string();
    EXPECT_EQ(counted->text(), "counted to 3");
    EXPECT_EQ(steps, 3);

    EXPECT_EQ(client.list_resources().value().at(0).uri, "demo://motto");
    EXPECT_EQ(client.list_resource_templates().value().at(0).uri_template, "demo://square/{n}");
    EXPECT_EQ(client.read_resource("demo://square/7").value().contents.size(), 1u);
    const auto prompt = client.get_prompt("review", {{"language", "C++"}});
    ASSERT_TRUE(prompt) << prompt.error().to_string();
    EXPECT_EQ(prompt->messages.size(), 1u);
    EXPECT_TRUE(client.ping());
    client.close();
}

TEST(FastMcp, AnswersOverStdio) {
    const std::string python = python_with_fastmcp();
    SKIP_WITHOUT_FASTMCP(python);
    auto client = connect(
        options_for(StdioServer{.command = python, .args = {peer_file("python/fast_server.py")}, .env = kQuiet}));
    ASSERT_TRUE(client) << client.error().to_string();
    exercise(*client);
}

TEST(FastMcp, AnswersOverStreamableHttp) {
    const std::string python = python_with_fastmcp();
    SKIP_WITHOUT_FASTMCP(python);
    const int port = free_port();
    Child server({.command = {python, peer_file("python/fast_server.py"), std::to_string(port)}, .env = kQuiet});
    ASSERT_TRUE(wait_for_port(port)) << server.err();
    auto client = connect(options_for(HttpServer{.url = "http://127.0.0.1:" + std::to_string(port) + "/mcp"}));
    ASSERT_TRUE(client) << client.error().to_string();
    exercise(*client);
}

}  // namespace
}  // namespace gantry::testing
