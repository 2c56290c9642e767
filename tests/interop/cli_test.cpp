// The command line against a real server: machine-readable output, and distinguishable exit codes.

#include "interop/peers.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

struct Ran {
    std::optional<int> code;
    std::string out;
    std::string err;
};

Ran gantry(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), gantry::test_support::built_path("gantry"));
    Child child({.command = std::move(arguments),
                 .env = {{"NO_COLOR", "1"},
                         {"XDG_CACHE_HOME", gantry::test_support::built_path("tests/cache")},
                         // A folder without a gateway's state: a running gateway would be used otherwise.
                         {"XDG_DATA_HOME", gantry::test_support::built_path("tests/no-data")}}});
    Ran ran;
    ran.code = child.wait(std::chrono::seconds(120));
    ran.out = child.out();
    ran.err = child.err();
    return ran;
}

/// `arguments`, then "--" and the dual-era fixture.
Ran against_fixture(std::vector<std::string> arguments) {
    for (std::string word : {std::string("--"), node(), dual_era_js(), std::string("stdio")})
        arguments.push_back(std::move(word));
    return gantry(std::move(arguments));
}

TEST(CommandLine, HelpsAndCompletes) {
    const Ran help = gantry({"--help"});
    EXPECT_EQ(help.code, 0) << help.err;
    for (const char* command : {"tools", "call", "read", "prompt", "ping", "inspect"})
        EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Ran bash = gantry({"completion", "bash"});
    EXPECT_EQ(bash.code, 0) << bash.err;
    EXPECT_NE(bash.out.find("complete"), std::string::npos);
}

TEST(CommandLine, MisuseIsTwo) {
    EXPECT_EQ(gantry({"tools"}).code, 2) << "no server named";
    EXPECT_EQ(gantry({"no-such-command"}).code, 2);
    EXPECT_EQ(gantry({"tools", "--no-such-option"}).code, 2);
}

TEST(CommandLine, AServerThatCannotBeReachedIsThree) {
    const Ran ran = gantry({"tools", "--url", "http://127.0.0.1:" + std::to_string(free_port()) + "/mcp"});
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_FALSE(ran.err.empty());
    EXPECT_TRUE(ran.out.empty());
}

TEST(CommandLine, ListsToolsAsJson) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    const Ran ran = against_fixture({"tools", "--json"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    const auto json = Json::parse(ran.out);
    ASSERT_TRUE(json) << ran.out;
    ASSERT_TRUE(json->is_array());
    ASSERT_NE(json->at(0), nullptr);
    EXPECT_EQ(json->at(0)->string_at("name"), "add");
    EXPECT_NE(json->at(0)->find("inputSchema"), nullptr);
}

TEST(CommandLine, CallsATool) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    const Ran sum = against_fixture({"call", "add", R"({"a":2,"b":3})"});
    EXPECT_EQ(sum.code, 0) << sum.err;
    EXPECT_NE(sum.out.find('5'), std::string::npos);
    const Ran legacy = against_fixture({"call", "add", R"({"a":2,"b":3})", "--era", "legacy", "--json"});
    EXPECT_EQ(legacy.code, 0) << legacy.err;
    EXPECT_TRUE(Json::parse(legacy.out)) << legacy.out;
}

TEST(CommandLine, AToolThatFailsIsOne) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    const Ran ran = against_fixture({"call", "fail", "{}"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_NE((ran.out + ran.err).find("it was meant to fail"), std::string::npos);
}

TEST(CommandLine, EchoesThroughTheEverythingServer) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    const Ran ran = gantry({"call", "echo", R"({"message":"hi there"})", "--", node(), everything_js(), "stdio"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.out.find("hi there"), std::string::npos);
}

TEST(CommandLine, ReadsPromptsAndPings) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    const Ran read = against_fixture({"read", "fixture://motto"});
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_NE(read.out.find("carry on"), std::string::npos);
    const Ran prompt = against_fixture({"prompt", "review", "topic=bridges"});
    EXPECT_EQ(prompt.code, 0) << prompt.err;
    EXPECT_NE(prompt.out.find("bridges"), std::string::npos);
    const Ran ping = against_fixture({"ping"});
    EXPECT_EQ(ping.code, 0) << ping.err;
}

TEST(CommandLine, TracesMessages) {
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    const Ran ran = against_fixture({"ping", "--trace"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_NE(ran.err.find("server/discover"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace gantry::testing
