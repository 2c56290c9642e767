// Third-party servers (tests/peers) work in isolation: nothing they need is missing.

#include <chrono>

#include "gateway/sandbox/test_box.hpp"
#include "interop/peers.hpp"

namespace gantry::gateway::sandbox {
namespace {

using gantry::testing::everything_js;
using gantry::testing::node;
using gantry::testing::peer_file;
using testing::Box;
using testing::watchdog;

constexpr std::string_view kHello =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n";

/// Initializes, calls one tool and returns the answer.
Task<std::string> call(process::Process& process, std::string name, std::string arguments) {
    std::string text(kHello);
    text += R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":")" + name + R"(","arguments":)" +
            arguments + "}}\n";
    EXPECT_TRUE(co_await process.stdio().write(watchdog(), text));
    std::string answers;
    char buffer[65536];
    while (answers.find("\"id\":2") == std::string::npos || !answers.ends_with('\n')) {
        auto size = co_await process.stdio().read_some(watchdog(), buffer);
        if (!size || *size == 0) break;
        answers.append(buffer, *size);
    }
    (void)co_await process.stop();
    const auto at = answers.find("\"id\":2");
    co_return at == std::string::npos ? answers : answers.substr(answers.rfind('\n', at) + 1);
}

class RealServers : public ::testing::TestWithParam<IsolationLevel> {
protected:
    void SetUp() override {
        SKIP_WITHOUT(node());
        SKIP_WITHOUT(everything_js());
        if (!kernel().namespaces.available) GTEST_SKIP() << kernel().namespaces.why;
        box.wish().level = GetParam();
    }
    std::string answer_of(std::string tool, std::string arguments) {
        auto process = box.start(box.server.args);
        if (!process) return process.error().to_string();
        return box.loop.run_until_done(call(**process, std::move(tool), std::move(arguments))) + box.said;
    }
    Box box;
};

INSTANTIATE_TEST_SUITE_P(Isolation, RealServers, ::testing::Values(IsolationLevel::kStandard, IsolationLevel::kStrict),
                         testing::level_name);

TEST_P(RealServers, EverythingAnswers) {
    box.server.command = node();
    box.server.args = {everything_js(), "stdio"};
    EXPECT_NE(answer_of("echo", R"({"message":"hello there"})").find("hello there"), std::string::npos);
    EXPECT_EQ(box.notes, std::vector<std::string>{});
}

TEST_P(RealServers, TheFilesystemServerServesTheFolderItIsGiven) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    SKIP_WITHOUT(script);
    box.server.command = node();
    box.server.args = {script, box.base + "/home/project"};
    if (GetParam() == IsolationLevel::kStrict) box.wish().write = {box.base + "/home/project"};
    const std::string path = box.base + "/home/project";
    const std::string read = answer_of("read_text_file", R"({"path":")" + path + R"(/notes"})");
    EXPECT_NE(read.find("the notes"), std::string::npos) << read;
    (void)answer_of("write_file", R"({"path":")" + path + R"(/made","content":"by it"})");
    EXPECT_TRUE(std::filesystem::exists(path + "/made")) << box.said;
}

TEST(RealServersByDefault, TheFilesystemServerWritesAndMovesInTheFoldersItIsGiven) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    SKIP_WITHOUT(node());
    SKIP_WITHOUT(script);
    if (!kernel().namespaces.available) GTEST_SKIP() << kernel().namespaces.why;
    Box box(testing::kOutsideTmp);
    if (box.base.empty()) GTEST_SKIP() << "no folder outside /tmp";
    // One of them is a dot folder of the home, and one contains the gateway's configuration.
    const std::string notes = box.base + "/home/.notes";
    const std::string conf = box.base + "/home/conf";
    for (const std::string& folder : {notes, conf}) std::filesystem::create_directories(folder);
    box.options.places.locked = {conf};
    box.server.command = node();
    const auto call_tool = [&](const std::string& tool, const std::string& arguments) {
        auto process = box.start({script, notes, conf});
        return process ? box.loop.run_until_done(call(**process, tool, arguments)) : process.error().to_string();
    };
    for (const std::string& folder : {notes, conf}) {
        const std::string said = call_tool("write_file", R"({"path":")" + folder + R"(/made","content":"by it"})");
        EXPECT_TRUE(std::filesystem::exists(folder + "/made")) << said << box.said;
        const std::string renamed =
            call_tool("move_file", R"({"source":")" + folder + R"(/made","destination":")" + folder + R"(/moved"})");
        EXPECT_TRUE(std::filesystem::exists(folder + "/moved")) << renamed << box.said;
    }
}

TEST_P(RealServers, TheMemoryServerKeepsItsFile) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    SKIP_WITHOUT(script);
    box.server.command = node();
    box.server.args = {script};
    const std::string file = box.base + "/state/homes/evil/memory.json";
    box.server.env = {{"MEMORY_FILE_PATH", file}};
    const std::string made =
        answer_of("create_entities", R"({"entities":[{"name":"Ada","entityType":"person","observations":["first"]}]})");
    EXPECT_NE(made.find("Ada"), std::string::npos) << made;
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(PackageRunners, NpxStartsAServerInAHomeOfItsOwn) {
    SKIP_WITHOUT(everything_js());
    Box box;
    box.server.command = "npx";
    box.server.args = {"--offline", "mcp-server-everything", "stdio"};
    box.server.cwd = peer_file(".");
    auto process = box.start(box.server.args);
    if (!process && process.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << "npx is not installed";
    ASSERT_TRUE(process) << process.error().to_string();
    const std::string answer = box.loop.run_until_done(call(**process, "echo", R"({"message":"by npx"})"));
    EXPECT_NE(answer.find("by npx"), std::string::npos) << answer << box.said;
    EXPECT_TRUE(std::filesystem::exists(box.base + "/state/homes/evil/.npm")) << "npm did not use its own home";
}

TEST(PackageRunners, PythonRunsWithItsPackages) {
    Box box;
    box.server.command = "python3";
    box.server.args = {"-c", "import json, ssl, socket, subprocess, tempfile; tempfile.TemporaryFile(); print('fine')"};
    for (const IsolationLevel level : {IsolationLevel::kStandard, IsolationLevel::kStrict}) {
        box.wish().level = level;
        auto process = box.start(box.server.args);
        if (!process && process.error().code() == ErrorCode::kNotFound) GTEST_SKIP() << "python3 is not installed";
        ASSERT_TRUE(process) << process.error().to_string();
        EXPECT_EQ(box.loop.run_until_done(testing::read_to_end((*process)->stdio())), "fine\n") << box.said;
    }
}

}  // namespace
}  // namespace gantry::gateway::sandbox
