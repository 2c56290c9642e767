// Servers whose messages are too large or too many: answers, notifications, requests, lists, standard error.
#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"
#include "bad_clients/upstream.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;
/// For operations that take seconds, and minutes with a sanitizer.
constexpr std::chrono::seconds kLong(240);

class ServerMessagesTest : public BadClientTest {
protected:
    void SetUp() override {}

    void start_with(const std::string& servers, const std::string& settings = {}) {
        start("demo_tools: true\n" + settings + "servers:\n" + servers);
        ASSERT_EQ(call_echo("warm"), "warm");
    }
    RawReply call(const std::string& tool, const std::string& arguments = "{}") const {
        return post_modern("1", "tools/call", R"("name":")" + tool + R"(","arguments":)" + arguments, tool);
    }
    static std::string bytes(std::size_t count) { return R"({"bytes":)" + std::to_string(count) + "}"; }
};

TEST_F(ServerMessagesTest, AnAnswerBeyondTheLimitFailsItsCallAloneOverAPipe) {
    start_with(bad_child("huge", "huge-answer", "    max_result_bytes: 1MB\n"));
    ASSERT_EQ(call("huge_t", bytes(100'000)).text().size(), 131'072u) << "below the limit it passes";
    Bystander bystander(port(), pid());
    for (int i = 0; i < 3; ++i) {
        const RawReply refused = call("huge_t", bytes(100 * kMegabyte));
        EXPECT_THAT(refused.body, HasSubstr("larger than")) << refused.body.substr(0, 500);
        EXPECT_EQ(call("huge_t").text(), "done") << "the rest of the line is skipped";
    }
    bystander.expect_unharmed(16 * kMegabyte);
}

TEST_F(ServerMessagesTest, AnAnswerBeyondTheLimitFailsItsCallAloneOverHttp) {
    Upstream upstream;
    start_with(upstream.entry("    max_result_bytes: 1MB\n"));
    Bystander bystander(port(), pid());
    for (int i = 0; i < 3; ++i) {
        const RawReply refused = call("raw_big", bytes(100 * kMegabyte));
        // Its beginning may already have been passed on; then the answer is cut off instead.
        if (refused.whole) EXPECT_THAT(refused.body, HasSubstr("larger than")) << refused.body.substr(0, 500);
        EXPECT_LT(refused.body.size(), 2 * kMegabyte);
        EXPECT_EQ(call("raw_big", bytes(1000)).text().size(), 1000u);
    }
    bystander.expect_unharmed(16 * kMegabyte);
    gateway_gone();
}

TEST_F(ServerMessagesTest, NotificationsOf40MegabytesDuringACallAreDropped) {
    start_with(bad_child("huge", "huge-notes", "    timeout: 300s\n"));
    Bystander bystander(port(), pid());
    for (int i = 0; i < (kSanitized ? 1 : 2); ++i) EXPECT_EQ(call("huge_t").text(), "done");
    bystander.expect_unharmed(64 * kMegabyte);
}

TEST_F(ServerMessagesTest, NotificationsOf40MegabytesBeforeAnyCallAreDropped) {
    start_with(bad_child("huge", "huge-notes-unasked", {}, mark()));
    Bystander bystander(port(), pid());
    EXPECT_TRUE(eventually([] { return written_by(mark()) > (kSanitized ? 80 : 160) * kMegabyte; }, kLong));
    EXPECT_EQ(call("huge_t").text(), "done") << "the server is read on";
    bystander.expect_unharmed(64 * kMegabyte);
}

TEST_F(ServerMessagesTest, ANotificationOf40MegabytesOnTheStreamOfACallFailsTheCall) {
    Upstream upstream;
    start_with(upstream.entry());
    Bystander bystander(port(), pid());
    for (int i = 0; i < 5; ++i) {
        EXPECT_THAT(call("raw_noisy", bytes(40 * kMegabyte)).body, HasSubstr("no JSON-RPC answer: it has a method"));
        EXPECT_EQ(call("raw_noisy", bytes(1000)).text(), "done");
    }
    bystander.expect_unharmed(32 * kMegabyte);
    gateway_gone();
}

TEST_F(ServerMessagesTest, QuestionsBeyondTheNumberThatIsWorkedOnAreRefused) {
    start_with(bad_child("nosy", "asks-many"));
    const std::string session = initialize("/mcp", "2025-11-25", R"({"elicitation":{}})");
    Bystander bystander(port(), pid());
    // The client receives the requests and never answers; 184 of 200 are refused, and the server reports it.
    const RawReply reply =
        post(legacy("1", "tools/call", R"("name":"nosy_t","arguments":{})"), {{"Mcp-Session-Id", session}});
    EXPECT_EQ(reply.text(), "184 refused");
    std::size_t asked = 0;
    for (std::size_t at = 0; (at = reply.body.find("elicitation/create", at)) != std::string::npos; ++at) ++asked;
    EXPECT_EQ(asked, 16u);
    bystander.expect_unharmed(16 * kMegabyte);
}

TEST_F(ServerMessagesTest, AFloodOnStandardErrorIsCountedAndLeftOut) {
    start_with(bad_child("loud", "floods-stderr"));
    Bystander bystander(port(), pid());
    EXPECT_EQ(call("loud_t").text(), "done");
    EXPECT_EQ(call("loud_t").text(), "done");
    bystander.expect_unharmed(16 * kMegabyte);
    std::string log;
    EXPECT_TRUE(eventually([&] {
        log = ask({"logs", "--server", "loud", "--last", "100000"});
        return log.find("were dropped") != std::string::npos;
    })) << log.substr(0, 2000);
    // 120 MB were written; 128 KB per server are kept.
    EXPECT_LT(log.size(), 512u << 10);
}

TEST_F(ServerMessagesTest, ListsWithoutEndAreCutAndShown) {
    start_with(bad_child("pages", "endless-cursor") + bad_child("tools", "endless-tools"),
               "limits: {max_list_entries: 500}\n");
    Bystander bystander(port(), pid());
    EXPECT_TRUE(eventually(
        [this] {
            const std::string shown = status();
            return shown.find("after 500 entries is left out (limits.max_list_entries)") != std::string::npos &&
                   shown.find("after 1000 of them is left out") != std::string::npos;
        },
        kLong))
        << status();
    const RawReply listed = post_modern("1", "tools/list");
    std::size_t tools = 0;
    for (std::size_t at = 0; (at = listed.body.find("\"name\":\"tools_t", at)) != std::string::npos; ++at) ++tools;
    EXPECT_EQ(tools, 500u);
    bystander.expect_unharmed(48 * kMegabyte);
}

}  // namespace
}  // namespace gantry::testing
