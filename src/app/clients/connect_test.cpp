#include "app/clients/connect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "app/clients/convert.hpp"
#include "app/clients/duplicates.hpp"
#include "app/clients/replace_file.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::app {
namespace {

using testing::HasSubstr;

std::string content(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return (std::ostringstream() << in.rdbuf()).str();
}

TEST(Connect, WhatItWritesIsReadBackAsThatServer) {
    for (const ClientProgram& program : client_programs()) {
        for (const bool by_url : {true, false}) {
            if (by_url && program.url_key.empty()) continue;
            const Door door = by_url ? Door{.url = "http://gateway.example:8090/mcp"}
                                     : Door{.program = "/opt/gantry-tool", .config = "/srv/gantry.yaml"};
            const auto written = with_entry("", program, door);
            ASSERT_TRUE(written) << program.id << written.error().message();
            const auto file = read_foreign_text(*written, program.format, &program);
            ASSERT_TRUE(file) << *written;
            Converted converted;
            convert(*file, converted);
            ASSERT_EQ(converted.servers.size(), 1u) << *written;
            EXPECT_EQ(converted.servers[0].name, "gantry");
            EXPECT_EQ(converted.servers[0].url, door.url) << program.id;
            EXPECT_EQ(converted.servers[0].command, door.program) << program.id;
            EXPECT_EQ(with_entry(*written, program, door).value_or(""), *written) << "twice is once";
            EXPECT_TRUE(read_foreign_text(entry_text(program, door), program.format, &program)) << program.id;
        }
    }
}

TEST(Connect, KeepsEverythingElseInTheFile) {
    const Door door{.url = "http://127.0.0.1:8090/mcp"};
    const std::string json =
        "{\n  // my theme\n  \"theme\": \"dark\",\n  \"context_servers\": {\"other\": {\"command\": \"x\"}},\n}\n";
    const auto zed = with_entry(json, *find_program("zed"), door);
    ASSERT_TRUE(zed) << zed.error().message();
    EXPECT_THAT(*zed, HasSubstr("// my theme\n  \"theme\": \"dark\","));
    EXPECT_THAT(*zed, HasSubstr("\"other\": {\"command\": \"x\"}"));
    const std::string toml = "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n";
    const auto codex = with_entry(toml, *find_program("codex"), door);
    ASSERT_TRUE(codex) << codex.error().message();
    EXPECT_TRUE(codex->starts_with(toml));
    const std::string yaml = "model: x  # mine\nextensions:\n  other:\n    type: stdio\n    cmd: y\nlast: 1\n";
    const auto goose = with_entry(yaml, *find_program("goose"), door);
    ASSERT_TRUE(goose) << goose.error().message();
    EXPECT_THAT(*goose, HasSubstr("model: x  # mine\nextensions:\n  \"gantry\":\n"));
    EXPECT_THAT(*goose, HasSubstr("  other:\n    type: stdio\n    cmd: y\nlast: 1\n"));
}

TEST(Connect, WhatItPutInItCanTakeOut) {
    const Door door{.url = "http://127.0.0.1:8090/mcp"};
    const std::pair<const char*, std::string> files[] = {
        {"zed",
         "{\n  // my theme\n  \"theme\": \"dark\",\n  \"context_servers\": {\n    \"other\": {\"command\": \"x\"}\n  "
         "},\n}\n"},
        {"codex",
         "# mine\nmodel = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n[mcp_servers.other.env]\nA = \"b\"\n"},
        {"goose", "model: x  # mine\nextensions:\n  other:\n    type: stdio\n    cmd: y\nlast: 1\n"}};
    for (const auto& [id, text] : files) {
        const ClientProgram& program = *find_program(id);
        const auto with = with_entry(text, program, door);
        ASSERT_TRUE(with) << id;
        const auto back = without_entry(*with, program, "gantry");
        ASSERT_TRUE(back) << id << back.error().message();
        EXPECT_EQ(back->substr(0, text.size()), text) << id;
        const auto only_ours = without_entry(*with, program, "other");
        ASSERT_TRUE(only_ours) << id << only_ours.error().message();
        EXPECT_THAT(*only_ours, testing::Not(HasSubstr("other"))) << id;
        EXPECT_THAT(*only_ours, HasSubstr("gantry")) << id;
        EXPECT_TRUE(id == std::string("zed") || only_ours->contains("# mine")) << id;
        EXPECT_EQ(without_entry(text, program, "absent").error().code(), ErrorCode::kNotFound);
    }
}

TEST(Connect, FindsWhatGantryServesToo) {
    const std::vector<gateway::McpServerSpec> ours = {{.name = "files", .command = "npx", .args = {"-y", "fs"}},
                                                      {.name = "remote", .url = "https://h/mcp"}};
    const std::string theirs = R"({"mcpServers": {"my-files": {"command": "npx", "args": ["-y", "fs"]},
        "else": {"command": "npx", "args": ["-y", "other"]}, "r": {"url": "https://h/mcp"},
        "files": {"command": "another"}, "gantry": {"url": "http://127.0.0.1:8090/mcp"}}})";
    EXPECT_THAT(served_twice(theirs, *find_program("cursor"), ours), testing::ElementsAre("my-files", "r"));
    EXPECT_TRUE(served_twice("{broken", *find_program("cursor"), ours).empty());
}

TEST(Connect, RefusesWhatItCannotEditSafely) {
    const Door door{.url = "http://127.0.0.1:8090/mcp"};
    EXPECT_FALSE(with_entry("{broken", *find_program("cursor"), door));
    EXPECT_FALSE(with_entry("{\"mcpServers\": []}", *find_program("cursor"), door));
    const auto flow = with_entry("extensions: {other: {cmd: x}}\n", *find_program("goose"), door);
    ASSERT_FALSE(flow);
    EXPECT_THAT(flow.error().message(), HasSubstr("add this by hand:\nextensions:"));
    EXPECT_FALSE(without_entry("extensions: {other: {cmd: x}, b: {cmd: y}}\n", *find_program("goose"), "other"));
    EXPECT_FALSE(with_entry("[mcp_servers.gantry]\nurl = \"other\"\n", *find_program("codex"), door));
}

TEST(Connect, AFileIsReplacedWholeAndKeptBeside) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "deep" / "mcp.json";
    EXPECT_EQ(replace_with_backup(file, "one").value(), "");
    ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
    const auto copy = replace_with_backup(file, "two");
    ASSERT_TRUE(copy);
    EXPECT_EQ(content(*copy), "one");
    EXPECT_EQ(content(file), "two");
    const auto next = replace_with_backup(file, "three");
    ASSERT_TRUE(next);
    EXPECT_NE(*next, *copy) << "an older copy is never lost";
    struct stat status = {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0640u);
    EXPECT_FALSE(write_new_file(file, "x"));
    EXPECT_EQ(content(file), "three");
}

}  // namespace
}  // namespace gantry::app
