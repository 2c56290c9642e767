// The wall clock jumps while the gateway runs; the machine's own clock is never touched (support/clock_shift.cpp).
#include <gmock/gmock.h>

#include "bad_clients/rig.hpp"
#include "support/paths.hpp"
#include "support/sanitized.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr long kYear = 365L * 86400;

/// A gateway whose clock a test can set.
class ClockTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (kSanitized) GTEST_SKIP() << "a sanitizer's runtime has to be loaded first";
        set(0);
        std::ofstream(folder.path() + "/gantry.yaml") << "demo_tools: true\naudit: {mode: before-answer}\nservers:\n"
                                                      << everything_server("    require_approval: {always: [greet]}\n");
        child = std::make_unique<Child>(
            Child::Options{.command = {gantry_program(), "serve", "--config", folder.path() + "/gantry.yaml",
                                       "--listen", "127.0.0.1:0", "--state-dir", folder.path() + "/state"},
                           .env = {{"LD_PRELOAD", gantry::test_support::built_path("tests/libgantry_clock_shift.so")},
                                   {"GANTRY_TEST_CLOCK", folder.path() + "/clock"}}});
        ASSERT_TRUE(child->wait_for_output("Ctrl-C stops it")) << child->err();
        const auto at = child->out().find("http://127.0.0.1:") + 17;
        port = std::stoi(child->out().substr(at));
    }

    void set(long seconds) const {
        std::ofstream(folder.path() + "/clock.new") << seconds;
        std::filesystem::rename(folder.path() + "/clock.new", folder.path() + "/clock");
    }

    RawReply post(const std::string& method, const std::string& params, const std::string& name) const {
        RawClient client(port);
        client.send(request("POST", "/mcp", modern("1", method, params), modern_fields(method, name)));
        return client.reply();
    }
    std::string echo(const std::string& message) const {
        return post("tools/call", echo_params(message), "demo_echo").text();
    }
    Child ask(std::vector<std::string> words) const {
        words.insert(words.begin(), gantry_program());
        words.insert(words.end(), {"--state-dir", folder.path() + "/state"});
        return Child({.command = std::move(words), .env = {}});
    }

    TempDir folder;
    std::unique_ptr<Child> child;
    int port = 0;
};

TEST_F(ClockTest, CallsGoOnWhicheverWayTheClockJumps) {
    for (const long shift : {0L, kYear, -kYear, 20 * kYear, 0L}) {
        set(shift);
        EXPECT_EQ(echo(std::to_string(shift)), std::to_string(shift));
    }
    ::kill(child->pid(), SIGTERM);
    EXPECT_EQ(child->wait(), 0) << child->err();
    Child verify(
        {.command = {gantry_program(), "audit", "verify", "--state-dir", folder.path() + "/state"}, .env = {}});
    EXPECT_EQ(verify.wait(), 0) << "records of an earlier time follow later ones: " << verify.out() << verify.err();
}

TEST_F(ClockTest, ACallThatWaitsForAPersonIsAnsweredAfterAJumpBack) {
    RawClient waiting(port);
    waiting.send(request("POST", "/mcp",
                         modern("1", "tools/call", R"("name":"every_greet","arguments":{"name":"Ada"})"),
                         modern_fields("tools/call", "every_greet")));
    std::string id;
    const auto pending = [&] {
        Child list = ask({"approvals", "--json"});
        list.wait();
        const auto answer = Json::parse(list.out());
        const Json* const first = answer ? answer->at_pointer("/approvals/0/id") : nullptr;
        if (first != nullptr) id = *first->if_string();
        return first != nullptr;
    };
    ASSERT_TRUE(eventually(pending));
    set(-kYear);
    EXPECT_EQ(echo("beside it"), "beside it");
    Child approve = ask({"approvals", "--approve", id});
    EXPECT_EQ(approve.wait(), 0) << approve.err();
    EXPECT_THAT(waiting.reply().text(), HasSubstr("Ada"));
}

TEST_F(ClockTest, ALegacySessionSurvivesAJumpBack) {
    RawClient client(port);
    client.send(
        request("POST", "/mcp",
                legacy("1", "initialize",
                       R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"})")));
    const std::string session = client.reply().header("Mcp-Session-Id");
    ASSERT_FALSE(session.empty());
    set(-kYear);
    client.send(request("POST", "/mcp", legacy("2", "tools/call", echo_params("still")),
                        {{"Mcp-Session-Id", session}, {"MCP-Protocol-Version", "2025-06-18"}}));
    EXPECT_EQ(client.reply().text(), "still");
}

}  // namespace
}  // namespace gantry::testing
