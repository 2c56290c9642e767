// The control socket: oversized requests, and followers of the log that do not read.
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;

class ControlChannelTest : public BadClientTest {
protected:
    void SetUp() override {}

    RawClient connect_control() { return RawClient(gateway().state() + "/control-" + std::to_string(pid()) + ".sock"); }
    /// Makes calls over one connection, without a pause.
    void call_many(int count) const {
        RawClient client = connect();
        for (int i = 0; i < count; ++i) {
            client.send(request("POST", "/mcp", modern("1", "tools/call", echo_params("x")),
                                modern_fields("tools/call", "demo_echo")));
            ASSERT_EQ(client.reply().status, 200);
        }
    }
};

TEST_F(ControlChannelTest, RequestsBeyondTheLimitAreRefused) {
    start("demo_tools: true\n");
    Bystander bystander(port(), pid());
    const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
    for (int i = 0; i < 20; ++i) {
        RawClient declared = connect_control();
        declared.send(request("POST", "/v1/events/dead/revive", "", {{"Content-Length", "64000000"}}));
        const RawReply refused = declared.reply();
        EXPECT_TRUE(refused.status == 413 || refused.status == 429) << refused.head;

        RawClient chunked = connect_control();
        chunked.send(
            request("POST", "/v1/events/dead/revive", "", {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}}));
        for (int sent = 0; sent < 1000 && !chunked.said_something() && chunked.send(chunk); ++sent) {}
        const RawReply cut = chunked.reply();
        EXPECT_TRUE(cut.status == 413 || cut.status == 429) << cut.head;
    }
    bystander.expect_unharmed(16 * kMegabyte);
    EXPECT_THAT(status(), HasSubstr("demo")) << "the next request is served";
}

TEST_F(ControlChannelTest, FollowersOfTheLogThatDoNotReadMissLinesAndHoldNobodyUp) {
    constexpr int kMost = 16;
    start("demo_tools: true\nlog: {calls: true, form: json}\n");
    Bystander bystander(port(), pid());
    std::vector<RawClient> asleep;
    for (int i = 0; i < kMost; ++i) {
        asleep.push_back(connect_control());
        asleep.back().send(request("GET", "/v1/logs?follow=yes&last=0", ""));
        ASSERT_TRUE(asleep.back().see("200 OK"));
    }
    for (int i = 0; i < 5; ++i) {
        RawClient late = connect_control();
        late.send(request("GET", "/v1/logs?follow=yes", ""));
        EXPECT_EQ(late.reply().status, 503);
    }
    // One line per call; for each follower 4096 of them may be queued in addition to its socket's buffer. A sanitized
    // gateway would need longer for 12,000 than a follower may stall.
    call_many(kSanitized ? 6'000 : 12'000);
    bystander.expect_unharmed(48 * kMegabyte);
    RawClient& awake = asleep.front();
    EXPECT_TRUE(awake.see("event: gantry.logs.missed"));
    EXPECT_TRUE(awake.see("\"count\":"));
}

}  // namespace
}  // namespace gantry::testing
