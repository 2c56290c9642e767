// --timeout applies to the whole command, whatever the program on the other side does.
#include <chrono>

#include "command_line/rig.hpp"

namespace gantry::testing {
namespace {

struct Timed {
    Ran ran;
    std::chrono::milliseconds took;
};
Timed timed(const Home& home, std::vector<std::string> arguments) {
    const auto start = Clock::now();
    Ran ran = home.gantry(std::move(arguments));
    return {std::move(ran), std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start)};
}

// A probe alone used to take ten seconds. The bound is about half of that, to allow for a busy machine.
constexpr std::chrono::milliseconds kSoon{5'500};

TEST(Timeout, CountsForConnectingToo) {
    const Home home;
    const Timed silent = timed(home, {"tools", "--timeout", "1", "--", "sleep", "100"});
    EXPECT_EQ(silent.ran.code, 4) << silent.ran.err;
    EXPECT_THAT(silent.ran.err, HasSubstr("cannot connect to 'sleep': no answer within 1 s"));
    EXPECT_LT(silent.took, kSoon);
}

TEST(Timeout, IsNotProlongedByAProgramThatIgnoresItsEnd) {
    const Home home;
    const Timed stubborn =
        timed(home, {"tools", "--timeout", "1", "--", "bash", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"});
    EXPECT_EQ(stubborn.ran.code, 4) << stubborn.ran.err;
    EXPECT_LT(stubborn.took, kSoon);
}

TEST(Timeout, CountsForAllStepsTogether) {
    const Home home;
    // Each answer takes 0.9 s: no single step exceeds the timeout, but the command does.
    const std::string slow = R"(while read -r line; do id=${line#*\"id\":}; id=${id%%[,\}]*}; sleep 0.9
      case $line in
        *server/discover*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}';;
        *\"initialize\"*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}}';;
        *tools/list*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[]}}';;
      esac; done)";
    home.write("slow.sh", slow);
    const Ran late = home.gantry({"tools", "--timeout", "2", "--", "bash", "slow.sh"});
    EXPECT_EQ(late.code, 4) << late.out << late.err;
    EXPECT_THAT(late.err, HasSubstr("within 2 s"));
    const Ran enough = home.gantry({"tools", "--timeout", "60", "--", "bash", "slow.sh"});
    EXPECT_EQ(enough.code, 0) << enough.err;
}

TEST(Timeout, AProgramThatIsNoServerIsQuoted) {
    const Home home;
    const Ran talks = home.gantry({"tools", "--timeout", "2", "--", "bash", "-c",
                                   "printf 'Hello \\033[31mworld\\nsecond line\\n'; exec sleep 100"});
    EXPECT_EQ(talks.code, 4) << talks.err;
    EXPECT_THAT(talks.err, HasSubstr("the program wrote 'Hello"));
    EXPECT_THAT(talks.err, HasSubstr("world', which is not MCP"));
    EXPECT_THAT(talks.err, Not(HasSubstr("\033"))) << "nothing that drives a terminal";
    EXPECT_THAT(talks.err, Not(HasSubstr("second line")));
    const Ran ends = home.gantry({"tools", "--", "echo", "usage: my-tool FILE"});
    EXPECT_EQ(ends.code, 3) << ends.err;
    EXPECT_THAT(ends.err, HasSubstr("the program wrote 'usage: my-tool FILE', which is not MCP"));
    const Ran json =
        home.gantry({"tools", "--timeout", "2", "--", "bash", "-c", "echo '{\"token\":\"secret\"}'; sleep 9"});
    EXPECT_THAT(json.err, Not(HasSubstr("secret"))) << "what looks like data is not repeated";
}

TEST(Timeout, AProgressBarStaysOutOfALog) {
    const Home home;
    const Ran ran = home.gantry({"call", "test_tool_with_progress", "{}", "--", everything_server(), "--stdio"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
}

}  // namespace
}  // namespace gantry::testing
