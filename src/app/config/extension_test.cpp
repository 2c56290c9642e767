// The manifest that is shipped for assistants, and the page that describes the extension.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/config/config.hpp"
#include "app/config/test_schema.hpp"
#include "app/config/yaml.hpp"
#include "support/paths.hpp"

namespace gantry::app {
namespace {

using testing::HasSubstr;

constexpr const char* kManifest = "packaging/sandbox/extensions/mcp/manifest.yaml";
constexpr std::initializer_list<const char*> kFields = {
    "alias", "transport", "command", "args", "url", "headers", "env", "cache_tools", "tool_filter", "require_approval"};

std::string read_file(const std::string& file) {
    std::ifstream in(test_support::source_path(file));
    EXPECT_TRUE(in) << file;
    return (std::ostringstream() << in.rdbuf()).str();
}

TEST(Extension, ItsManifestIsAConfigurationAndDescribesItself) {
    const std::string text = read_file(kManifest);
    const auto config = parse_config(text, "manifest.yaml");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_TRUE(config->servers.empty());
    EXPECT_TRUE(config->warnings.empty());
    EXPECT_EQ(schema_refuses(text), "");

    const auto document = parse_yaml(text);
    ASSERT_TRUE(document);
    const Json& manifest = document->tree;
    EXPECT_EQ(manifest.string_at("id"), "mcp");
    EXPECT_EQ(manifest.string_at("name"), "MCP Bridge");
    EXPECT_EQ(manifest.string_at("version"), "1.0.0");
    EXPECT_GT(manifest.string_at("description").size(), 50u);
    EXPECT_EQ(manifest.at_pointer("/enabled")->dump(), "true");
    EXPECT_EQ(manifest.at_pointer("/depends_on")->dump(), "[]");
    EXPECT_EQ(manifest.at_pointer("/config/servers")->dump(), "[]");
    const std::string instructions(manifest.string_at("setup_instructions"));
    for (const char* field : kFields) EXPECT_THAT(instructions, HasSubstr(field));
    EXPECT_THAT(instructions, HasSubstr("${SECRET_NAME}"));
}

TEST(Extension, WhatItsInstructionsSayWorks) {
    std::string text = read_file(kManifest);
    const std::string empty = "servers: []";
    text.replace(
        text.find(empty), empty.size(),
        "servers:\n"
        "    - {alias: files, transport: stdio, command: npx, args: [-y, x], env: {KEY: \"${SECRET_NAME}\"},\n"
        "       tool_filter: [read_file], require_approval: {always: [write_file], never: [stat]}}\n"
        "    - {alias: web, transport: streamable-http, url: \"https://h/${SECRET_NAME}/mcp\", cache_tools: true,\n"
        "       headers: {Authorization: \"Bearer ${SECRET_NAME}\"}}\n"
        "    - {alias: old, transport: sse, url: \"http://h/sse\"}\n");
    const auto config = parse_config(text, "manifest.yaml");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_EQ(config->servers.size(), 3u);
    EXPECT_EQ(schema_refuses(text), "");
}

TEST(Extension, ThePageDescribesItAndNotOnlyExamples) {
    const std::string page = read_file("docs/extensions.md");
    EXPECT_THAT(page, HasSubstr(kManifest));
    for (const char* key :
         {"id", "name", "version", "description", "depends_on", "setup_instructions", "enabled", "config.servers"}) {
        EXPECT_THAT(page, HasSubstr(std::string("`") + key + "`"));
    }
    for (const char* field : kFields) EXPECT_THAT(page, HasSubstr(std::string("`") + field + "`"));
    for (const char* title : {"## Manifest", "## Life cycle", "## Servers", "## What the agent may rely on"}) {
        EXPECT_THAT(page, HasSubstr(title));
    }
    EXPECT_THAT(read_file("docs/README.md"), HasSubstr("(extensions.md)"));
    EXPECT_THAT(read_file("docs/configuration.md"), HasSubstr("(extensions.md)"));
}

}  // namespace
}  // namespace gantry::app
