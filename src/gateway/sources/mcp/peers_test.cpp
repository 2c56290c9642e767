// Third-party servers (tests/peers) behind a source, over every wire and in both eras.

#include <csignal>
#include <memory>
#include <ostream>

#include "gateway/sources/mcp/test_rig.hpp"
#include "interop/peers.hpp"
#include "support/child.hpp"

namespace gantry::gateway::testing {
namespace {

using gantry::testing::Child;
using gantry::testing::dual_era_js;
using gantry::testing::everything_js;
using gantry::testing::node;

Task<void> drive(Loop& loop, McpServerSpec spec, Task<void> (*body)(Rig& rig)) {
    Rig rig(loop, kLegacy);
    rig.spec = std::move(spec);
    rig.spec.timeout = seconds(60);
    rig.options.route = nullptr;
    rig.options.connect_timeout = seconds(90);
    co_await body(rig);
    co_await rig.end();
}

void run_real(McpServerSpec spec, Task<void> (*body)(Rig& rig)) {
    Loop loop;
    loop.run_until_done(drive(loop, std::move(spec), body));
}

McpServerSpec child_spec(std::string script, std::vector<std::string> args) {
    McpServerSpec spec{.name = "real", .command = node(), .args = {std::move(script)}};
    spec.args.insert(spec.args.end(), args.begin(), args.end());
    return spec;
}

Task<void> exercise_everything(Rig& rig) {
    CO_ASSERT(co_await rig.start());
    EXPECT_FALSE(rig.source->inventory()->modern);
    CO_ASSERT(rig.item("echo"));
    Caller ada("ada");
    const auto echoed =
        co_await rig.call(ada, "echo", {.arguments = R"({"message":"hello"})", .public_name = "x_echo"});
    EXPECT_NE(text_of(echoed).find("hello"), std::string::npos) << why(echoed);

    ItemPtr resource;
    for (const ItemPtr& item : rig.source->inventory()->items) {
        if (item->kind == ItemKind::kResource) resource = item;
    }
    CO_ASSERT(resource);
    const auto read = co_await rig.call(ada, resource->name, {.verb = Verb::kReadResource});
    CO_ASSERT(read);
    EXPECT_NE(parse(read->result()).find("contents"), nullptr);

    // A modern client that supports elicitation: the server asks, the call waits for the answer.
    Caller asked("ada", kModern, kElicits);
    const auto question = co_await rig.call(asked, "trigger-elicitation-request");
    CO_ASSERT(question);
    EXPECT_EQ(question->kind, Output::Kind::kInputRequired) << question->result();
    const std::string answer =
        R"({")" + key_of(*question) + R"(":{"action":"accept","content":{"name":"Ada Lovelace"}}})";
    const auto done =
        co_await rig.call(asked, "trigger-elicitation-request", {.state = question->state, .responses = answer});
    CO_ASSERT(done);
    EXPECT_NE(done->result().find("Ada Lovelace"), std::string_view::npos) << done->result();

    // A legacy client is asked at once.
    Caller old("bob", mcp::Revision::k2025_06_18, R"({"sampling":{}})");
    old.line.askable = true;
    old.line.answer = R"({"role":"assistant","content":{"type":"text","text":"sampled words"},"model":"m"})";
    const auto sampled =
        co_await rig.call(old, "trigger-sampling-request", {.arguments = R"({"prompt":"say","maxTokens":5})"});
    EXPECT_NE(why(sampled).find("sampled words"), std::string::npos) << why(sampled);
    EXPECT_EQ(old.line.questions.size(), 1u);
}

TEST(RealServers, EverythingOverStdio) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    run_real(child_spec(everything_js(), {"stdio"}), exercise_everything);
}

TEST(RealServers, EverythingReportsProgressToTheOneWhoCalls) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    run_real(child_spec(everything_js(), {"stdio"}), [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        ada.line.progress_wanted = true;
        const auto done =
            co_await rig.call(ada, "trigger-long-running-operation", {.arguments = R"({"duration":1,"steps":4})"});
        EXPECT_TRUE(done) << why(done);
        EXPECT_GE(ada.line.progresses.size(), 2u);
    });
}

TEST(RealServers, AKilledChildIsStartedAgainAndNobodyHasToReconnect) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    static std::string marker;
    marker = "kill-me-" + std::to_string(getpid());
    run_real(child_spec(everything_js(), {"stdio", marker}), [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        EXPECT_TRUE(co_await rig.call(ada, "echo", {.arguments = R"({"message":"one"})"}));
        for (const int pid : gantry::testing::processes_with(marker)) kill(pid, SIGKILL);
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() != SourceState::kReady; }));
        EXPECT_TRUE(rig.item("echo")) << "its tools stay in the list meanwhile";
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
        const auto again = co_await rig.call(ada, "echo", {.arguments = R"({"message":"two"})"});
        EXPECT_NE(text_of(again).find("two"), std::string::npos) << why(again);
    });
    EXPECT_TRUE(gantry::testing::processes_with(marker).empty()) << "stop() leaves no process behind";
}

void everything_over_http(const char* mode, const char* path, WireWish wish) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    const int port = gantry::testing::free_port();
    Child server({.command = {node(), everything_js(), mode}, .env = {{"PORT", std::to_string(port)}}});
    ASSERT_TRUE(gantry::testing::wait_for_port(port)) << server.err();
    McpServerSpec spec{.name = "real", .url = "http://127.0.0.1:" + std::to_string(port) + path};
    spec.transport = wish;
    run_real(std::move(spec), exercise_everything);
}
TEST(RealServers, EverythingOverStreamableHttp) {
    everything_over_http("streamableHttp", "/mcp", WireWish::kAuto);
}
TEST(RealServers, EverythingOverServerSentEvents) {
    everything_over_http("sse", "/sse", WireWish::kSse);
}
TEST(RealServers, EverythingFallsBackToServerSentEvents) {
    everything_over_http("sse", "/sse", WireWish::kAuto);
}

void everything_as_a_child(const char* mode, WireWish wish) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    McpServerSpec spec = child_spec(everything_js(), {mode});
    spec.transport = wish;
    run_real(std::move(spec), exercise_everything);
}
TEST(RealServers, EverythingAsAChildOverStreamableHttp) {
    everything_as_a_child("streamableHttp", WireWish::kStreamableHttp);
}
TEST(RealServers, EverythingAsAChildOverServerSentEvents) {
    everything_as_a_child("sse", WireWish::kSse);
}

TEST(RealServers, AStreamTheServerEndsEarlyIsPickedUpAndTheCallerHearsOfThePause) {
    const std::string script = gantry::testing::peer_file("conformance_server.mjs");
    SKIP_WITHOUT(script);
    SKIP_WITHOUT(dual_era_js());
    SKIP_WITHOUT(node());
    Child server({.command = {node(), script, "--port", "0", "--era", "legacy"}, .env = {}});
    ASSERT_TRUE(server.wait_for_output("/mcp\n")) << server.err();
    McpServerSpec spec{.name = "real", .url = server.out().substr(0, server.out().find('\n'))};
    run_real(std::move(spec), [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        // The first is relayed without state; the second may be asked questions, so its call is kept.
        Caller relayed("ada", kLegacy);
        Caller kept("bob", kLegacy, kElicits);
        kept.line.askable = true;
        for (Caller* caller : {&relayed, &kept}) {
            const auto done = co_await rig.call(*caller, "test_reconnection");
            EXPECT_EQ(text_of(done), "The client came back for this") << why(done);
            EXPECT_EQ(caller->line.pauses, std::vector<Duration>{milliseconds(500)});
        }
    });
}

struct Way {
    bool http;
    EraWish era;
};
std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << (way.http ? "http" : "stdio") << (way.era == EraWish::kLegacy ? "_legacy" : "_modern");
}

class DualEraSource : public ::testing::TestWithParam<Way> {
protected:
    void SetUp() override {
        SKIP_WITHOUT(dual_era_js());
        SKIP_WITHOUT(node());
        spec_ = McpServerSpec{.name = "dual"};
        if (GetParam().http) {
            server_ =
                std::make_unique<Child>(Child::Options{.command = {node(), dual_era_js(), "http", "both"}, .env = {}});
            ASSERT_TRUE(server_->wait_for_output("listening ")) << server_->err();
            ASSERT_TRUE(server_->wait_for_output("\n"));
            const std::string& out = server_->out();
            spec_.url =
                "http://127.0.0.1:" + std::to_string(std::stoi(out.substr(out.find("listening ") + 10))) + "/mcp";
        } else {
            spec_.command = node();
            spec_.args = {dual_era_js(), "stdio"};
        }
        spec_.era = GetParam().era;
    }

    McpServerSpec spec_;
    std::unique_ptr<Child> server_;
};

TEST_P(DualEraSource, CallsToolsAndMirrorsHeaders) {
    run_real(spec_, [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(rig.source->inventory()->modern, rig.spec.era == EraWish::kModern);
        Caller ada("ada");
        const auto sum = co_await rig.call(ada, "add", {.arguments = R"({"a":2,"b":3})", .public_name = "dual_add"});
        EXPECT_EQ(text_of(sum), "5") << why(sum);
        const auto region = co_await rig.call(ada, "region", {.arguments = R"({"region":"Zürich, CH"})"});
        EXPECT_EQ(text_of(region), "region Zürich, CH") << why(region);
        ada.line.progress_wanted = true;
        EXPECT_EQ(text_of(co_await rig.call(ada, "count", {.arguments = R"({"to":3})"})), "counted to 3");
        EXPECT_EQ(ada.line.progresses.size(), 3u);
        const auto prompt =
            co_await rig.call(ada, "review", {.verb = Verb::kGetPrompt, .arguments = R"({"topic":"it"})"});
        EXPECT_TRUE(prompt) << why(prompt);
    });
}

TEST_P(DualEraSource, AsksAModernClientInRounds) {
    if (GetParam().http && GetParam().era == EraWish::kLegacy)
        GTEST_SKIP() << "the package serves legacy HTTP without sessions, where a server cannot ask";
    run_real(spec_, [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "greet");
        CO_ASSERT(asked);
        EXPECT_EQ(asked->kind, Output::Kind::kInputRequired) << asked->result();
        const std::string answer =
            R"({")" + key_of(*asked) + R"(":{"action":"accept","content":{"name":"Ada","polite":true}}})";
        const auto done = co_await rig.call(ada, "greet", {.state = asked->state, .responses = answer});
        EXPECT_EQ(text_of(done), "Good day, Ada") << why(done);
    });
}

INSTANTIATE_TEST_SUITE_P(EveryWay, DualEraSource,
                         ::testing::Values(Way{false, EraWish::kLegacy}, Way{false, EraWish::kModern},
                                           Way{true, EraWish::kLegacy}, Way{true, EraWish::kModern}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace gantry::gateway::testing
