// More concurrent calls than a client may have: in flight at a server, or waiting for approval.
#include <algorithm>
#include <functional>

#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;
/// No call may time out before the test has observed it.
constexpr const char* kPatient = "    timeout: 300s\n";
/// Limit of calls in flight per session or principal; not configurable.
constexpr int kInFlight = 256;

class CallsTest : public BadClientTest {
protected:
    void SetUp() override {}

    static std::string arguments(int number, std::size_t bytes) {
        return R"("name":"deaf_t","arguments":{"n":)" + std::to_string(number) + R"(,"x":")" + std::string(bytes, 'x') +
               "\"}";
    }
    static std::string call(int number, std::size_t bytes = 10) {
        return request("POST", "/mcp", modern(std::to_string(number), "tools/call", arguments(number, bytes)),
                       modern_fields("tools/call", "deaf_t"));
    }
    static std::string call_in(const std::string& session, int number) {
        return request("POST", "/mcp", legacy(std::to_string(number), "tools/call", arguments(number, 10)),
                       {{"Mcp-Session-Id", session}});
    }
    /// Sends each on its own connection.
    std::vector<RawClient> send_all(int count, const std::function<std::string(int)>& bytes) const {
        std::vector<RawClient> clients;
        for (int i = 0; i < count; ++i) {
            clients.push_back(connect());
            EXPECT_TRUE(clients.back().send(bytes(i)));
        }
        return clients;
    }
    /// False for a call that waits: after some seconds it receives the head of an event stream.
    static bool is_answered(RawClient& client) {
        if (client.seen().empty() && !client.said_something()) return false;
        static_cast<void>(client.see("\r\n\r\n"));
        return client.seen().find("text/event-stream") == std::string::npos;
    }
    static int answered(std::vector<RawClient>& clients) {
        return static_cast<int>(std::ranges::count_if(clients, is_answered));
    }
    /// Waits until `refused` of them are answered; each of these answers must contain the reason.
    static void expect_refused(std::vector<RawClient>& clients, int refused, std::string_view why) {
        EXPECT_TRUE(eventually([&] { return answered(clients) >= refused; })) << answered(clients);
        EXPECT_EQ(answered(clients), refused);
        for (RawClient& client : clients) {
            if (!is_answered(client)) continue;
            const RawReply reply = client.reply();
            EXPECT_EQ(reply.status, 200);
            EXPECT_THAT(reply.body, HasSubstr(why));
        }
    }
};

TEST_F(CallsTest, InFlightBeyondTheirNumberInASessionAreRefused) {
    start("demo_tools: true\nservers:\n" + bad_child("deaf", "deaf", kPatient));
    const std::string session = initialize();
    Bystander bystander(port(), pid());
    std::vector<RawClient> calls = send_all(3 * kInFlight, [&](int i) { return call_in(session, i); });
    expect_refused(calls, 2 * kInFlight, "too many requests in flight");
    bystander.expect_unharmed(32 * kMegabyte);
    // Calls of a session outlive their connections; they end with the session.
    EXPECT_EQ(say(request("DELETE", "/mcp", "", {{"Mcp-Session-Id", session}})).status, 204);
    EXPECT_TRUE(eventually([&] { return call_echo("room again") == "room again"; }));
}

TEST_F(CallsTest, InFlightBeyondTheirNumberOfAPrincipalAreRefused) {
    start("demo_tools: true\nservers:\n" + bad_child("deaf", "deaf", kPatient));
    Bystander bystander(port(), pid());
    std::vector<RawClient> calls = send_all(3 * kInFlight, [](int i) { return call(i); });
    expect_refused(calls, 2 * kInFlight, "too many requests in flight");
    bystander.expect_unharmed(32 * kMegabyte);
    calls.clear();
    EXPECT_TRUE(eventually([&] { return call_echo("room again") == "room again"; }));
}

TEST_F(CallsTest, InFlightAreBoundedInBytesOverAllClients) {
    start("demo_tools: true\nlimits: {max_queued_bytes: 256MB}\nservers:\n" + bad_child("deaf", "deaf", kPatient));
    Bystander bystander(port(), pid());
    // Of 400 MB, 64 MB are served concurrently.
    constexpr int kCalls = 100;
    constexpr int kServed = 17;
    std::vector<RawClient> calls = send_all(kCalls, [](int i) { return call(i, 3'900'000); });
    EXPECT_TRUE(eventually([&] { return answered(calls) >= kCalls - kServed; })) << answered(calls);
    for (RawClient& client : calls) {
        if (!is_answered(client)) continue;
        const RawReply reply = client.reply();
        EXPECT_TRUE(reply.status == 503 || reply.body.find("too many requests in flight") != std::string::npos)
            << reply.head << reply.body;
    }
    bystander.expect_unharmed(400 * kMegabyte);
    calls.clear();
    EXPECT_TRUE(eventually([&] { return call_echo(std::string(1'000'000, 'r')).size() == 1'000'000; }));
}

TEST_F(CallsTest, WaitingForApprovalBeyondTheShareOfACallerAreRefused) {
    constexpr int kMost = 32;
    start("demo_tools: true\nservers:\n" + bad_child("deaf", "deaf", "    require_approval: {always: [t]}\n"));
    Bystander bystander(port(), pid());
    std::vector<RawClient> calls = send_all(5 * kMost, [](int i) { return call(i, 60'000); });
    expect_refused(calls, 4 * kMost, "approvals.max_pending_per_principal");
    for (int i = 0; i < 20; ++i) EXPECT_THAT(say(call(i, 100'000)).body, HasSubstr("too large to be shown"));
    // A call may take 1 MB while it is being processed; on a busy machine all of them are processed at once.
    bystander.expect_unharmed(5 * kMost * kMegabyte);
}

TEST_F(CallsTest, WaitingForApprovalBeyondTheNumberForAllAreRefused) {
    constexpr int kMost = 8;
    start("demo_tools: true\napprovals: {max_pending: 8}\nservers:\n" +
          bad_child("deaf", "deaf", "    require_approval: {always: [t]}\n"));
    Bystander bystander(port(), pid());
    std::vector<RawClient> calls = send_all(5 * kMost, [](int i) { return call(i); });
    expect_refused(calls, 4 * kMost, "approvals.max_pending)");
    bystander.expect_unharmed(16 * kMegabyte);
}

}  // namespace
}  // namespace gantry::testing
