// Requests that are begun but not finished: how much memory they may hold together, which one is dropped, and what is
// freed.
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

constexpr std::size_t kMegabyte = 1u << 20;

class BodiesTest : public BadClientTest {
protected:
    void SetUp() override {
        start("demo_tools: true\nlimits: {max_unfinished_request_bytes: 32MB}\n");
        ASSERT_EQ(call_echo("warm"), "warm");
    }
    /// A request of 4 MB without its last byte.
    std::string unfinished() const {
        const std::string whole = large_call(3'900'000);
        return whole.substr(0, whole.size() - 1);
    }
    static std::string large_call(std::size_t bytes) {
        return request("POST", "/mcp", modern("1", "tools/call", echo_params(std::string(bytes, 'x'))),
                       modern_fields("tools/call", "demo_echo"));
    }
};

TEST_F(BodiesTest, ThreeHundredUnfinishedBodiesStayWithinTheBudgetAndOthersAreServed) {
    const std::size_t before = memory();
    Bystander bystander(port(), pid());
    const std::string bytes = unfinished();
    std::vector<RawClient> stuck;
    for (int i = 0; i < 300; ++i) {
        stuck.push_back(connect());
        static_cast<void>(stuck.back().send(bytes));  // the gateway may close it meanwhile
    }
    // Requests beyond the budget are refused; a large complete request takes the place of a silent one.
    EXPECT_TRUE(eventually([&] {
        const RawReply reply = say(large_call(2'000'000));
        EXPECT_TRUE(reply.status == 200 || reply.status == 503) << reply.head;
        return reply.status == 200;
    }));
    // 1.2 GB were sent. In addition to the budget there are buffers of the connections that are still open.
    bystander.expect_unharmed(160 * kMegabyte);
    int refused = 0;
    for (RawClient& client : stuck) {
        if (!client.said_something()) continue;
        const RawReply reply = client.reply();
        if (reply.status != 503) continue;
        ++refused;
        EXPECT_EQ(reply.header("retry-after"), "1");
    }
    EXPECT_GT(refused, 100);
    stuck.clear();
    // 1.2 GB, and back to less than twice the budget; how much the allocator retains differs from run to run.
    EXPECT_TRUE(eventually([&] {
        EXPECT_EQ(call_echo("afterwards"), "afterwards");
        return kSanitized || memory() < before + 60 * kMegabyte;
    })) << memory() / kMegabyte
        << " MB are kept, " << before / kMegabyte << " before";
}

TEST_F(BodiesTest, RequestsManyTimesTheLimitAreRefusedBeforeTheyAreHeld) {
    start("demo_tools: true\nlimits: {max_request_bytes: 256KB}\n");
    ASSERT_EQ(call_echo("warm"), "warm");
    Bystander bystander(port(), pid());
    const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
    for (int i = 0; i < 100; ++i) {
        RawClient declared = connect();
        declared.send(request("POST", "/mcp", "", {{"Content-Length", "64000000"}}));
        EXPECT_EQ(declared.reply().status, 413);

        RawClient chunked = connect();
        chunked.send(request("POST", "/mcp", "", {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}}));
        for (int sent = 0; sent < 64 && !chunked.said_something() && chunked.send(chunk); ++sent) {}
        EXPECT_EQ(chunked.reply().status, 413);
    }
    EXPECT_EQ(call_echo(std::string(200'000, 'm')).size(), 200'000u) << "below the limit it passes";
    bystander.expect_unharmed(16 * kMegabyte);
}

TEST_F(BodiesTest, SmallRequestsNeedNoBudget) {
    std::vector<RawClient> stuck;
    for (int i = 0; i < 10; ++i) {
        stuck.push_back(connect());
        static_cast<void>(stuck.back().send(unfinished()));
    }
    for (int i = 0; i < 100; ++i) ASSERT_EQ(call_echo("small"), "small");
}

}  // namespace
}  // namespace gantry::testing
