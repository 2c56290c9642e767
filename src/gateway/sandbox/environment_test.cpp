#include "gateway/sandbox/environment.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway::sandbox {
namespace {

using process::Environment;

std::string value_of(const Environment& environment, std::string_view name) {
    for (const auto& [key, value] : environment)
        if (key == name) return value;
    return "(none)";
}

TEST(SandboxEnvironment, KnowsTheNamesOfCloudAndModelCredentials) {
    for (const char* name : {"CLAUDE_CODE_TOKEN", "ANTHROPIC_API_KEY", "AWS_PROFILE", "AWS_ACCESS_KEY_ID",
                             "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_CLIENT_ID", "OPENAI_ORG_ID", "openai_base_url",
                             "GITHUB_TOKEN", "DB_PASSWORD", "MY_SECRET_THING", "SOME_API_KEY", "S3_KEY_ID"})
        EXPECT_TRUE(is_credential_name(name)) << name;
    for (const char* name : {"PATH", "LANG", "EDITOR", "KEYBOARD", "HOME", "NODE_OPTIONS", "MAWS_X"})
        EXPECT_FALSE(is_credential_name(name)) << name;
}

TEST(SandboxEnvironment, HandsOnListedNamesButNeverCredentials) {
    Environment environment = {{"PATH", "/bin"}, {"HOME", "/home/ada"}};
    Rules rules;
    rules.home = "/state/homes/x";
    rules.env = {"EDITOR", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "ABSENT"};
    complete_environment(environment, {.name = "x"}, rules,
                         {{"EDITOR", "vi"}, {"AWS_SECRET_ACCESS_KEY", "a"}, {"OPENAI_API_KEY", "b"}, {"OTHER", "c"}});
    EXPECT_EQ(environment, (Environment{{"PATH", "/bin"}, {"EDITOR", "vi"}, {"HOME", "/state/homes/x"}}));
}

TEST(SandboxEnvironment, WhatTheServersOwnEnvSaysWins) {
    McpServerSpec server{.name = "x", .env = {{"HOME", "/elsewhere"}, {"OPENAI_API_KEY", "given"}}};
    Environment environment = {{"HOME", "/elsewhere"}, {"OPENAI_API_KEY", "given"}};
    Rules rules;
    rules.home = "/state/homes/x";
    rules.env = {"OPENAI_API_KEY"};
    complete_environment(environment, server, rules, {{"OPENAI_API_KEY", "host's"}});
    EXPECT_EQ(value_of(environment, "HOME"), "/elsewhere");
    EXPECT_EQ(value_of(environment, "OPENAI_API_KEY"), "given");
}

TEST(SandboxEnvironment, AListedNetworkMeansAProxyThatServersCannotTalkOutOf) {
    Environment environment = {{"HTTPS_PROXY", "http://elsewhere"}, {"TMPDIR", "/ours"}};
    Rules rules;
    rules.strict = true;
    rules.network = NetworkAccess::kListed;
    complete_environment(environment, {.name = "x", .env = {{"HTTPS_PROXY", "http://elsewhere"}}}, rules, {});
    for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"})
        EXPECT_EQ(value_of(environment, name), "http://127.0.0.1:3128") << name;
    EXPECT_EQ(value_of(environment, "NO_PROXY"), "localhost,127.0.0.1,::1");
    EXPECT_EQ(value_of(environment, "TMPDIR"), "(none)");
}

}  // namespace
}  // namespace gantry::gateway::sandbox
