#include "app/clients/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/clients/import.hpp"
#include "app/config/config.hpp"

namespace gantry::app {
namespace {

using gateway::WireWish;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Converted from(std::string_view id, std::string_view text) {
    const ClientProgram* program = find_program(id);
    EXPECT_NE(program, nullptr) << id;
    const auto file = read_foreign_text(text, program->format, program);
    EXPECT_TRUE(file) << (file ? "" : file.error().message());
    Converted converted;
    if (file) convert(*file, converted);
    return converted;
}

TEST(Convert, TakesOverEveryProgramsForm) {
    const struct {
        std::string_view program, text;
    } children[] = {
        {"claude-desktop", R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"]}}})"},
        {"claude-code",
         R"({"mcpServers": {"files": {"type": "stdio", "command": "npx", "args": ["-y", "x"]}}, "n": 1})"},
        {"cursor", R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"]}}})"},
        {"vscode",
         "{ // mine\n \"inputs\": [], \"servers\": {\"files\": {\"command\": \"npx\", \"args\": [\"-y\", \"x\"],}}}"},
        {"windsurf", R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"]}}})"},
        {"zed", R"({"context_servers": {"files": {"source": "custom", "command": "npx", "args": ["-y", "x"]}}})"},
        {"zed", R"({"context_servers": {"files": {"command": {"path": "npx", "args": ["-y", "x"]}}}})"},
        {"gemini", R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "x"], "trust": true}}})"},
        {"codex", "[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\n"},
        {"goose", "extensions:\n  files:\n    type: stdio\n    cmd: npx\n    args: [-y, x]\n    enabled: true\n"},
        {"opencode", R"({"mcp": {"files": {"type": "local", "command": ["npx", "-y", "x"]}}})"},
    };
    for (const auto& row : children) {
        const Converted converted = from(row.program, row.text);
        ASSERT_EQ(converted.servers.size(), 1u) << row.text;
        EXPECT_EQ(converted.servers[0].name, "files");
        EXPECT_EQ(converted.servers[0].command, "npx") << row.text;
        EXPECT_THAT(converted.servers[0].args, ElementsAre("-y", "x")) << row.text;
    }
    const struct {
        std::string_view program, text;
        WireWish transport;
    } remotes[] = {
        {"cursor", R"({"mcpServers": {"w": {"url": "https://h/mcp"}}})", WireWish::kAuto},
        {"claude-code", R"({"mcpServers": {"w": {"type": "sse", "url": "https://h/mcp"}}})", WireWish::kSse},
        {"windsurf", R"({"mcpServers": {"w": {"serverUrl": "https://h/mcp"}}})", WireWish::kAuto},
        {"gemini", R"({"mcpServers": {"w": {"httpUrl": "https://h/mcp", "timeout": 5000}}})", WireWish::kAuto},
        {"codex", "[mcp_servers.w]\nurl = \"https://h/mcp\"\n", WireWish::kAuto},
        {"goose", "extensions: {w: {type: streamable_http, uri: 'https://h/mcp'}}", WireWish::kStreamableHttp},
        {"opencode", R"({"mcp": {"w": {"type": "remote", "url": "https://h/mcp"}}})", WireWish::kAuto},
    };
    for (const auto& row : remotes) {
        const Converted converted = from(row.program, row.text);
        ASSERT_EQ(converted.servers.size(), 1u) << row.text;
        EXPECT_EQ(converted.servers[0].url, "https://h/mcp") << row.text;
        EXPECT_EQ(converted.servers[0].transport, row.transport) << row.text;
    }
}

TEST(Convert, LeavesNoCredentialInClear) {
    Converted converted = from("cursor", R"({"mcpServers": {"my git": {
        "command": "srv", "args": ["--api-key", "canary-arg", "--token=canary-option", "--verbose", "plain"],
        "env": {"GITHUB_TOKEN": "canary-env", "MODE": "fast", "PATH": "/bin"}},
      "web": {"url": "https://me:canary-pass@h/?key=canary-query&page=2",
              "headers": {"Authorization": "Bearer canary-header", "Accept-Language": "en"}}}})");
    const std::string text = configuration_text(converted);
    EXPECT_FALSE(text.contains("canary-")) << text;
    EXPECT_THAT(converted.secrets, Contains(Pair("GITHUB_TOKEN", "canary-env")));
    EXPECT_THAT(converted.secrets, Contains(Pair("WEB_AUTHORIZATION", "canary-header")));
    EXPECT_EQ(converted.secrets.size(), 6u);
    EXPECT_TRUE(text.contains("\"Bearer ${WEB_AUTHORIZATION}\"")) << text;
    EXPECT_TRUE(text.contains("MODE: fast"));
    const auto config = parse_config(text, "imported");
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->servers[0].name, "my-git");
    for (const std::string& note : converted.notes) EXPECT_FALSE(note.contains("canary-")) << note;
}

TEST(Convert, OneNameForTwoSecretsIsTwoNames) {
    const Converted converted =
        from("cursor", R"({"mcpServers": {"a": {"command": "x", "env": {"API_KEY": "first-one"}},
                                                   "b": {"command": "y", "env": {"API_KEY": "other-one"}}}})");
    EXPECT_THAT(converted.secrets, ElementsAre(Pair("API_KEY", "first-one"), Pair("API_KEY_2", "other-one")));
    EXPECT_EQ(converted.servers[1].env.at("API_KEY"), "${API_KEY_2}");
}

TEST(Convert, ReferencesOfOtherProgramsBecomeOurs) {
    const Converted code = from("vscode", R"({"servers": {"a": {"command": "${workspaceFolder}/x",
        "env": {"T_KEY": "${input:api-key}", "H": "${env:HOME}"}}}})");
    EXPECT_EQ(code.servers[0].command, "${PWD}/x");
    EXPECT_EQ(code.servers[0].env.at("T_KEY"), "${API_KEY}");
    EXPECT_EQ(code.servers[0].env.at("H"), "${env:HOME}");
    EXPECT_THAT(code.wanted, ElementsAre("API_KEY"));
    EXPECT_THAT(code.notes, ElementsAre(HasSubstr("a refers to ${workspaceFolder}, which is now ${PWD}")))
        << "announced, once";
    const Converted codex =
        from("codex", "[mcp_servers.a]\nurl = \"https://h/\"\nbearer_token_env_var = \"A_TOKEN\"\n");
    EXPECT_EQ(codex.servers[0].headers[0].second, "Bearer ${A_TOKEN}");
    const Converted goose = from("goose", "extensions: {a: {type: stdio, cmd: x, env_keys: [A_TOKEN]}}");
    EXPECT_EQ(goose.servers[0].env.at("A_TOKEN"), "${A_TOKEN}");
}

TEST(Convert, KeepsTheTimeAServerMayTakeToStart) {
    const Converted codex = from("codex",
                                 "[mcp_servers.a]\ncommand = \"x\"\nstartup_timeout_sec = 45\ntool_timeout_sec = 90\n"
                                 "[mcp_servers.b]\ncommand = \"y\"\nstartup_timeout_ms = 1500\n");
    EXPECT_EQ(codex.servers[0].connect_timeout, seconds(45));
    EXPECT_EQ(codex.servers[0].timeout, seconds(90));
    EXPECT_EQ(codex.servers[1].connect_timeout, milliseconds(1500));
    Converted converted = codex;
    const auto config = parse_config(configuration_text(converted), "imported");
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->servers[0].connect_timeout, seconds(45));
}

TEST(Convert, DoesNotTakeGantryBehindGantry) {
    const Converted converted = from("cursor", R"({"mcpServers": {"gantry": {"url": "http://127.0.0.1:8090/mcp"},
        "tools": {"command": "/usr/bin/gantry", "args": ["stdio", "--config", "g.yaml"]}}})");
    EXPECT_TRUE(converted.servers.empty());
    EXPECT_EQ(converted.notes.size(), 2u);
}

TEST(Convert, SaysWhatItLeavesOut) {
    const Converted converted = from(
        "goose", "extensions:\n  dev: {type: builtin, enabled: true}\n  off: {type: stdio, cmd: x, enabled: false}\n");
    EXPECT_TRUE(converted.servers.empty());
    EXPECT_THAT(converted.notes, ElementsAre(HasSubstr("built into its client"), HasSubstr("is disabled")));
}

}  // namespace
}  // namespace gantry::app
