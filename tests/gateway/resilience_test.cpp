// Limits that contain one server's trouble: breaker, concurrency and queue, rates.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

std::string trouble_stdio(const std::string& name, const std::string& more = {}) {
    return "  - name: " + name + "\n    command: " + node() + "\n    args: [" + peer_file("trouble_server.mjs") + ", " +
           name + "]\n" + more;
}

Client connect_to(const Gateway& gateway) {
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    if (!client) ADD_FAILURE() << client.error().to_string();
    return *std::move(client);
}

/// The text of the answer, or the gateway's reason for its refusal.
std::string fate(Client& client, const std::string& tool, JsonObject arguments = {}) {
    auto result = client.call(tool, std::move(arguments));
    if (result) return result->text();
    const RpcError* rpc = result.error().rpc();
    const auto data = rpc == nullptr ? Result<Json>(Json()) : Json::parse(rpc->data);
    return data ? std::string(data->string_at("reason")) : result.error().to_string();
}

class ResilienceTest : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT(dual_era_js()); }
};

TEST_F(ResilienceTest, AServerThatHangsIsLeftAloneThenTestedAndUsedAgain) {
    Gateway gateway("servers:\n" +
                    trouble_stdio("stuck", "    timeout: 500ms\n    breaker: {threshold: 2, recovery: 1s}\n") +
                    trouble_stdio("firm"));
    Client client = connect_to(gateway);
    EXPECT_EQ(fate(client, "stuck_hang"), "timeout");
    EXPECT_EQ(fate(client, "stuck_hang"), "timeout");
    EXPECT_EQ(fate(client, "stuck_who"), "circuit_open");
    EXPECT_THAT(fate(client, "firm_who"), ::testing::StartsWith("firm "));
    EXPECT_TRUE(eventually([&] { return fate(client, "stuck_who").starts_with("stuck "); }));
    EXPECT_TRUE(gateway.child().wait_for_output("stuck: 2 calls failed in a row"));
    EXPECT_TRUE(gateway.child().wait_for_output("stuck: circuit breaker closed"));
}

TEST_F(ResilienceTest, ACrowdAtAHungServerHoldsItsOwnPlacesOnly) {
    Gateway gateway(
        "servers:\n" +
        trouble_stdio("stuck", "    timeout: 3s\n    max_concurrent: 2\n    max_queue: 3\n    breaker: off\n") +
        trouble_stdio("firm"));
    std::atomic<int> busy = 0;
    std::atomic<int> late = 0;
    std::vector<std::thread> crowd;
    for (int i = 0; i < 20; ++i) {
        crowd.emplace_back([&] {
            Client client = connect_to(gateway);
            const std::string end = fate(client, "stuck_hang");
            if (end == "busy") ++busy;
            if (end == "timeout") ++late;
        });
    }
    Client client = connect_to(gateway);
    EXPECT_TRUE(eventually([&] {
        EXPECT_THAT(fate(client, "firm_who"), ::testing::StartsWith("firm "));
        return busy >= 15;
    })) << busy;
    for (auto& one : crowd) one.join();
    EXPECT_EQ(busy, 15) << "two ran, three waited";
    EXPECT_EQ(late, 5);
    EXPECT_THAT(fate(client, "stuck_who"), ::testing::StartsWith("stuck ")) << "its places are free again";
}

TEST_F(ResilienceTest, RatesHoldPerToolServerAndCaller) {
    Gateway gateway("limits:\n  principal_rate: 5/h\nservers:\n" +
                    trouble_stdio("slow", "    rate: 3/h\n    tool_rates: {who: 1/h}\n") + trouble_stdio("firm"));
    Client client = connect_to(gateway);
    EXPECT_THAT(fate(client, "slow_who"), ::testing::StartsWith("slow "));
    EXPECT_EQ(fate(client, "slow_who"), "rate_limited") << "the tool's own";
    EXPECT_EQ(fate(client, "slow_echo", {{"value", "a"}}), "a");
    EXPECT_EQ(fate(client, "slow_echo", {{"value", "b"}}), "b");
    EXPECT_EQ(fate(client, "slow_echo", {{"value", "c"}}), "rate_limited") << "the server's";
    EXPECT_THAT(fate(client, "firm_who"), ::testing::StartsWith("firm "));
    EXPECT_THAT(fate(client, "firm_who"), ::testing::StartsWith("firm "));
    EXPECT_EQ(fate(client, "firm_who"), "rate_limited") << "the caller's";
}

TEST_F(ResilienceTest, ALazyServerEndsWhenUnusedAndStartsForTheNextCall) {
    const std::string marker = "trouble_server.mjs sleeper-of-resilience";
    Gateway gateway("servers:\n" +
                    trouble_stdio("sleeper-of-resilience", "    connect: lazy\n    idle_close: 300ms\n"));
    EXPECT_TRUE(eventually([&] { return processes_with(marker).empty(); }));
    Client client = connect_to(gateway);
    auto tools = client.list_tools();
    ASSERT_TRUE(tools.has_value());
    EXPECT_TRUE(has_tool(*tools, "sleeper-of-resilience_who")) << "offered while nothing runs";
    EXPECT_THAT(fate(client, "sleeper-of-resilience_who"), ::testing::StartsWith("sleeper-of-resilience "));
    EXPECT_TRUE(eventually([&] { return processes_with(marker).empty(); }));
}

TEST_F(ResilienceTest, AServerThatMustBeThereKeepsTheGatewayFromStarting) {
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml")
        << "servers:\n  - name: absent\n    command: /nonexistent/program\n    on_connect_error: fail\n";
    Child child({.command = {gantry_program(), "serve", "--config", folder.path() + "/gantry.yaml", "--listen",
                             "127.0.0.1:0", "--state-dir", folder.path() + "/state"},
                 .env = {}});
    const auto code = child.wait();
    ASSERT_TRUE(code.has_value());
    EXPECT_NE(*code, 0);
    EXPECT_THAT(child.err(), ::testing::HasSubstr("on_connect_error: fail cannot be reached: absent"));
}

}  // namespace
}  // namespace gantry::testing
