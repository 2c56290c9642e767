// Secrets: found in every place, looked up again at every connect, and never exposed.
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "auth/store/private_session.hpp"
#include "gateway/rig.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string leaky_js() {
    return node().empty() ? std::string() : peer_file("leaky_server.mjs");
}

std::string shell(const std::string& command) {
    Child child({.command = {"/bin/sh", "-c", command}, .env = {}});
    const auto code = child.wait();
    return (code == 0 ? "" : "failed: ") + child.out() + child.err();
}

/// A folder with a configuration, an env file, a secret's file and a store; collects all output.
struct Place {
    TempDir folder;
    std::string said;

    std::string file(const std::string& name) const { return folder.path() + "/" + name; }
    void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

    std::string gantry(const std::string& arguments, const std::string& before = {}) {
        const std::string output =
            shell("cd '" + folder.path() + "' && " + before + "'" + gantry_program() + "' " + arguments);
        said += output;
        return output;
    }
};

/// `gantry serve` on the configuration of a place.
struct Serving {
    Place& place;
    Child child;
    std::string url = {};

    Serving(Place& where, std::vector<std::pair<std::string, std::string>> env)
        : place(where),
          child({.command = {gantry_program(), "serve", "--config", where.file("gantry.yaml"), "--listen",
                             "127.0.0.1:0", "--state-dir", where.file("state"), "--log-calls", "--stderr"},
                 .env = std::move(env)}) {
        if (!child.wait_for_output("Ctrl-C stops it")) {
            ADD_FAILURE() << "the gateway did not start: " << child.err() << child.out();
            return;
        }
        const auto at = child.out().find("http://");
        url = child.out().substr(at, child.out().find('\n', at) - at);
    }
    ~Serving() { place.said += child.out() + child.err(); }

    /// Progress and log messages received while the tool runs.
    std::string progress_of(const std::string& tool) {
        std::string heard;
        auto options = options_for(HttpServer{.url = url});
        options.handlers.on_log = [&heard](const mcp::LogMessage& message) { heard += " log: " + message.data.dump(); };
        auto client = connect(options);
        if (!client) return "no connection: " + client.error().to_string();
        auto result = client->call(tool, {}, {.on_progress = [&heard](const mcp::Progress& progress) {
                                       heard += " progress: " + progress.message.value_or("");
                                   }});
        client->close();
        place.said += heard;
        return result ? heard : result.error().to_string();
    }

    std::string call(const std::string& tool) {
        auto client = connect(options_for(HttpServer{.url = url}));
        if (!client) return "no connection: " + client.error().to_string();
        auto result = client->call(tool);
        std::string text = result ? result->text() : result.error().to_string();
        if (!result && result.error().rpc() != nullptr)
            text += result.error().rpc()->message + result.error().rpc()->data;
        place.said += text;
        return text;
    }
};

const std::vector<std::pair<std::string, std::string>> kEnvironment = {{"CANARY_ENV_TOKEN", "canary-in-env/+1"},
                                                                       {"CANARY_ARG_KEY", "canary-in-argument"},
                                                                       {"CANARY_URL_KEY", "canary-in-url"},
                                                                       {"CANARY_HEADER", "canary-in-header"},
                                                                       {"CANARY_PROGRAM", "canary-in-program"}};

std::string environment_of_canaries() {
    std::string text = "env ";
    for (const auto& [name, value] : kEnvironment) text += name + "='" + value + "' ";
    return text;
}

std::string canary_config(const std::string& web) {
    const std::string program = "    command: " + node() + "\n    args: [" + leaky_js() + ", ";
    const std::string told =
        ", --api-key, \"${CANARY_ARG_KEY}\", --token=canary-as-it-is]\n"
        "    env:\n      LEAK_A: ${CANARY_ENV_TOKEN}\n      LEAK_B: ${file:secret.txt}\n"
        "      LEAK_C: ${secrets:CANARY_STORED}\n      LEAK_D: ${CANARY_IN_ENV_FILE}\n"
        "      LEAK_PASSWORD: canary-written-down\n      LEAK_E: ${keyring:CANARY_STORED:-none}\n";
    return "instructions: ${CANARY_IN_ENV_FILE:-}\nservers:\n  - name: leaky\n" + program + "stdio" + told +
           "  - name: dying\n" + program + "dying" + told +
           "  - name: absent\n    command: /no/such/${CANARY_PROGRAM}\n" + "  - name: web\n    url: " + web +
           "?key=${CANARY_URL_KEY}\n    headers:\n"
           "      Authorization: Bearer ${CANARY_HEADER}\n      X-Session: canary-header-written-down\n" +
           "  - name: missing\n    command: x\n    env:\n      A: ${CANARY_ENV_TOKEN}\n      B: ${CANARY_NOT_SET}\n"
           "      C: ${keyring:CANARY_NEITHER}\n";
}

void nothing_leaks() {
    Place place;
    HttpPeer web({node(), leaky_js(), "http"});
    place.write("secret.txt", "canary-in-file\n");
    place.write(".env", "CANARY_IN_ENV_FILE=canary-in-env-file\n");
    place.write("gantry.yaml", canary_config(web.url()));
    EXPECT_THAT(place.gantry("secrets set CANARY_STORED", "printf %s canary-in-store | "),
                HasSubstr("is stored in the "));
    EXPECT_THAT(place.gantry("secrets get CANARY_STORED"), HasSubstr("*** (15 characters"));
    EXPECT_THAT(place.gantry("secrets list"), HasSubstr("CANARY_STORED"));
    place.gantry("check");
    place.gantry("doctor", environment_of_canaries());
    place.gantry("doctor --json", environment_of_canaries());
    std::string log;
    {
        Serving serving(place, kEnvironment);
        ASSERT_FALSE(serving.url.empty());
        for (const char* tool : {"leaky_refuse", "leaky_fail", "leaky_die", "web_x", "dying_x"}) {
            EXPECT_THAT(serving.call(tool), Not(HasSubstr("canary-"))) << tool;
        }
        EXPECT_THAT(serving.progress_of("leaky_tell"), ContainsRegex("so far: .*[*][*][*]"));
        EXPECT_THAT(serving.call("leaky_fail"), ContainsRegex("failed: --api-key .*[*][*][*]"))
            << "it ran, and was not told in clear";
        EXPECT_TRUE(serving.child.wait_for_output("missing: "));
        const std::string kept = place.gantry("logs --last 100000 --state-dir state");
        EXPECT_THAT(kept, ContainsRegex("started with .*[*][*][*]")) << "read from outside it is redacted too";
        place.gantry("status --json --state-dir state");
        place.gantry("events --after 0 --count 3 --state-dir state");
        log = serving.child.err();
    }
    EXPECT_THAT(log, ContainsRegex("started with .*[*][*][*]")) << "the server spoke, behind the redactor";
    EXPECT_THAT(log, HasSubstr("not set: CANARY_NOT_SET, keyring:CANARY_NEITHER\"")) << "exactly the missing ones";
    for (const std::string_view form :
         {"canary-", "Y2FuYXJ5LW", "NhbmFyeS1", "jYW5hcnkt", "63616e6172792d", "63616E6172792D"}) {
        EXPECT_THAT(place.said, Not(HasSubstr(form)));
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place.file("state"))) {
        if (!entry.is_regular_file()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        EXPECT_THAT((std::ostringstream() << in.rdbuf()).str(), Not(HasSubstr("canary-"))) << entry.path();
    }
    place.gantry("secrets delete CANARY_STORED");
}

TEST(SecretsTest, PlantedEverywhereAreSeenNowhere) {
    SKIP_WITHOUT(leaky_js());
    const bool inside = auth::inside_private_session();
    if (inside) auth::wait_for_keyring();
    // With a real keyring if there can be one, otherwise with the encrypted file.
    if (inside || !auth::why_no_private_session().empty()) return nothing_leaks();
    const TemporaryFolder folder;
    const auto run = auth::run_in_private_session(folder.path(), "SecretsTest.PlantedEverywhereAreSeenNowhere");
    EXPECT_EQ(run.code, 0) << run.log;
    EXPECT_FALSE(folder.contains("canary-in-store")) << "the keyring keeps it encrypted";
}

TEST(SecretsTest, AreTypedUnseen) {
    Place place;
    place.write("gantry.yaml", "secrets: {keyring: false, store: store}\n");
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid == 0) {
        const std::string program = gantry_program();
        const std::string config = place.file("gantry.yaml");
        ::execl(program.c_str(), "gantry", "secrets", "--config", config.c_str(), "set", "TYPED", nullptr);
        ::_exit(127);
    }
    ASSERT_GT(pid, 0);
    std::string shown;
    const auto read_until = [&](std::string_view text) {
        char piece[256];
        while (!shown.contains(text)) {
            const ssize_t got = ::read(terminal, piece, sizeof piece);
            if (got <= 0) return false;
            shown.append(piece, static_cast<std::size_t>(got));
        }
        return true;
    };
    EXPECT_TRUE(read_until("not shown"));
    EXPECT_EQ(::write(terminal, "canary-typed\n", 13), 13);
    EXPECT_TRUE(read_until("is stored")) << shown;
    int status = 0;
    ::waitpid(pid, &status, 0);
    ::close(terminal);
    EXPECT_EQ(status, 0);
    EXPECT_THAT(shown, Not(HasSubstr("canary"))) << "the terminal does not echo it";
    EXPECT_EQ(place.gantry("secrets --config gantry.yaml get TYPED --show"), "canary-typed\n");
    EXPECT_THAT(place.gantry("secrets --config gantry.yaml delete TYPED"), HasSubstr("deleted"));
}

TEST(SecretsTest, AreLookedUpAgainWhenAServerIsConnectedAgain) {
    SKIP_WITHOUT(leaky_js());
    Place place;
    place.write(".env", "ROTATES=first-value\n");
    place.write("gantry.yaml", "secrets: {keyring: false}\nservers:\n  - name: s\n    command: " + node() +
                                   "\n    args: [" + leaky_js() + ", stdio]\n    env: {ROTATED: \"${ROTATES}\"}\n");
    Serving serving(place, {});
    ASSERT_FALSE(serving.url.empty());
    EXPECT_EQ(serving.call("s_rotated"), "first-value");
    place.write(".env", "ROTATES=second-value\n");
    serving.call("s_die");
    EXPECT_TRUE(eventually([&] { return serving.call("s_rotated") == "second-value"; }));
}

TEST(SecretsTest, AServerThatRefusesIsAskedAgainWithWhatCameInTheirPlace) {
    SKIP_WITHOUT(node());
    Place place;
    place.write("word", "first-word\n");
    place.write(".env", "WORD=first-word\n");
    const HttpPeer web({node(), peer_file("guarded_server.mjs"), place.file("word")});
    place.write("gantry.yaml", "secrets: {keyring: false}\nservers:\n  - name: g\n    url: " + web.url() +
                                   "\n    era: legacy\n    transport: http\n    headers: {X-Word: \"${WORD}\"}\n");
    Serving serving(place, {});
    ASSERT_FALSE(serving.url.empty());
    // The answer counts accepted and rejected requests.
    EXPECT_THAT(serving.call("g_knocks"), ::testing::EndsWith(" 0"));
    place.write("word", "second-word\n");
    const std::string refused = serving.call("g_knocks");
    EXPECT_THAT(refused, HasSubstr("401")) << "there is nothing else to say yet";
    EXPECT_THAT(refused, Not(HasSubstr("word")));
    place.write(".env", "WORD=second-word\n");
    std::string after;
    EXPECT_TRUE(eventually([&] {
        after = serving.call("g_knocks");
        return !after.contains("401");
    })) << after;
    EXPECT_EQ(serving.call("g_knocks"), after) << "once per change: nobody connects or is turned away any more";
}

TEST(SecretsTest, AServerWithoutItsSecretComesWhenItIsThere) {
    SKIP_WITHOUT(leaky_js());
    Place place;
    place.write("gantry.yaml", "secrets: {keyring: false}\nservers:\n  - name: s\n    command: " + node() +
                                   "\n    args: [" + leaky_js() + ", stdio]\n    env: {ROTATED: \"${COMES_LATER}\"}\n");
    Serving serving(place, {});
    ASSERT_FALSE(serving.url.empty());
    EXPECT_THAT(serving.child.err() + serving.child.out(), HasSubstr("not set: COMES_LATER"));
    place.write(".env", "COMES_LATER=here\n");
    EXPECT_TRUE(eventually([&] { return serving.call("s_rotated") == "here"; }));
}

}  // namespace
}  // namespace gantry::testing
