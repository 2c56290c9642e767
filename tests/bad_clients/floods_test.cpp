// Servers that send more than they read: requests, notifications, logs, and input they never read.
#include <optional>

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
        bystander_.emplace(port(), pid());
    }
    void TearDown() override {
        bystander_.reset();
        BadClientTest::TearDown();
    }
    bool logged(std::string_view text) { return gateway().child().wait_for_output(text, std::chrono::seconds(60)); }
    void expect_flat() { bystander_->expect_unharmed(48 * kMegabyte); }

    std::optional<Bystander> bystander_;
};

class ChildFloodsTest : public FloodsTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ChildFloodsTest, AChildThatAsksAndNeverReadsIsSlowedDownThenRestarted) {
    start_with(bad_child("flood", GetParam()));
    EXPECT_TRUE(logged("the server sends requests but does not take the answers")) << gateway().child().err();
    EXPECT_TRUE(logged("reconnecting")) << gateway().child().err();
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
    EXPECT_TRUE(eventually([this] { return status().find("does not take the answers") != std::string::npos; }))
        << status();
    expect_flat();
}

TEST_F(FloodsTest, AStreamableServerThatAsksAndNeverTakesTheAnswersIsDropped) {
    FloodingServer server;
    start_with(server.streamable_entry("flood"));
    EXPECT_TRUE(logged("the server sends requests but does not take the answers")) << gateway().child().err();
    expect_flat();
    gateway_gone();
}

TEST_F(FloodsTest, AnSseServerThatAsksAndNeverTakesTheAnswersIsDropped) {
    FloodingServer server;
    start_with(server.sse_entry("flood"));
    EXPECT_TRUE(logged("the server sends requests but does not take the answers")) << gateway().child().err();
    expect_flat();
    gateway_gone();
}

TEST_F(FloodsTest, NotificationsWithoutEndAreDroppedOneByOne) {
    start_with(bad_child("flood", "floods-notes", {}, mark()));
    // The gateway has read everything the server has written, except for a pipe of 64 KB.
    EXPECT_TRUE(eventually([] { return written_by(mark()) > (kSanitized ? kMegabyte / 2 : 8 * kMegabyte); }))
        << written_by(mark());
    expect_flat();
}

TEST_F(FloodsTest, CallsToAChildThatStoppedReadingFailAtOnceAndItIsRestarted) {
    start_with(bad_child("stuck", "stops-reading", "    timeout: 1s\n    breaker: off\n"));
    const std::string large = R"("name":"stuck_t","arguments":{"x":")" + std::string(200'000, 'x') + "\"}";
    bool refused = false;
    EXPECT_TRUE(eventually([&] {
        std::vector<RawClient> clients;
        for (int i = 0; i < 8; ++i) {
            clients.push_back(connect());
            clients.back().send(
                request("POST", "/mcp", modern("1", "tools/call", large), modern_fields("tools/call", "stuck_t")));
        }
        for (RawClient& client : clients) {
            refused = refused || client.reply().body.find("does not read its input") != std::string::npos;
        }
        return gateway().child().wait_for_output("does not read its input", std::chrono::seconds(1));
    })) << gateway().child().err();
    EXPECT_TRUE(refused);
    expect_flat();
}

}  // namespace
}  // namespace gantry::testing
