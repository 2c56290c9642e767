// Output without a reader, and output to a full disk.
#include "command_line/rig.hpp"

namespace gantry::testing {
namespace {

TEST(Output, AFullDiskIsAnErrorOfEveryKindOfCommand) {
    const Home home;
    home.write("gantry.yaml", "demo_tools: true\n");
    for (const char* command :
         {"help", "version", "schema", "check", "completion bash", "tools -- $SERVER", "--help"}) {
        const Ran ran = home.bash("SERVER=" + hello_server() + "; $GANTRY " + command + " > /dev/full");
        EXPECT_EQ(ran.code, 8) << command << ran.err;
        EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output: No space left on device")) << command;
    }
    EXPECT_EQ(home.gantry({"check"}).code, 0) << "and is none without one";
}

TEST(Output, AFailureBeforeThatKeepsItsExitCode) {
    const Home home;
    EXPECT_EQ(home.bash("$GANTRY check absent.yaml --json > /dev/full").code, 2);
}

TEST(Output, AClosedPipeEndsACommandLikeSigpipe) {
    const Home home;
    const Ran ran = home.bash("$GANTRY schema | head -1; echo ${PIPESTATUS[0]}");
    EXPECT_THAT(ran.out, ::testing::EndsWith("\n141\n"));
    EXPECT_EQ(ran.err, "");
}

TEST(Output, CommandsThatGoOnEndWhenTheReaderLeaves) {
    const Home home;
    Gateway gateway("demo_tools: true\n");
    const std::string where = " --state-dir " + gateway.state();
    const std::string call = "$GANTRY call demo_echo message=hi --url " + gateway.url() + " >/dev/null; ";
    const auto code = [&](const std::string& command, const std::string& reader) {
        return home.bash("timeout 60 $GANTRY " + command + where + " | " + reader + "; exit ${PIPESTATUS[0]}").code;
    };
    // 124: they would run forever. 0: everything written was read; 141: something was not.
    EXPECT_NE(code("top --interval 0.2", "head -1"), 124);
    // The next write is later than the test may take, so the closed reader alone must end it.
    EXPECT_NE(code("top --interval 3000", "head -1"), 124);
    EXPECT_EQ(home.bash(call).code, 0);
    EXPECT_NE(code("events --after 0", "head -1"), 124);
    EXPECT_NE(code("events", "true"), 124) << "without a single event";
    EXPECT_NE(code("logs --follow", "true"), 124);
}

TEST(Output, AGatewayOutlivesTheReaderOfItsOutput) {
    const Home home;
    home.write("gantry.yaml", "demo_tools: true\n");
    // Ends only with the signal, and then cleanly.
    const Ran ran = home.bash(
        "$GANTRY serve gantry.yaml --listen 127.0.0.1:0 --state-dir state > >(head -1 > first) & pid=$!;"
        "for i in $(seq 600); do $GANTRY status --state-dir state >/dev/null 2>&1 && break; sleep 0.1; done;"
        "kill -0 $pid && kill -TERM $pid; wait $pid");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(home.read("first"), HasSubstr("http://127.0.0.1:"));
}

}  // namespace
}  // namespace gantry::testing
