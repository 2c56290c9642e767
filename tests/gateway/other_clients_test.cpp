// More third-party clients: the official Python package and the inspector's command line.
#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

/// A program that serves the configuration on stdin and stdout, and takes no arguments that a client could misread.
class OverStdio {
public:
    explicit OverStdio(const std::string& config) {
        std::ofstream(folder_.path() + "/gantry.yaml") << config;
        std::ofstream(program()) << "#!/bin/sh\nexec " << gantry_program() << " stdio --config " << folder_.path()
                                 << "/gantry.yaml --state-dir " << folder_.path() << "/state\n";
        std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
    }
    std::string program() const { return folder_.path() + "/serve"; }

private:
    TempDir folder_;
};

std::string run(std::vector<std::string> command) {
    Child child({.command = std::move(command), .env = {}});
    const auto code = child.wait(std::chrono::seconds(120));
    EXPECT_EQ(code.value_or(-1), 0) << child.err();
    return child.out();
}

TEST(PythonClientTest, ListsCallsAndIsAskedInEveryModeOverHttpAndStdio) {
    SKIP_WITHOUT(dual_era_js());
    const std::string python = peer_file("python/.venv/bin/python");
    if (python.empty()) GTEST_SKIP() << "the Python package is not installed: tools/setup gets it where it can";
    const std::string config =
        "servers:\n" + dual_era_stdio("legacy", "    era: legacy\n") + dual_era_stdio("modern", "    era: modern\n");
    Gateway gateway(config);
    const OverStdio pipe(config);
    const Json steps =
        JsonArray{JsonArray{"legacy_add", JsonObject{{"a", 2}, {"b", 3}}},
                  JsonArray{"modern_add", JsonObject{{"a", 20}, {"b", 30}}}, JsonArray{"legacy_greet", JsonObject{}},
                  JsonArray{"modern_greet", JsonObject{}}, JsonArray{"modern_count", JsonObject{{"to", 3}}}};
    std::vector<std::string> command{python, peer_file("python/client.py"), steps.dump()};
    for (const char* mode : {"legacy", "auto", "2026-07-28"}) {
        command.insert(command.end(), {mode, "http", gateway.url(), mode, "stdio", pipe.program()});
    }
    std::istringstream lines(run(std::move(command)));
    int talks = 0;
    for (std::string line; std::getline(lines, line); ++talks) {
        const auto result = Json::parse(line);
        ASSERT_TRUE(result && result->find("results") != nullptr) << line;
        EXPECT_TRUE(lists(*result, "legacy_add") && lists(*result, "modern_add")) << line;
        EXPECT_EQ(result->find("results")->dump(), R"([["5",[]],["50",[]],["Good day, Ada",[]],["Good day, Ada",[]],)"
                                                   R"(["counted to 3",[1,2,3]]])")
            << "talk " << talks;
    }
    EXPECT_EQ(talks, 6);
}

TEST(InspectorTest, ListsOverHttpAndCallsOverStdio) {
    const std::string inspector = peer_file("node_modules/.bin/mcp-inspector");
    SKIP_WITHOUT(inspector);
    SKIP_WITHOUT(dual_era_js());
    const std::string config = "servers:\n" + dual_era_stdio("dual");
    Gateway gateway(config);
    const OverStdio pipe(config);
    EXPECT_THAT(run({node(), inspector, "--cli", gateway.url(), "--transport", "http", "--method", "tools/list"}),
                HasSubstr("dual_add"));
    EXPECT_THAT(run({node(), inspector, "--cli", pipe.program(), "--method", "tools/call", "--tool-name", "dual_add",
                     "--tool-arg", "a=2", "--tool-arg", "b=40"}),
                HasSubstr("42"));
}

}  // namespace
}  // namespace gantry::testing
