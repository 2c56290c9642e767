// Third-party servers, used for what they are made for.

#include <fstream>

#include "interop/peers.hpp"

namespace gantry::testing {
namespace {

TEST(Filesystem, ListsAndReadsWhatIsInItsDirectory) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    const TempDir directory;
    std::ofstream(directory.path() + "/note.txt") << "written by the test";
    auto client = connect(options_for(StdioServer{.command = node(), .args = {script, directory.path()}}));
    ASSERT_TRUE(client) << client.error().to_string();

    const auto tools = client->list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    ASSERT_TRUE(has_tool(*tools, "list_directory"));
    const auto listed = client->call("list_directory", {{"path", directory.path()}});
    ASSERT_TRUE(listed) << listed.error().to_string();
    EXPECT_NE(listed->text().find("note.txt"), std::string::npos);

    const auto read = client->call("read_text_file", {{"path", directory.path() + "/note.txt"}});
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->text(), "written by the test");

    const auto outside = client->call("read_text_file", {{"path", "/etc/hostname"}});
    ASSERT_TRUE(outside) << outside.error().to_string();
    EXPECT_TRUE(outside->is_error) << "a tool that failed is a value";

    const auto wrong = client->call("read_text_file", {{"path", 7}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), ErrorCode::kSchema);
}

TEST(Filesystem, WorksInTheRootsOfTheClient) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    const TempDir given;
    const TempDir root;
    auto options = options_for(StdioServer{.command = node(), .args = {script, given.path()}});
    options.handlers.roots = [&root]() -> Result<std::vector<mcp::Root>> {
        mcp::Root one;
        one.uri = "file://" + root.path();
        return std::vector{one};
    };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    // The server requests the roots at some time after the handshake.
    EXPECT_TRUE(eventually([&] {
        const auto allowed = client->call("list_allowed_directories");
        return allowed && allowed->text().find(root.path()) != std::string::npos;
    }));
}

TEST(Memory, KeepsWhatItIsTold) {
    const std::string script = peer_file("node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(node());
    const TempDir directory;
    auto client = connect(options_for(StdioServer{
        .command = node(), .args = {script}, .env = {{"MEMORY_FILE_PATH", directory.path() + "/memory.jsonl"}}}));
    ASSERT_TRUE(client) << client.error().to_string();
    JsonObject entity{{"name", "Ada"}, {"entityType", "person"}, {"observations", JsonArray{"counts"}}};
    const auto created = client->call("create_entities", {{"entities", JsonArray{entity}}});
    ASSERT_TRUE(created) << created.error().to_string();
    EXPECT_FALSE(created->is_error) << created->text();
    const auto graph = client->call("read_graph");
    ASSERT_TRUE(graph) << graph.error().to_string();
    EXPECT_NE(graph->text().find("Ada"), std::string::npos);
    client->close();
    EXPECT_TRUE(std::ifstream(directory.path() + "/memory.jsonl").good()) << "the environment reached the server";
}

}  // namespace
}  // namespace gantry::testing
