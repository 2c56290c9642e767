#include "gateway/secrets/resolver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "gateway/secrets/confidential.hpp"
#include "io/loop.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Rig {
    TemporaryFolder folder = {};
    Redactor redactor = {};
    Loop loop = {};
    ChainResolver resolver{{.vault = {.keyring = false, .folder = folder.path()}, .env_file = folder.path() / ".env"},
                           redactor};

    void env(std::string_view text) const { std::ofstream(folder.path() / ".env") << text; }
    Result<McpServerSpec> resolve(const McpServerSpec& spec) {
        return loop.run_until_done(resolver.resolve(Context::background(), spec));
    }
};

TEST(ChainResolver, FillsInTheLatestValuesAndHidesThem) {
    Rig rig;
    McpServerSpec spec{.name = "s"};
    spec.url = "https://${WHERE}/mcp?key=${API_KEY}";
    spec.headers = {{"Authorization", "Bearer ${TOKEN}"}};
    rig.env("WHERE=h.example\nAPI_KEY=key-canary\nTOKEN=first-canary\n");
    auto first = rig.resolve(spec);
    ASSERT_TRUE(first) << first.error().message();
    EXPECT_EQ(first->url, "https://h.example/mcp?key=key-canary");
    EXPECT_EQ(first->headers[0].second, "Bearer first-canary");
    rig.env("WHERE=h.example\nAPI_KEY=key-canary\nTOKEN=second-canary\n");
    EXPECT_EQ(rig.resolve(spec)->headers[0].second, "Bearer second-canary") << "looked up again";
    EXPECT_EQ(rig.redactor.masked("first-canary second-canary key-canary h.example"), "*** *** *** h.example");
}

TEST(ChainResolver, LooksElsewhereOnceItIsToldTo) {
    Rig rig;
    McpServerSpec spec{.name = "s", .command = "x"};
    spec.env = {{"A", "${A_TOKEN}"}};
    rig.env("A_TOKEN=in-the-first\n");
    EXPECT_EQ(rig.resolve(spec)->env.at("A"), "in-the-first");
    std::ofstream(rig.folder.path() / "other.env") << "A_TOKEN=in-the-other\n";
    rig.resolver.configure(
        {.vault = {.keyring = false, .folder = rig.folder.path()}, .env_file = rig.folder.path() / "other.env"});
    EXPECT_EQ(rig.resolve(spec)->env.at("A"), "in-the-other");
}

TEST(ChainResolver, NamesExactlyWhatIsMissing) {
    Rig rig;
    rig.env("A_TOKEN=here\n");
    McpServerSpec spec{.name = "s", .command = "x"};
    spec.env = {{"A", "${A_TOKEN}"}, {"B", "${B_TOKEN}"}, {"C", "${keyring:C}"}, {"D", "${B_TOKEN}"}};
    const auto resolved = rig.resolve(spec);
    ASSERT_FALSE(resolved);
    EXPECT_EQ(resolved.error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(resolved.error().message(), "not set: B_TOKEN, keyring:C");
}

TEST(ChainResolver, WhatStandsInTheConfigurationAsItIsIsHiddenToo) {
    Rig rig;
    McpServerSpec spec{.name = "s", .command = "x"};
    spec.args = {"--api-key", "argument-canary", "--verbose", "plain", "--token=option-canary"};
    spec.env = {{"MY_PASSWORD", "password-canary"}, {"MODE", "debug"}};
    ASSERT_TRUE(rig.resolve(spec));
    EXPECT_EQ(rig.redactor.masked("argument-canary option-canary password-canary plain debug"),
              "*** *** *** plain debug");
}

TEST(Confidential, IsWhatSoundsLikeOneOrCanBeNothingElse) {
    McpServerSpec spec{.name = "s"};
    spec.url = "https://me:pw-canary@h/?session=session-canary&page=2&x=a8f5f167f44f4964e6c998dee827110c";
    spec.headers = {{"Authorization", "Basic abcd"}, {"Accept-Language", "en"}};
    EXPECT_THAT(confidential_values(spec),
                UnorderedElementsAre("abcd", "pw-canary", "session-canary", "a8f5f167f44f4964e6c998dee827110c"));
    McpServerSpec plain{.name = "s", .command = "npx"};
    plain.args = {"-y", "@modelcontextprotocol/server-filesystem", "/srv/data/2024-01-01-archive"};
    plain.env = {{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/somebody-with-1-name"}};
    EXPECT_THAT(confidential_values(plain), IsEmpty());
    plain.args = {"mcp-server-git==2026.10.19", "QWxhZGRpbjpvcGVuIHNlc2FtZQ1=="};
    EXPECT_THAT(confidential_values(plain), ElementsAre("QWxhZGRpbjpvcGVuIHNlc2FtZQ1=="));
}

TEST(Confidential, OfTheEnvironmentNotWhatEverybodyKnows) {
    using Place = Reference::Place;
    const auto env = [](std::string name, std::string_view value) {
        return is_confidential({.place = Place::kAnywhere, .name = std::move(name)}, value);
    };
    EXPECT_TRUE(env("GITHUB_TOKEN", "short"));
    EXPECT_TRUE(env("SOMETHING", "a-long-enough-value"));
    EXPECT_FALSE(env("PATH", "/usr/local/bin:/usr/bin"));
    EXPECT_FALSE(env("MODE", "debug"));
    EXPECT_TRUE(is_confidential({.place = Place::kKeyring, .name = "MODE"}, "debug"));
    EXPECT_TRUE(is_confidential({.place = Place::kFile, .name = "/run/x"}, "debug"));
}

}  // namespace
}  // namespace gantry::gateway
