// Very many connections and streams: what each costs, and what happens beyond the limit.
#include <sys/resource.h>

#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

constexpr std::size_t kKilobyte = 1024;

/// Raises the descriptor limit of this process and its children; returns the limit afterwards.
rlim_t allow_descriptors(rlim_t wanted) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= wanted) return limit.rlim_cur;
    limit.rlim_cur = std::min(limit.rlim_max, wanted);
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

#define SKIP_BELOW(wanted)                                                    \
    if (const rlim_t allowed = allow_descriptors(wanted); allowed < (wanted)) \
    GTEST_SKIP() << "this machine allows only " << allowed << " descriptors of " << (wanted)

class ManyTest : public BadClientTest {
protected:
    static std::string listen(int id) {
        return request("POST", "/mcp",
                       modern(std::to_string(id), "subscriptions/listen",
                              R"("notifications":{"toolsListChanged":true,"promptsListChanged":true})"),
                       modern_fields("subscriptions/listen"));
    }
    Json health() const {
        const RawReply reply = say(request("GET", "/health", ""));
        EXPECT_EQ(reply.status, 200);
        return reply.json();
    }
    std::int64_t streams() const { return health().find("streams")->as_int().value_or(-1); }
    std::int64_t sessions_held() const { return health().find("sessions")->as_int().value_or(-1); }
};

TEST_F(ManyTest, AThousandListeningClientsCostLittleAndLeaveNothing) {
    constexpr int kStreams = 1000;
    SKIP_BELOW(kStreams + 200);
    ASSERT_EQ(call_echo("warm"), "warm");
    Bystander bystander(port(), pid());
    std::vector<RawClient> open;
    for (int i = 0; i < kStreams; ++i) {
        open.push_back(connect());
        open.back().send(listen(i));
    }
    for (RawClient& client : open) ASSERT_TRUE(client.see("notifications/subscriptions/acknowledged"));
    EXPECT_EQ(streams(), kStreams);
    bystander.expect_unharmed(kStreams * 32 * kKilobyte);
    open.clear();
    EXPECT_TRUE(eventually([&] { return streams() == 0; }));
}

TEST_F(ManyTest, AThousandSessionsWithTheirStreamsCostLittleAndLeaveNothing) {
    constexpr int kStreams = 1000;
    SKIP_BELOW(kStreams + 200);
    ASSERT_EQ(call_echo("warm"), "warm");
    const std::size_t before = memory();
    std::vector<std::string> sessions;
    std::vector<RawClient> open;
    for (int i = 0; i < kStreams; ++i) {
        sessions.push_back(initialize());
        open.push_back(connect());
        open.back().send(request("GET", "/mcp", "", {{"Mcp-Session-Id", sessions.back()}}));
    }
    for (RawClient& client : open) ASSERT_TRUE(client.see("\r\n\r\n"));
    EXPECT_TRUE(eventually([&] { return streams() == kStreams; }));
    expect_below(memory(), before + kStreams * 64 * kKilobyte);
    EXPECT_EQ(call_echo("meanwhile"), "meanwhile");
    for (const std::string& session : sessions)
        ASSERT_EQ(say(request("DELETE", "/mcp", "", {{"Mcp-Session-Id", session}})).status, 204);
    for (RawClient& client : open) EXPECT_TRUE(client.see("\r\n0\r\n\r\n")) << "its stream goes on";
    EXPECT_TRUE(eventually([&] { return streams() == 0; }));
    EXPECT_EQ(health().find("sessions")->as_int(), 0);
}

TEST_F(ManyTest, IdleConnectionsBeyondTheLimitGiveWayToNewOnes) {
    constexpr int kMost = 100;
    start("demo_tools: true\nlimits: {max_connections: " + std::to_string(kMost) + "}\n");
    ASSERT_EQ(call_echo("warm"), "warm");
    Bystander bystander(port(), pid());  // never the one that has been idle the longest
    std::vector<RawClient> idle;
    for (int i = 0; i < 5 * kMost; ++i) {
        idle.push_back(connect());
        idle.back().send(request("GET", "/health", ""));
        ASSERT_EQ(idle.back().reply().status, 200) << i;
    }
    EXPECT_LE(descriptors(), 2u * kMost);
    EXPECT_TRUE(idle.front().ended());
    EXPECT_FALSE(idle.back().ended());
    bystander.expect_unharmed(16 << 20);
}

TEST_F(ManyTest, StreamsBeyondTheirNumberAreRefused) {
    constexpr int kMost = 50;
    start("demo_tools: true\nlimits: {max_streams: " + std::to_string(kMost) + "}\n");
    Bystander bystander(port(), pid());
    std::vector<RawClient> open;
    for (int i = 0; i < kMost; ++i) {
        open.push_back(connect());
        open.back().send(listen(i));
        ASSERT_TRUE(open.back().see("acknowledged")) << i;
    }
    const std::string session = initialize();
    for (int i = 0; i < 5 * kMost; ++i) {
        EXPECT_EQ(say(listen(kMost)).status, 503);
        EXPECT_EQ(say(request("GET", "/mcp", "", {{"Mcp-Session-Id", session}})).status, 503);
        EXPECT_EQ(say(request("GET", "/sse", "")).status, 503);
    }
    bystander.expect_unharmed(16 << 20);
    open.pop_back();
    EXPECT_TRUE(eventually([&] { return streams() < kMost; }));
    RawClient next = connect();
    next.send(listen(kMost));
    EXPECT_TRUE(next.see("acknowledged"));
}

TEST_F(ManyTest, SessionsBeyondTheirNumberAreForgottenAndComeBackByTheirIds) {
    constexpr int kMost = 100;
    start("demo_tools: true\nlimits: {max_sessions: " + std::to_string(kMost) + "}\n");
    Bystander bystander(port(), pid());
    std::vector<std::string> sessions;
    for (int i = 0; i < 20 * kMost; ++i) {
        sessions.push_back(initialize());
        ASSERT_LE(sessions_held(), kMost) << i;
    }
    for (const std::string& session : {sessions.front(), sessions.back()}) {
        EXPECT_EQ(post(legacy("1", "ping"), {{"Mcp-Session-Id", session}}).status, 200);
    }
    EXPECT_LE(sessions_held(), kMost);
    bystander.expect_unharmed(16 << 20);
}

TEST_F(ManyTest, TenThousandConnectionsAreHeldAndTheNextIsToldSo) {
    constexpr int kMost = 10'000;  // the default of max_connections
    SKIP_BELOW(kMost + 1000);
    start(kConfig);  // with the new limit
    ASSERT_EQ(call_echo("warm"), "warm");
    const std::size_t before = memory();
    {
        Bystander bystander(port(), pid());
        std::vector<RawClient> idle;
        for (int i = 0; i < kMost; ++i) idle.push_back(connect());
        EXPECT_EQ(call_echo("instead of an idle one"), "instead of an idle one");
        bystander.expect_unharmed(kMost * 32 * kKilobyte);
    }
    std::vector<RawClient> busy;
    for (int i = 0; i < kMost; ++i) {
        busy.push_back(connect());
        busy.back().send(listen(i));
        ASSERT_TRUE(busy.back().see("acknowledged")) << i;
    }
    expect_below(memory(), before + kMost * 32 * kKilobyte);
    for (int i = 0; i < 100; ++i) {
        RawClient late = connect();
        late.send(listen(kMost));
        const RawReply reply = late.reply();
        ASSERT_EQ(reply.status, 503) << i;
        EXPECT_EQ(reply.header("retry-after"), "1");
        EXPECT_EQ(late.rest(), "");
    }
    busy.pop_back();
    EXPECT_TRUE(eventually([&] { return call_echo("again") == "again"; }));
}

}  // namespace
}  // namespace gantry::testing
