// Clients that send slowly, stop midway, or never read what they requested.
#include "bad_clients/rig.hpp"
#include "bad_clients/upstream.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;

class SlowTest : public BadClientTest {
protected:
    void SetUp() override {
        start("demo_tools: true\nservers:\n" + upstream_.entry());
        ASSERT_EQ(call_echo("warm"), "warm");
    }

    static std::string call_raw(const std::string& tool, std::size_t bytes, const std::string& meta = kMeta) {
        return request(
            "POST", "/mcp",
            modern("1", "tools/call",
                   R"("name":"raw_)" + tool + R"(","arguments":{"bytes":)" + std::to_string(bytes) + "}", meta),
            modern_fields("tools/call", "raw_" + tool));
    }

    Upstream upstream_;
};

TEST_F(SlowTest, SendersOfSingleBytesAreServedAndHoldNobodyUp) {
    const std::string bytes = request("POST", "/mcp", modern("1", "tools/call", echo_params("slow")),
                                      modern_fields("tools/call", "demo_echo"));
    std::vector<RawClient> slow;
    for (int i = 0; i < 50; ++i) slow.push_back(connect());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (RawClient& client : slow) ASSERT_TRUE(client.send({&bytes[at], 1}));
        if (at % 50 == 0) ASSERT_EQ(call_echo("meanwhile"), "meanwhile");
    }
    for (RawClient& client : slow) EXPECT_EQ(client.reply().text(), "slow");
}

TEST_F(SlowTest, HeadsThatStopInTheMiddleAreTimedOutWhileOthersAreServed) {
    Bystander bystander(port(), pid());
    std::vector<RawClient> stuck;
    for (int i = 0; i < 200; ++i) {
        stuck.push_back(connect());
        stuck.back().send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Never: en");
    }
    for (RawClient& client : stuck) {
        EXPECT_EQ(client.reply().status, 408);
        EXPECT_EQ(client.rest(), "");
    }
    bystander.expect_unharmed(16 * kMegabyte);
}

TEST_F(SlowTest, HeadsWithoutEndAreRefusedAtTheirLimit) {
    Bystander bystander(port(), pid());
    const std::string many_fields = "X-Field: " + std::string(20, 'f') + "\r\n";
    const std::string long_field = "X-Long: " + std::string(100'000, 'l') + "\r\n";
    for (int i = 0; i < 200; ++i) {
        RawClient client = connect();
        client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
        const std::string& field = i % 2 == 0 ? many_fields : long_field;
        for (int sent = 0; sent < 1000 && !client.said_something() && client.send(field); ++sent) {}
        EXPECT_EQ(client.reply().status, 431);
    }
    bystander.expect_unharmed(16 * kMegabyte);
}

TEST_F(SlowTest, BodiesThatNeverComeReserveNoMemory) {
    const std::size_t before = memory();
    std::vector<RawClient> stuck;
    for (int i = 0; i < 500; ++i) {
        stuck.push_back(connect());
        stuck.back().send(request("POST", "/mcp", "", {{"Content-Length", "4000000"}}) + "{");
    }
    EXPECT_EQ(call_echo("meanwhile"), "meanwhile");
    // 2 GB were announced.
    expect_below(memory(), before + 64 * kMegabyte);
}

TEST_F(SlowTest, LargeResultsNobodyReadsWaitAtTheirServer) {
    constexpr std::size_t kResult = 40 * kMegabyte;
    Bystander bystander(port(), pid());
    std::vector<RawClient> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(connect());
        slow.back().send(call_raw("big", kResult));
    }
    for (RawClient& client : slow) ASSERT_TRUE(client.see("\"content\"")) << "it has begun";
    // 800 MB are requested. Each connection may hold a few buffers on both sides.
    bystander.expect_unharmed(48 * kMegabyte);
    const RawReply reply = slow.front().reply();
    EXPECT_TRUE(reply.whole);
    EXPECT_EQ(reply.text().size(), kResult) << "a client that reads after all gets all of it";
}

TEST_F(SlowTest, AReaderWithoutProgressLosesItsConnectionAfterAMinute) {
    Bystander bystander(port(), pid());
    std::vector<RawClient> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(connect());
        slow.back().send(call_raw("big", 40 * kMegabyte));
    }
    for (RawClient& client : slow) ASSERT_TRUE(client.see("\"content\"")) << "it has begun";
    const std::size_t with_readers = descriptors();
    // The limit is 60 s and not configurable. Each reader has a connection here and one to the server.
    EXPECT_TRUE(eventually([&] { return descriptors() + 2 * slow.size() <= with_readers; }, std::chrono::seconds(150)));
    for (RawClient& client : slow) {
        const RawReply reply = client.reply();
        EXPECT_FALSE(reply.whole) << reply.head << reply.body.size();
    }
    bystander.expect_unharmed(48 * kMegabyte);
}

TEST_F(SlowTest, ProgressNobodyReadsIsDroppedAndTheAnswerIsNot) {
    // More than its socket and the gateway buffer for it, and readable well within the minute that a reader may stall.
    constexpr std::size_t kProgress = (kSanitized ? 10 : 30) * kMegabyte;
    Bystander bystander(port(), pid());
    std::string meta = kMeta;
    meta.insert(meta.size() - 1, R"(,"progressToken":"t")");
    RawClient slow = connect();
    slow.receive_at_most(64u << 10);
    slow.send(call_raw("chatty", kProgress, meta));
    ASSERT_TRUE(eventually([&] { return upstream_.chats() == 1; }, std::chrono::seconds(55)))
        << "the server is held up by a client's client";
    bystander.expect_unharmed(32 * kMegabyte);
    const RawReply late = slow.reply();
    EXPECT_EQ(late.text(), "done");
    EXPECT_TRUE(late.whole);
    EXPECT_THAT(late.body, HasSubstr("notifications/progress"));
    EXPECT_LT(late.body.size(), kProgress) << "nothing had to be dropped";
}

}  // namespace
}  // namespace gantry::testing
