// Servers that say more than they listen to: their own requests, notifications, logs, and input they do not read.
#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;
constexpr const char* kLimits = "limits: {max_queued_bytes: 256KB, stall_timeout: 2s}\n";

class FloodsTest : public BadClientTest {
protected:
    void SetUp() override {}

    void start_with(const std::string& servers, const std::string& limits = kLimits) {
        start("demo_tools: true\n" + limits + "servers:\n" + servers);
        ASSERT_EQ(call_echo("warm"), "warm");
        before_ = memory();
    }
    std::string status() {
        Child asked({.command = {gantry_program(), "status", "--json", "--state-dir", gateway().state()}, .env = {}});
        EXPECT_TRUE(asked.wait(std::chrono::seconds(60)));
        return asked.out();
    }
    /// Others are answered while `happened` is waited for, and memory stays flat.
    template <class Happened>
    bool meanwhile(Happened happened) {
        return eventually([&] {
            EXPECT_EQ(call_echo("meanwhile"), "meanwhile");
            return happened();
        });
    }
    bool logged(std::string_view text) { return gateway().child().wait_for_output(text, std::chrono::seconds(1)); }
    void expect_flat() { expect_below(peak(), before_ + 48 * kMegabyte); }

    std::size_t before_ = 0;
};

class ChildFloodsTest : public FloodsTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ChildFloodsTest, AChildThatAsksAndNeverReadsIsSlowedDownThenRestarted) {
    start_with(bad_child("flood", GetParam()));
    EXPECT_TRUE(meanwhile([this] { return logged("the server sends requests but does not take the answers"); }))
        << gateway().child().err();
    EXPECT_TRUE(meanwhile([this] { return logged("reconnecting"); }));
    expect_flat();
}

INSTANTIATE_TEST_SUITE_P(All, ChildFloodsTest,
                         ::testing::Values("floods-pings", "floods-elicitations", "floods-unknown", "floods-large"),
                         [](const auto& info) {
                             std::string name = std::string(info.param).substr(7);
                             name[0] = static_cast<char>(name[0] - 'a' + 'A');
                             return name;
                         });

TEST_F(FloodsTest, TheReasonIsShownInStatus) {
    start_with(bad_child("flood", "floods-pings"));
    EXPECT_TRUE(meanwhile([this] { return status().find("does not take the answers") != std::string::npos; }))
        << status();
}

TEST_F(FloodsTest, AStreamableServerThatAsksAndNeverTakesTheAnswersIsDropped) {
    FloodingServer server;
    start_with(server.streamable_entry("flood"));
    EXPECT_TRUE(meanwhile([this] { return logged("the server sends requests but does not take the answers"); }))
        << gateway().child().err();
    expect_flat();
    gateway_gone();
}

TEST_F(FloodsTest, AnSseServerThatAsksAndNeverTakesTheAnswersIsDropped) {
    FloodingServer server;
    start_with(server.sse_entry("flood"));
    EXPECT_TRUE(meanwhile([this] { return logged("the server sends requests but does not take the answers"); }))
        << gateway().child().err();
    expect_flat();
    gateway_gone();
}

TEST_F(FloodsTest, NotificationsWithoutEndAreDroppedOneByOne) {
    start_with(bad_child("flood", "floods-notes"));
    for (int i = 0; i < 50; ++i) ASSERT_EQ(call_echo("meanwhile"), "meanwhile");
    expect_flat();
}

TEST_F(FloodsTest, CallsToAChildThatStoppedReadingFailAtOnceAndItIsRestarted) {
    start_with(bad_child("stuck", "stops-reading", "    timeout: 1s\n    breaker: off\n"));
    const std::string large = R"("name":"stuck_t","arguments":{"x":")" + std::string(200'000, 'x') + "\"}";
    bool refused = false;
    EXPECT_TRUE(meanwhile([&] {
        std::vector<RawClient> clients;
        for (int i = 0; i < 8; ++i) {
            clients.push_back(connect());
            clients.back().send(
                request("POST", "/mcp", modern("1", "tools/call", large), modern_fields("tools/call", "stuck_t")));
        }
        for (RawClient& client : clients) {
            refused = refused || client.reply().body.find("does not read its input") != std::string::npos;
        }
        return logged("does not read its input");
    })) << gateway().child().err();
    EXPECT_TRUE(refused);
    expect_flat();
}

}  // namespace
}  // namespace gantry::testing
