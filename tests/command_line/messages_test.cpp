// What a new user reads after a mistake, and the exit code a script sees.
#include "command_line/rig.hpp"

namespace gantry::testing {
namespace {

struct Mistake {
    std::vector<std::string> arguments;
    const char* message;
};

TEST(Messages, SayWhatIsWrongAndWhatToWrite) {
    const Home home;
    const std::vector<Mistake> mistakes = {
        {{"tols"}, "unknown command 'tols'; did you mean 'tools'?"},
        {{"tools", "--prefx", "x"}, "unknown option '--prefx'; did you mean '--prefix'?"},
        {{"--era", "legacy", "tools"}, "--era goes after the command: gantry tools --era"},
        {{"--bogus", "tools"}, "unknown option '--bogus'"},
        {{"version", "extra"}, "unexpected argument 'extra'"},
        {{"tools", "--timeout", "abc"},
         "--timeout must be a number of seconds above 0 and up to 86400, e.g. 2.5, not 'abc'"},
        {{"tools", "--era", "foo"}, "--era must be auto, legacy or modern, not 'foo'"},
        {{"tools", "--url", "nonsense"}, "--url must be an http or https URL, e.g. http://localhost:3001/mcp"},
        {{"tools", "--url"}, "--url needs a value: --url URL"},
        {{"tools", "--json=foo"}, "--json takes no value"},
        {{"tools", "--url", "http://h/", "--url", "http://h/"}, "--url may be given only once"},
        {{"tools", "--url", "http://h/", "--", "x"}, "name one server: --url URL, --server NAME or a program after --"},
        {{"call"}, "gantry call needs TOOL, e.g. gantry call echo message=hi -- my-server"},
        {{"secrets"}, "say what to do: set, get, list or delete"},
        {{"top", "--interval", "0"}, "--interval must be a number from 0.1 to 3600, not '0'"},
        {{"events", "--after", "x"}, "--after must be a number from 0 up, not 'x'"},
        {{"approvals", "--approve", "a", "--reject", "b"}, "cannot be combined"},
        {{"serve", "absent.yaml"}, "no such file: absent.yaml"},
        {{"check", "gantry.yaml", "--", "x"}, "gantry check starts no program: leave out --"},
        {{"tools", "--header", "broken", "--", "x"}, "--header must be NAME:VALUE"},
        {{"help", "tols"}, "no help on 'tols'"},
        {{"tools"}, "no server named, and no running gateway to use instead"},
    };
    for (const Mistake& mistake : mistakes) {
        const Ran ran = home.gantry(mistake.arguments);
        EXPECT_EQ(ran.code, 2) << mistake.message << "\n" << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(mistake.message));
        EXPECT_EQ(ran.out, "") << mistake.message;
        EXPECT_LT(ran.err.size(), 400u) << "no bound of 309 digits";
    }
}

TEST(Messages, HelpIsGroupedAndShowsNoParserNotation) {
    const Home home;
    const Ran all = home.gantry({"help"});
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.out, home.gantry({"--help"}).out);
    for (const char* heading : {"Talk to a server:", "Set up a configuration:", "Run a gateway:",
                                "Operate a running gateway:", "About gantry:"})
        EXPECT_THAT(all.out, HasSubstr(heading));
    for (const char* command : {"tools", "call", "approvals", "events", "serve", "import", "help", "connect"}) {
        const Ran one = home.gantry({"help", command});
        EXPECT_EQ(one.code, 0) << command;
        EXPECT_THAT(one.out, HasSubstr("Usage: gantry " + std::string(command)));
        for (const char* notation : {"{false}", "Excludes", "Needs:", "TEXT", "REQUIRED"})
            EXPECT_THAT(one.out, Not(HasSubstr(notation))) << command;
    }
    EXPECT_THAT(home.gantry({"help", "exit-codes"}).out, HasSubstr("3    not found or not reachable"));
    EXPECT_EQ(home.gantry({"version"}).out, home.gantry({"--version"}).out);
}

TEST(Messages, ToolsAreShownWithTheirArguments) {
    const Home home;
    const Ran list = home.gantry({"tools", "--", hello_server()});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_THAT(list.out, HasSubstr("add(a: number, b: number) — Adds two numbers"));
    EXPECT_THAT(home.gantry({"inspect", "--", hello_server()}).out, HasSubstr("add(a: number, b: number)"));
    const Ran one = home.gantry({"tools", "add", "--", hello_server()});
    EXPECT_EQ(one.code, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("first summand"));
    EXPECT_THAT(one.out, HasSubstr("\"required\""));
    // The example in the message must work.
    const auto at = one.out.find("gantry call add");
    ASSERT_NE(at, std::string::npos) << one.out;
    const std::string example = one.out.substr(at, one.out.find('\n', at) - at);
    const Ran pasted = home.bash("$GANTRY" + example.substr(6));
    EXPECT_EQ(pasted.code, 0) << example << pasted.err;
    EXPECT_THAT(pasted.out, HasSubstr("2"));
}

TEST(Messages, AWrongToolOrArgumentIsNamedBeforeAnythingRuns) {
    const Home home;
    const auto call = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "call");
        arguments.insert(arguments.end(), {"--", hello_server()});
        return home.gantry(arguments);
    };
    const Ran unknown = call({"ad"});
    EXPECT_EQ(unknown.code, 3);
    EXPECT_THAT(unknown.err, HasSubstr("no tool 'ad'; did you mean 'add'?"));
    const Ran missing = call({"add", "a=1"});
    EXPECT_EQ(missing.code, 7);
    EXPECT_THAT(missing.err, HasSubstr("missing required argument 'b' (number)"));
    EXPECT_THAT(missing.err, HasSubstr("gantry tools NAME"));
    const Ran mistyped = call({"add", "a=one", "b=1"});
    EXPECT_EQ(mistyped.code, 2);
    EXPECT_THAT(mistyped.err, HasSubstr("argument 'a' must be a number, e.g. a=2.5"));
    const Ran json = call({"add", R"({"a":"one","b":1})"});
    EXPECT_EQ(json.code, 7);
    EXPECT_THAT(json.err, HasSubstr("argument 'a' must be a number"));
}

TEST(Messages, AGatewaySaysTheSameToAnyClient) {
    const Home home;
    Gateway gateway("servers:\n  - name: remote\n    command: " + hello_server() + "\n");
    const auto call = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "call");
        arguments.insert(arguments.end(), {"--no-validate", "--url", gateway.url()});
        return home.gantry(arguments);
    };
    EXPECT_THAT(call({"add", "{}"}).err, HasSubstr("no tool 'add'; did you mean 'remote_add'?"));
    const Ran missing = call({"remote_add", R"({"a":1})"});
    EXPECT_EQ(missing.code, 1) << "a result for the model to read";
    EXPECT_THAT(missing.out, HasSubstr("missing required argument 'b' (number)"));
}

TEST(Messages, ExitCodesTellTheFailuresApart) {
    const Home home;
    EXPECT_EQ(home.gantry({"tools", "--url", "ftp://host/mcp"}).code, 2);
    EXPECT_EQ(home.gantry({"tools", "--", "no-such-program-anywhere"}).code, 3);
    EXPECT_EQ(home.gantry({"status"}).code, 3) << "no gateway runs";
    EXPECT_EQ(home.gantry({"serve", "--demo", "--state-dir", "/proc/no/such/folder"}).code, 2);
    home.write("broken.yaml", "servers: [}\n");
    EXPECT_EQ(home.gantry({"serve", "broken.yaml"}).code, 2);
    const Ran folder = home.gantry({"serve", "--demo", "--state-dir", "/proc/no"});
    EXPECT_THAT(folder.err, HasSubstr("cannot create state folder /proc/no: "));
    EXPECT_THAT(folder.err, HasSubstr("; choose another with --state-dir"));
}

TEST(Messages, ARejectedCallIsAboutAuthorization) {
    const Home home;
    Gateway gateway("demo_tools: true\napprovals: {rules: [{tools: [\"*\"]}]}\n");
    // Rejects the first pending call.
    const Ran ran = home.bash(
        "where='--state-dir " + gateway.state() + "'; $GANTRY call demo_echo message=hi --url " + gateway.url() +
        " & call=$!; for i in $(seq 600); do id=$($GANTRY approvals --json $where | sed -n 's/.*\"id\": "
        "\"\\(.*\\)\".*/\\1/p');"
        " [ -n \"$id\" ] && break; sleep 0.1; done; $GANTRY approvals --reject $id $where >/dev/null; wait $call");
    EXPECT_EQ(ran.code, 5) << ran.err << ran.out;
}

}  // namespace
}  // namespace gantry::testing
