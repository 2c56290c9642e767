// gantry doctor against real servers: what it finds, what it prints, and that it leaves nothing behind.
#include <gmock/gmock.h>

#include <filesystem>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

struct Told {
    std::optional<int> code;
    std::string out;
    Json json = {};
};

Told doctor(const std::string& config) {
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml") << config;
    Child child({.command = {gantry_program(), "doctor", folder.path() + "/gantry.yaml", "--json"},
                 .env = {{"XDG_DATA_HOME", folder.path()}}});
    Told told{.code = child.wait(std::chrono::seconds(120)), .out = child.out() + child.err()};
    told.json = Json::parse(child.out()).value_or(Json());
    return told;
}

const Json& at(const Told& told, const std::string& pointer) {
    static const Json kNothing;
    const Json* found = told.json.at_pointer(pointer);
    return found == nullptr ? kNothing : *found;
}

TEST(DoctorTest, TriesEveryServerAndLeavesNothingRunning) {
    SKIP_WITHOUT(everything_js());
    const std::string marker = "doctor-test-" + std::to_string(::getpid());
    const Told told = doctor("secrets: {keyring: false}\nservers:\n  - name: good\n    command: " + node() +
                             "\n    args: [" + everything_js() + ", stdio, " + marker +
                             "]\n    deny: [no_such_tool]\n"
                             "  - {name: absent, command: no-such-program-anywhere}\n"
                             "  - {name: ends, command: sh, args: [-c, 'echo went wrong >&2; exit 3']}\n"
                             "  - {name: secret, command: sh, env: {A: '${NOT_SET_ANYWHERE}'}}\n"
                             "  - {name: nobody, url: 'http://127.0.0.1:" +
                             std::to_string(free_port()) + "/mcp'}\n");
    EXPECT_EQ(told.code, 3) << told.out;
    EXPECT_EQ(at(told, "/healthy"), Json(false));
    EXPECT_EQ(at(told, "/servers/0/healthy"), Json(true)) << told.out;
    EXPECT_GT(at(told, "/servers/0/tools").as_int().value_or(0), 5);
    EXPECT_THAT(at(told, "/servers/0/notes").dump(), HasSubstr("deny: no_such_tool matches nothing"));
    EXPECT_THAT(at(told, "/servers/1/advice").dump(), HasSubstr("is not on PATH"));
    EXPECT_THAT(at(told, "/servers/2/problem").dump(), HasSubstr("went wrong"));
    EXPECT_THAT(at(told, "/servers/3/problem").dump(), HasSubstr("not set: NOT_SET_ANYWHERE"));
    EXPECT_THAT(at(told, "/servers/3/advice").dump(), HasSubstr("gantry secrets set NOT_SET_ANYWHERE"));
    EXPECT_THAT(at(told, "/servers/4/advice").dump(), HasSubstr("nothing listens there")) << told.out;
    EXPECT_EQ(at(told, "/kernel/0/available").is_bool(), true) << "what this kernel offers to isolate servers";
    EXPECT_TRUE(eventually([&] { return processes_with(marker).empty(); }));
}

TEST(DoctorTest, IsContentWithServersThatWork) {
    SKIP_WITHOUT(everything_js());
    const Told told = doctor("servers:\n" + everything_stdio("good"));
    EXPECT_EQ(told.code, 0) << told.out;
    EXPECT_EQ(at(told, "/healthy"), Json(true));
}

TEST(DoctorTest, ABrokenFileIsTheFirstThingToMend) {
    const Told told = doctor("servers: [{name: a, comand: x}]\n");
    EXPECT_EQ(told.code, 2);
    EXPECT_THAT(told.out, HasSubstr("did you mean 'command'?"));
}

}  // namespace
}  // namespace gantry::testing
