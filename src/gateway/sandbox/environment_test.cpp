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

TEST(SandboxEnvironment, ATemporaryFolderTheServerCannotWriteIsNotHandedOn) {
    Rules rules;
    rules.write = {"/tmp", "/home/ada/project"};
    rules.hide = {"/tmp/hidden"};
    rules.read_only = {"/home/ada/project/.vim"};
    const auto handed_on = [&rules](const std::string& folder, const McpServerSpec& server = {.name = "x"}) {
        Environment environment = {{"TMPDIR", folder}};
        complete_environment(environment, server, rules, {});
        return value_of(environment, "TMPDIR");
    };
    EXPECT_EQ(handed_on("/tmp/user/1000/"), "/tmp/user/1000/");
    for (const char* folder :
         {"/home/ada/.cache/tmp", "/run/user/1000", "/tmp/hidden/x", "/home/ada/project/.vim", "/tmp/../var/cache"})
        EXPECT_EQ(handed_on(folder), "(none)") << folder;
    EXPECT_EQ(handed_on("/elsewhere", {.name = "x", .env = {{"TMPDIR", "/elsewhere"}}}), "/elsewhere");
}

TEST(SandboxEnvironment, CertificatesAreNamedWhereTheyCanBeRead) {
    Rules rules;
    rules.hide = {"/home/ada/.docker"};
    rules.read = {"/etc/ssl"};
    const auto handed_on = [&rules](const std::string& file) {
        Environment environment = {{"SSL_CERT_FILE", file}};
        complete_environment(environment, {.name = "x"}, rules, {});
        return value_of(environment, "SSL_CERT_FILE");
    };
    EXPECT_EQ(handed_on("/etc/ssl/certs/ca.crt"), "/etc/ssl/certs/ca.crt");
    EXPECT_EQ(handed_on("/home/ada/ca.crt"), "/home/ada/ca.crt");
    EXPECT_EQ(handed_on("/home/ada/.docker/ca.crt"), "(none)");
    rules.strict = true;
    EXPECT_EQ(handed_on("/etc/ssl/certs/ca.crt"), "/etc/ssl/certs/ca.crt");
    EXPECT_EQ(handed_on("/home/ada/ca.crt"), "(none)");
}

TEST(SandboxEnvironment, AContainerClientIsToldWhereItsEngineIs) {
    Rules rules;
    rules.engine = "unix:///run/user/1000/docker.sock";
    Environment environment;
    complete_environment(environment, {.name = "x"}, rules, {});
    EXPECT_EQ(value_of(environment, "DOCKER_HOST"), rules.engine);
    environment = {{"DOCKER_HOST", "tcp://engine:2376"}};
    complete_environment(environment, {.name = "x", .env = {{"DOCKER_HOST", "tcp://engine:2376"}}}, rules, {});
    EXPECT_EQ(value_of(environment, "DOCKER_HOST"), "tcp://engine:2376");
}

}  // namespace
}  // namespace gantry::gateway::sandbox
