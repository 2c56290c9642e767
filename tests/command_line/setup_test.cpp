// The commands used before anything runs: init, check, doctor.
#include <filesystem>

#include "command_line/rig.hpp"

namespace gantry::testing {
namespace {

TEST(Setup, ConfigurationsAreNamedByPlaceOrByOption) {
    const Home home;
    home.write("a.yaml", "servers:\n  - {name: sums, command: " + hello_server() + "}\n");
    for (const std::vector<std::string>& file :
         {std::vector<std::string>{"a.yaml"}, {"--config", "a.yaml"}, {"-c", "a.yaml"}}) {
        for (const char* command : {"check", "doctor"}) {
            std::vector<std::string> arguments{command};
            arguments.insert(arguments.end(), file.begin(), file.end());
            const Ran ran = home.gantry(arguments);
            EXPECT_EQ(ran.code, 0) << command << ran.err << ran.out;
        }
        std::string words;
        for (const std::string& word : file) words += ' ' + word;
        // Far enough to have read the file: the address is refused only after that.
        const Ran serve = home.bash("$GANTRY serve" + words + " --listen nonsense --state-dir state");
        EXPECT_THAT(serve.err, HasSubstr("nonsense")) << words;
    }
    EXPECT_EQ(home.gantry({"check", "a.yaml", "--config", "a.yaml"}).code, 2) << "one of them";
    EXPECT_THAT(home.gantry({"check", "a.yaml"}).out, HasSubstr("a.yaml is valid: 1 server, 0 groups"));
}

TEST(Setup, CheckRefusesAReferenceThatIsNeverClosed) {
    const Home home;
    home.write("gantry.yaml", "servers:\n  - name: a\n    command: x\n    env: {TOKEN: '${NOPE'}\n");
    const Ran ran = home.gantry({"check"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.err, HasSubstr("gantry.yaml:4:11: servers[0].env.TOKEN: '${' without '}'"));
}

TEST(Setup, InitWritesWhatTheNameSays) {
    const Home home;
    const Ran yaml = home.gantry({"init"});
    EXPECT_EQ(yaml.code, 0) << yaml.err;
    EXPECT_THAT(yaml.out, HasSubstr("wrote gantry.schema.json: the JSON Schema")) << "which is announced";
    const Ran json = home.gantry({"init", "foo.json"});
    EXPECT_EQ(json.code, 0) << json.err;
    const auto read = Json::parse(home.read("foo.json"));
    ASSERT_TRUE(read) << home.read("foo.json");
    EXPECT_EQ(read->string_at("$schema"), "gantry.schema.json");
    EXPECT_EQ(home.gantry({"check", "foo.json"}).code, 0);
    const Ran toml = home.gantry({"init", "foo.toml"});
    EXPECT_EQ(toml.code, 2);
    EXPECT_THAT(toml.err, HasSubstr("a configuration is YAML or JSON"));
    const Ran again = home.gantry({"init", "foo.json"});
    EXPECT_EQ(again.code, 2);
    EXPECT_THAT(again.err, HasSubstr("foo.json already exists; not overwritten"));
}

TEST(Setup, InitLeavesNothingOnAFullDisk) {
    const Home home;
    // A file size limit of 1 KB stands in for a full disk: the configuration is longer than that.
    const Ran full = home.bash("ulimit -f 1; $GANTRY init");
    EXPECT_EQ(full.code, 8) << full.err;
    EXPECT_THAT(full.err, HasSubstr("cannot be written"));
    EXPECT_FALSE(std::filesystem::exists(home.path("gantry.yaml"))) << "it would be in the way of the next one";
    // Enough for the configuration, not for its schema.
    EXPECT_EQ(home.bash("ulimit -f 8; $GANTRY init").code, 8);
    EXPECT_FALSE(std::filesystem::exists(home.path("gantry.yaml")));
    EXPECT_FALSE(std::filesystem::exists(home.path("gantry.schema.json")));
    EXPECT_EQ(home.gantry({"init"}).code, 0);
}

TEST(Setup, DoctorReportsEachServerAsItAnswers) {
    const Home home;
    home.write("hang.sh", "read -r line; while [ ! -e go ]; do sleep 0.1; done\n");
    home.write("gantry.yaml",
               "servers:\n  - name: slow\n    command: bash\n    args: [hang.sh]\n    cwd: " + home.path() +
                   "\n    isolation: \"off\"\n  - {name: sums, command: " + hello_server() + "}\n");
    // The fast server's line must appear before the slow one ends, which ends only after that.
    const Ran ran = home.bash(
        "$GANTRY doctor > out & doctor=$!; for i in $(seq 600); do grep -q '^ok    sums: 1 tool,' out && break;"
        " sleep 0.1; done; grep -q '^ok    sums' out && touch go; wait $doctor; code=$?; cat out; exit $code");
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_TRUE(std::filesystem::exists(home.path("go"))) << "nothing was printed before the slowest answered";
    EXPECT_THAT(ran.out, HasSubstr("ok    sums: 1 tool, 0 prompts, 0 resources"));
    EXPECT_THAT(ran.out, HasSubstr("2 servers: 1 ok, 1 failed"));
}

TEST(Setup, ImportAddsToAConfigurationThatIsThere) {
    const Home home;
    const std::string before =
        "# mine\nlisten: 127.0.0.1:0   # any\nservers:\n  # the first\n  - name: files\n    command: npx\n"
        "    args: [-y, fs]\n  - name: web\n    command: other\n\n# the end\n";
    home.write("gantry.yaml", before);
    home.write("mcp.json", R"({"mcpServers": {"files": {"command": "npx", "args": ["-y", "fs"]},
        "web": {"url": "https://h/mcp"}, "new": {"command": "${workspaceFolder}/x", "env": {"API_KEY": "canary-0123456789"}}}})");
    const Ran merged = home.gantry({"import", "mcp.json", "--merge", "gantry.yaml"});
    EXPECT_EQ(merged.code, 0) << merged.err;
    EXPECT_THAT(merged.err, HasSubstr("'files' is already configured; left as it is"));
    EXPECT_THAT(merged.err, HasSubstr("'web' is taken; imported as 'web-2'"));
    EXPECT_THAT(merged.err, HasSubstr("${workspaceFolder}, which is now ${PWD}"));
    EXPECT_THAT(merged.err, HasSubstr("2 servers added to gantry.yaml"));
    const std::string after = home.read("gantry.yaml");
    EXPECT_THAT(after, ::testing::StartsWith(before.substr(0, before.find("\n# the end"))));
    EXPECT_THAT(after, HasSubstr("# the end"));
    EXPECT_THAT(after, HasSubstr("web-2"));
    EXPECT_THAT(after, Not(HasSubstr("canary")));
    EXPECT_THAT(home.gantry({"check"}).out, HasSubstr("4 servers"));
    const Ran again = home.gantry({"import", "mcp.json", "--merge", "gantry.yaml"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(home.read("gantry.yaml"), after) << "idempotent";
    EXPECT_EQ(home.gantry({"import", "mcp.json", "--merge", "absent.yaml"}).code, 2);
    EXPECT_EQ(home.gantry({"import", "mcp.json", "--merge", "gantry.yaml", "--output", "x"}).code, 2);
}

TEST(Setup, ConnectReplacesWhatGantryServesAndCanUndoIt) {
    const Home home;
    home.write("gantry.yaml", "servers:\n  - {name: files, command: npx, args: [-y, fs]}\n");
    const std::string before =
        "{\n  \"mcpServers\": {\n    // mine\n    \"fs\": {\"command\": \"npx\", \"args\": [\"-y\", \"fs\"]},\n"
        "    \"other\": {\"command\": \"x\"}\n  }\n}\n";
    home.write("mcp.json", before);
    const std::vector<std::string> cursor = {"connect", "cursor", "--file", "mcp.json"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), cursor.begin(), cursor.end());
        return home.gantry(more);
    };
    const Ran wrong = with({"--url", "nonsense", "--write"});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--url must be an http or https URL"));
    EXPECT_EQ(home.read("mcp.json"), before);

    const Ran written = with({"--write"});
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_THAT(written.err, HasSubstr("also starts 1 server that Gantry serves (fs)"));
    const Ran replaced = with({"--replace"});
    EXPECT_EQ(replaced.code, 0) << replaced.err;
    EXPECT_THAT(replaced.out, HasSubstr("removed there, because Gantry serves them: fs"));
    EXPECT_THAT(home.read("mcp.json"), Not(HasSubstr("\"fs\"")));
    EXPECT_THAT(home.read("mcp.json"), HasSubstr("\"other\""));
    EXPECT_EQ(with({"--undo"}).code, 0);
    EXPECT_THAT(home.read("mcp.json"), HasSubstr("\"fs\"")) << "one step back";
    EXPECT_EQ(with({"--undo"}).code, 0);
    EXPECT_EQ(home.read("mcp.json"), before) << "and to the beginning";
    const Ran nothing = with({"--undo"});
    EXPECT_EQ(nothing.code, 3);
    EXPECT_THAT(nothing.err, HasSubstr("has no server 'gantry'"));
}

}  // namespace
}  // namespace gantry::testing
