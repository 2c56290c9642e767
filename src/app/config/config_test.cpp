#include "app/config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/config/test_schema.hpp"
#include "base/redact/redactor.hpp"
#include "support/paths.hpp"

namespace gantry::app {
namespace {

using gateway::EraWish;
using gateway::OnCollision;
using gateway::Sharing;
using gateway::WireWish;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Config read(std::string_view text) {
    auto config = parse_config(text, "t.yaml");
    EXPECT_TRUE(config) << (config ? "" : config.error().message());
    EXPECT_EQ(schema_refuses(text), "") << text;
    return config ? *std::move(config) : Config();
}

std::string page() {
    std::ifstream in(gantry::test_support::source_path("docs/configuration.md"));
    return (std::ostringstream() << in.rdbuf()).str();
}

/// The text of the n-th fenced block in that language.
std::string sample(std::string_view language, int n = 0) {
    const std::string text = page();
    const std::string fence = "```" + std::string(language) + "\n";
    std::size_t at = 0;
    for (int i = 0; i <= n; ++i) at = text.find(fence, at) + fence.size();
    return text.substr(at, text.find("```", at) - at);
}

TEST(Config, AnEmptyFileHasTheDefaults) {
    for (const std::string_view text : {"", "# nothing\n", "{}", "servers: []\n", "servers:\n"}) {
        const Config config = read(text);
        EXPECT_EQ(config.listen, "127.0.0.1:8090");
        EXPECT_EQ(config.path, "/mcp");
        EXPECT_TRUE(config.servers.empty());
        EXPECT_EQ(config.timeout, seconds(30));
        EXPECT_EQ(config.stop_timeout, seconds(5));
        EXPECT_TRUE(config.validate_arguments);
        EXPECT_FALSE(config.allow_unauthenticated);
    }
}

TEST(Config, TheSampleOfTheManualIsWhatItSays) {
    const Config config = read(sample("yaml"));
    EXPECT_EQ(config.listen, "127.0.0.1:8090");
    ASSERT_EQ(config.servers.size(), 4u);
    const auto& github = config.servers[0];
    EXPECT_EQ(github.name, "github");
    EXPECT_EQ(github.command, "npx");
    EXPECT_THAT(github.args, ElementsAre("-y", "@modelcontextprotocol/server-github"));
    EXPECT_THAT(github.env, ElementsAre(Pair("GITHUB_TOKEN", "${GITHUB_TOKEN}"), Pair("PATH", "${PATH}")));
    EXPECT_EQ(github.sharing, Sharing::kShared);
    EXPECT_EQ(github.prefix, std::nullopt);
    const auto& docs = config.servers[1];
    EXPECT_EQ(docs.url, "https://docs.example.com/mcp");
    EXPECT_THAT(docs.headers, ElementsAre(Pair("Authorization", "Bearer ${DOCS_TOKEN}")));
    EXPECT_EQ(docs.prefix, "");
    EXPECT_EQ(docs.era, EraWish::kModern);
    EXPECT_EQ(docs.timeout, std::chrono::minutes(2));
    EXPECT_EQ(config.servers[2].transport, WireWish::kSse);
    EXPECT_EQ(config.groups.size(), 2u);
    EXPECT_EQ(config.on_collision, OnCollision::kSuffix);
    EXPECT_EQ(config.max_request_bytes, 4u << 20);
    EXPECT_EQ(config.max_result_bytes, 64u << 20);
    EXPECT_TRUE(config.warnings.empty());
}

TEST(Config, TheOtherSamplesOfTheManualLoadToo) {
    const Config foreign = read(sample("json"));
    EXPECT_EQ(foreign.servers.size(), 2u);
    const Config same = read(sample("yaml", 5));  // after the complete example, and one for each transport
    EXPECT_EQ(same.servers.size(), 2u);
    EXPECT_EQ(same.groups.size(), 1u);
}

TEST(Config, AnAllowedPatternThatIsDeniedTooIsWarnedOf) {
    const auto config = parse_config(
        "servers:\n  - {name: a, url: http://x/, allow: [get_one, \"list_*\"], deny: [\"get_*\", \"*_secret\"]}\n",
        "t");
    ASSERT_TRUE(config);
    ASSERT_EQ(config->warnings.size(), 1u);
    EXPECT_EQ(config->warnings[0],
              "server 'a': allow pattern 'get_one' has no effect, since deny pattern 'get_*' covers it");
}

TEST(Config, ASecretInTheArgumentsIsWarnedOf) {
    const auto warnings = [](const std::string& args) {
        return read("servers:\n  - {name: s, command: x, args: [" + args + "]}\n").warnings;
    };
    EXPECT_THAT(warnings("--token, \"${API_TOKEN}\""),
                ElementsAre(testing::AllOf(HasSubstr("server 's': ${API_TOKEN}"), HasSubstr("env"))));
    EXPECT_THAT(warnings("\"--key=${keyring:anything}\""), ElementsAre(HasSubstr("keyring:anything")));
    EXPECT_THAT(warnings("\"${HOME}/data\", \"$${API_TOKEN}\", plain"), testing::IsEmpty());
}

TEST(Config, TakesTheFormOtherProgramsUse) {
    const Config config = read(R"({"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "x", 8080], "env": {"PORT": 8080, "DEBUG": true}, "type": "stdio"},
        "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Key": "${KEY}"}, "alwaysAllow": ["a"]},
        "old": {"type": "sse", "url": "http://127.0.0.1:9/sse", "description": "an old one"},
        "off": {"command": "x", "disabled": true}}})");
    ASSERT_EQ(config.servers.size(), 3u);
    EXPECT_EQ(config.servers[0].name, "files");
    EXPECT_THAT(config.servers[0].args, ElementsAre("-y", "x", "8080"));
    EXPECT_THAT(config.servers[0].env, ElementsAre(Pair("DEBUG", "true"), Pair("PORT", "8080")));
    EXPECT_EQ(config.servers[1].transport, WireWish::kStreamableHttp);
    EXPECT_EQ(config.servers[2].transport, WireWish::kSse);
    EXPECT_THAT(config.warnings, ElementsAre(HasSubstr("'off' is disabled")));
}

TEST(Config, TheSpellingsPeopleBringMeanTheSame) {
    const std::string_view files[] = {
        "servers: [{name: a, command: x}]",
        "servers: [{alias: a, transport: stdio, command: x}]",
        "servers: {a: {command: x}}",
        "mcps: [{name: a, command: x}]",
        "mcps: {a: {cmd: x}}",
        "services: {mcp: [{name: a, transport: stdio, command: x}]}",
        "config: {servers: [{alias: a, transport: stdio, command: x}]}",
        R"({"mcpServers": {"a": {"command": "x", "disabled": false}}})",
        R"({"context_servers": {"a": {"source": "custom", "command": "x"}}})",
    };
    for (const std::string_view file : files) {
        const Config config = read(file);
        ASSERT_EQ(config.servers.size(), 1u) << file;
        EXPECT_EQ(config.servers[0].name, "a") << file;
        EXPECT_EQ(config.servers[0].command, "x") << file;
    }
    for (const std::string_view word : {"http", "streamable-http", "streamable_http", "streamableHttp"}) {
        const auto server = read("servers: [{name: a, url: 'http://h/', transport: " + std::string(word) + "}]");
        EXPECT_EQ(server.servers[0].transport, WireWish::kStreamableHttp) << word;
    }
    for (const std::string_view key : {"allow", "tool_filter", "enabled_tools", "includeTools"}) {
        const auto server = read("servers: [{name: a, command: x, " + std::string(key) + ": [b, c]}]");
        EXPECT_THAT(server.servers[0].allow, ElementsAre("b", "c")) << key;
    }
    for (const std::string_view key : {"deny", "disabled_tools", "excludeTools"}) {
        const auto server = read("servers: [{name: a, command: x, " + std::string(key) + ": [b]}]");
        EXPECT_THAT(server.servers[0].deny, ElementsAre("b")) << key;
    }
    for (const std::string_view key : {"url", "serverUrl", "httpUrl"}) {
        EXPECT_EQ(read("mcpServers: {a: {" + std::string(key) + ": 'http://h/'}}").servers[0].url, "http://h/");
    }
    const auto keeps = [](const std::string& more) {
        return read("servers: [{name: a, command: x" + more + "}]").servers[0].keeps_lists();
    };
    EXPECT_FALSE(keeps(""));
    EXPECT_TRUE(keeps(", cache_tools: true"));
    EXPECT_TRUE(keeps(", connect: lazy"));
    EXPECT_FALSE(keeps(", connect: lazy, cache_tools: false"));
}

TEST(Config, AnEditorsFileIsTakenAsItIs) {
    const Config config = read(R"({"$schema": "gantry.schema.json",
        "inputs": [{"type": "promptString", "id": "key", "description": "Key", "password": true}],
        "servers": {"web": {"type": "http", "url": "https://h/mcp", "headers": {"X-Key": "${input:key}"}}}})");
    ASSERT_EQ(config.servers.size(), 1u);
    EXPECT_EQ(config.servers[0].headers[0].second, "${input:key}");
}

TEST(Config, ApprovalIsAskedForByListsOrAWord) {
    const auto lists =
        read("servers: [{name: a, command: x, require_approval: {always: [delete_repository], never: 'get_*'}}]");
    EXPECT_THAT(lists.servers[0].require_approval.always, ElementsAre("delete_repository"));
    EXPECT_THAT(lists.servers[0].require_approval.never, ElementsAre("get_*"));
    EXPECT_THAT(read("servers: [{name: a, command: x, require_approval: always}]").servers[0].require_approval.always,
                ElementsAre("*"));
    EXPECT_THAT(read("servers: [{name: a, command: x, require_approval: never}]").servers[0].require_approval.never,
                ElementsAre("*"));
}

TEST(Config, ApprovalTakesTheLongerFormOfAgentRuntimes) {
    for (const std::string text :
         {"servers: [{name: a, command: x, require_approval: {always: {tool_names: [delete_file, drop]}}}]",
          "servers: [{name: a, command: x, require_approval: {always: {tool_names: [delete_file, drop]},"
          " never: {tool_names: read_file}}}]",
          "servers: [{name: a, command: x, require_approval: {always: {tool_names: [delete_file, drop]},"
          " never: [read_file]}}]"}) {
        EXPECT_EQ(schema_refuses(text), "") << text;
        const auto approval = read(text).servers[0].require_approval;
        EXPECT_THAT(approval.always, ElementsAre("delete_file", "drop")) << text;
        if (text.contains("never")) EXPECT_THAT(approval.never, ElementsAre("read_file")) << text;
    }
}

TEST(Config, AnExtensionsManifestIsTakenAsItIs) {
    const std::string manifest =
        "id: mcp\nname: MCP\nversion: 1.0.0\ndescription: Bridge\nentrypoint: main:Bridge\n"
        "setup_instructions: Add servers.\nenabled: true\nconfig:\n  servers:\n"
        "    - {alias: files, transport: stdio, command: npx, args: [-y, x], tool_filter: [read_file]}\n"
        "    - {alias: github, transport: streamable-http, url: 'https://h/mcp',"
        " headers: {Authorization: 'Bearer ${TOKEN}'}, require_approval: {always: [delete_repository]}}\n";
    const Config config = read(manifest);
    ASSERT_EQ(config.servers.size(), 2u);
    EXPECT_THAT(config.servers[0].allow, ElementsAre("read_file"));
    EXPECT_EQ(config.servers[1].transport, WireWish::kStreamableHttp);
    EXPECT_TRUE(read("config: {servers: []}").servers.empty());

    std::string off = manifest;
    off.replace(off.find("enabled: true"), 13, "enabled: false");
    const Config none = read(off);
    EXPECT_TRUE(none.servers.empty());
    EXPECT_THAT(none.warnings, ElementsAre(HasSubstr("enabled is false")));
}

TEST(Config, TextThatIsANumberOrATruthCountsAsOne) {
    const Config config = read("max_tools: '8090'\nstateless: 'true'\ntimeout: '5'\n");
    EXPECT_EQ(config.max_tools, 8090u);
    EXPECT_TRUE(config.stateless);
    EXPECT_EQ(config.timeout, seconds(5));
}

TEST(Config, BothFormsMayStandInOneFile) {
    const Config config = read("servers:\n  - {name: a, command: x}\nmcpServers:\n  b: {command: y}\n");
    EXPECT_EQ(config.servers.size(), 2u);
}

TEST(Config, AServerHasThirtySecondsForEachCallAndTenMinutesInAnyCase) {
    const Config config = read("servers: [{name: program, command: x}, {name: remote, url: 'http://x'}]");
    ASSERT_EQ(config.servers.size(), 2u);
    for (const auto& server : config.servers) {
        EXPECT_EQ(server.timeout, seconds(30)) << server.name;
        EXPECT_EQ(server.total_timeout, std::chrono::minutes(10)) << server.name;
    }
}

TEST(Config, ServersHaveTheFilesTimeoutAndLimitUnlessTheySayOtherwise) {
    const Config config = read(
        "servers:\n  - {name: a, command: x}\n  - {name: b, command: x, timeout: 1h, max_result_bytes: 1MB}\n"
        "timeout: 90\nlimits: {max_result_bytes: 2MB}\n");
    EXPECT_EQ(config.servers[0].timeout, seconds(90));
    EXPECT_EQ(config.servers[0].max_result_bytes, 2u << 20);
    EXPECT_EQ(config.servers[1].timeout, std::chrono::hours(1));
    EXPECT_EQ(config.servers[1].total_timeout, std::chrono::hours(1)) << "never less than what one step may take";
    EXPECT_EQ(config.servers[1].max_result_bytes, 1u << 20);
}

TEST(Config, WordsOfTheIssueAreUnderstood) {
    const struct {
        std::string_view word;
        Sharing sharing;
    } rows[] = {{"auto", Sharing::kAuto},
                {"shared", Sharing::kShared},
                {"per-principal", Sharing::kPerPrincipal},
                {"per-client", Sharing::kPerClient},
                {"per-call", Sharing::kPerCall},
                {"singleton", Sharing::kShared},
                {"transient", Sharing::kPerCall}};
    for (const auto& row : rows) {
        const Config config = read("servers: [{name: a, command: x, sharing: " + std::string(row.word) + "}]");
        EXPECT_EQ(config.servers[0].sharing, row.sharing) << row.word;
    }
    EXPECT_EQ(read("servers: [{name: a, command: x, prefix: none}]").servers[0].prefix, "");
    EXPECT_EQ(read("servers: [{name: a, command: x, prefix: gh}]").servers[0].prefix, "gh");
    EXPECT_EQ(read("servers: [{name: a, command: x, prefix: auto}]").servers[0].prefix, std::nullopt);
    EXPECT_EQ(read("servers: [{name: a, command: x, era: legacy}]").servers[0].era, EraWish::kLegacy);
    EXPECT_EQ(read("on_collision: error").on_collision, OnCollision::kError);
    EXPECT_EQ(read("on_collision: first").on_collision, OnCollision::kFirst);
}

TEST(Config, DurationsAndSizes) {
    const struct {
        std::string_view text;
        Duration expected;
    } times[] = {{"30", seconds(30)},
                 {"30s", seconds(30)},
                 {"'30'", seconds(30)},
                 {"0.5", milliseconds(500)},
                 {"500ms", milliseconds(500)},
                 {"5m", std::chrono::minutes(5)},
                 {"1h30m", std::chrono::minutes(90)},
                 {"1.5h", std::chrono::minutes(90)},
                 {"2 m", std::chrono::minutes(2)},
                 {"1d", std::chrono::hours(24)}};
    for (const auto& row : times)
        EXPECT_EQ(read("timeout: " + std::string(row.text)).timeout, row.expected) << row.text;
    const struct {
        std::string_view text;
        std::size_t expected;
    } sizes[] = {{"1000", 1000},       {"1KB", 1024},    {"64MB", 64u << 20},
                 {"64MiB", 64u << 20}, {"2M", 2u << 20}, {"1.5KB", 1536},
                 {"1GB", 1u << 30},    {"10 KB", 10240}, {"7B", 7}};
    for (const auto& row : sizes) {
        EXPECT_EQ(read("limits: {max_request_bytes: " + std::string(row.text) + "}").max_request_bytes, row.expected);
    }
}

TEST(Config, GroupsInEveryForm) {
    const Config list =
        read("groups:\n  - {name: g, servers: [a], tools: '*_get'}\nservers: [{name: a, command: x}]\n");
    ASSERT_EQ(list.groups.size(), 1u);
    EXPECT_THAT(list.groups[0].servers, ElementsAre("a"));
    EXPECT_THAT(list.groups[0].tools, ElementsAre("*_get"));
    const Config map = read("servers: {a: {command: x}}\ngroups:\n  g: [a, b]\n  h: {tools: [x]}\n");
    ASSERT_EQ(map.groups.size(), 2u);
    EXPECT_THAT(map.groups[0].servers, ElementsAre("a", "b"));
    EXPECT_THAT(map.warnings, ElementsAre("group 'g' names a server that does not exist: b"));
}

TEST(Config, AnchorsSpareRepetition) {
    const Config config = read(
        "servers:\n  - {name: a, command: x, deny: &no [delete_*, drop_*]}\n"
        "  - {name: b, command: y, deny: *no}\n");
    EXPECT_EQ(config.servers[0].deny, config.servers[1].deny);
}

TEST(Config, ACommandMayBeOneList) {
    const Config config = read("servers: [{name: a, command: [npx, -y, thing], args: [more]}]");
    EXPECT_EQ(config.servers[0].command, "npx");
    EXPECT_THAT(config.servers[0].args, ElementsAre("-y", "thing", "more"));
}

TEST(Config, ReferencesStayUntilTheyAreNeeded) {
    const Config config = read("servers: [{name: a, url: 'https://${HOST}/mcp'}]");
    EXPECT_EQ(config.servers[0].url, "https://${HOST}/mcp");
}

class ConfigFile : public testing::Test {
protected:
    void SetUp() override {
        std::string form = testing::TempDir() + "gantry-config-XXXXXX";
        ASSERT_NE(::mkdtemp(form.data()), nullptr);
        folder_ = form;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::filesystem::path write(std::string_view text) const {
        const auto file = folder_ / "gantry.yaml";
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }
    std::filesystem::path folder_;
};

TEST_F(ConfigFile, IsLoadedAndItsFaultsNameIt) {
    EXPECT_EQ(load_config(write("listen: 127.0.0.1:1\n"))->listen, "127.0.0.1:1");
    const auto broken = load_config(write("listne: 127.0.0.1:1\n"));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().message(),
              (folder_ / "gantry.yaml").string() + ":1:1: listne: unknown key; did you mean 'listen'?");
}

TEST_F(ConfigFile, ItsStateFolderMayReferToTheEnvironment) {
    ASSERT_EQ(::setenv("GANTRY_CONFIG_TEST", "/tmp/x", 1), 0);
    EXPECT_EQ(load_config(write("state_dir: ${GANTRY_CONFIG_TEST}/s\n"))->state_dir, "/tmp/x/s");
    ::unsetenv("GANTRY_CONFIG_TEST");
    EXPECT_FALSE(load_config(write("state_dir: ${GANTRY_CONFIG_TEST}/s\n")));
}

TEST_F(ConfigFile, ReferencesAnywhereOutsideServersAreResolvedAndTheRestWaits) {
    std::ofstream(folder_ / ".env") << "GANTRY_CONFIG_PORT=8123\nGANTRY_CONFIG_TOKEN=canary-in-env-file\n";
    std::ofstream(folder_ / "note.txt") << "Be kind.\n";
    Redactor redactor;
    const auto config =
        load_config(write("listen: '127.0.0.1:${GANTRY_CONFIG_PORT}'\nmax_tools: ${GANTRY_CONFIG_PORT}\n"
                          "instructions: ${file:note.txt} ${GANTRY_CONFIG_TOKEN}\n"
                          "secrets: {keyring: false}\n"
                          "servers: [{name: a, url: 'http://h/', headers: {A: '${NOT_SET}'}}]\n"),
                    &redactor);
    ASSERT_TRUE(config) << config.error().message();
    EXPECT_EQ(config->listen, "127.0.0.1:8123");
    EXPECT_EQ(config->max_tools, 8123u);
    EXPECT_EQ(config->instructions, "Be kind. canary-in-env-file");
    EXPECT_EQ(config->servers[0].headers[0].second, "${NOT_SET}");
    EXPECT_EQ(config->secrets.env_file, folder_ / ".env");
    EXPECT_EQ(redactor.masked("canary-in-env-file"), "***");

    ASSERT_EQ(::setenv("GANTRY_CONFIG_TEST", "elsewhere", 1), 0);
    const auto moved =
        load_config(write("secrets: {keyring: false, store: '${GANTRY_CONFIG_TEST}/s', env_file: x.env}\n"));
    ::unsetenv("GANTRY_CONFIG_TEST");
    ASSERT_TRUE(moved) << moved.error().message();
    EXPECT_EQ(moved->secrets.vault.folder, folder_ / "elsewhere" / "s");
    EXPECT_EQ(moved->secrets.env_file, folder_ / "x.env");

    const auto missing =
        load_config(write("secrets: {keyring: false}\nlimits:\n  max_connections: ${NO_SUCH_THING}\n"));
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message(), HasSubstr(":3:3: limits.max_connections: not set: NO_SUCH_THING"));

    ASSERT_EQ(::setenv("GANTRY_CONFIG_TEST", "7", 1), 0);
    const auto left_out = load_config(
        write("secrets: {keyring: false, environment: false}\nlimits:\n  max_connections: ${GANTRY_CONFIG_TEST}\n"));
    ::unsetenv("GANTRY_CONFIG_TEST");
    ASSERT_FALSE(left_out) << "the environment is not asked";
    EXPECT_THAT(left_out.error().message(), HasSubstr("not set: GANTRY_CONFIG_TEST"));
}

TEST_F(ConfigFile, ThatIsNoneIsSaidSo) {
    const auto absent = load_config(folder_ / "absent.yaml");
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code(), ErrorCode::kNotFound);
    EXPECT_FALSE(load_config(folder_));
    const auto huge = load_config(write(std::string(3u << 20, '#')));
    ASSERT_FALSE(huge);
    EXPECT_THAT(huge.error().message(), HasSubstr("larger than"));
}

}  // namespace
}  // namespace gantry::app
