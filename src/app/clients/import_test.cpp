#include "app/clients/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/config/test_schema.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::app {
namespace {

using testing::Contains;
using testing::HasSubstr;

class Import : public testing::Test {
protected:
    void put(const std::string& file, std::string_view text) const {
        const auto path = folder_.path() / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    TemporaryFolder folder_;
};

TEST_F(Import, FindsTheUsualFilesAndMakesOneConfiguration) {
    put("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}})");
    put("home/.codex/config.toml", "[mcp_servers.a]\ncommand = \"z\"\n[mcp_servers.c]\ncommand = \"y\"\n");
    put("home/.gemini/settings.json", "broken");
    put("work/.vscode/mcp.json", R"({"servers": {"d": {"type": "http", "url": "https://h/mcp"}}})");
    auto converted = collect({}, folder_.path() / "home", folder_.path() / "work");
    ASSERT_TRUE(converted) << converted.error().message();
    const std::string text = configuration_text(*converted);
    const auto config = parse_config(text, "imported");
    ASSERT_TRUE(config) << config.error().message() << text;
    std::vector<std::string> names;
    for (const auto& server : config->servers) names.push_back(server.name);
    EXPECT_THAT(names, testing::UnorderedElementsAre("a", "b", "a-2", "d")) << text;
    EXPECT_EQ(schema_refuses(text), "");
    EXPECT_TRUE(text.starts_with("# yaml-language-server: $schema="));
    EXPECT_THAT(converted->notes, Contains(HasSubstr("Gemini CLI: ")));
    EXPECT_THAT(converted->notes, Contains(HasSubstr("c is the same as one already imported")));
}

TEST_F(Import, AFileThatIsNamedIsReadByWhatIsInIt) {
    put("x.json", R"({"context_servers": {"a": {"command": "x"}}})");
    EXPECT_EQ(collect({.file = (folder_.path() / "x.json").string()}, "", "")->servers.size(), 1u);
    put("y.toml", "[mcp_servers.a]\ncommand = \"x\"\n");
    EXPECT_EQ(collect({.file = (folder_.path() / "y.toml").string()}, "", "")->servers.size(), 1u);
    put("z.json", "{}");
    EXPECT_FALSE(collect({.file = (folder_.path() / "z.json").string()}, "", ""));
    EXPECT_FALSE(collect({.file = "/no/such/file"}, "", ""));
    EXPECT_THAT(collect({.client = "nobody"}, "", "").error().message(), HasSubstr("one of: claude-desktop"));
}

TEST_F(Import, WhatOurReaderRefusesIsLeftOutAndSaid) {
    put("x.json", R"({"mcpServers": {"a": {"url": "https://h/", "headers": {"Host": "x"}}, "b": {"command": "x"}}})");
    auto converted = collect({.file = (folder_.path() / "x.json").string()}, "", "");
    ASSERT_TRUE(converted);
    EXPECT_TRUE(parse_config(configuration_text(*converted), "imported"));
    EXPECT_EQ(converted->servers.size(), 1u);
    EXPECT_THAT(converted->notes, Contains(HasSubstr("a cannot be imported: a:")));
}

}  // namespace
}  // namespace gantry::app
