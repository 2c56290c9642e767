// Clients that stop reading their event streams under load, and the bounds of the replay log for Last-Event-ID.
#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"
#include "bad_clients/upstream.hpp"

namespace gantry::testing {
namespace {

constexpr std::size_t kMegabyte = 1u << 20;

class StreamsTest : public BadClientTest {
protected:
    void SetUp() override {}

    /// The ids of the events in a stream, in order.
    static std::vector<std::string> ids(const std::string& stream) {
        std::vector<std::string> found;
        for (std::size_t at = stream.find("id: "); at != std::string::npos; at = stream.find("\nid: ", at)) {
            at = stream.find("id: ", at) + 4;
            found.push_back(stream.substr(at, stream.find('\n', at) - at));
        }
        return found;
    }
};

TEST_F(StreamsTest, AListenerThatDoesNotReadIsCutOff) {
    start("demo_tools: true\nservers:\n" + bad_child("up", "floods-updates", {}, mark()));
    const RawReply listed = post_modern("1", "resources/list");
    const Json message = listed.json();
    const Json* uri = message.at_pointer("/result/resources/0/uri");
    ASSERT_NE(uri, nullptr) << listed.body;
    Bystander bystander(port(), pid());
    std::vector<RawClient> listeners;
    // Each server is read for a share of the time, and sanitizers make every message slow.
    constexpr int kListeners = kSanitized ? 2 : 20;
    constexpr std::size_t kFlood = (kSanitized ? 4 : 64) * kMegabyte;
    for (int i = 0; i < kListeners; ++i) {
        listeners.push_back(connect());
        listeners.back().receive_at_most(64u << 10);
        listeners.back().send(request(
            "POST", "/mcp",
            modern("1", "subscriptions/listen", R"("notifications":{"resourceSubscriptions":[)" + uri->dump() + "]}"),
            modern_fields("subscriptions/listen")));
    }
    // Far more than one connection's buffers, for each of them.
    EXPECT_TRUE(eventually([] { return written_by(mark()) > kFlood; }, std::chrono::seconds(120)))
        << written_by(mark());
    bystander.expect_unharmed(48 * kMegabyte);
    // A sanitized gateway takes minutes to send what the kernel buffers for two connections.
    if (kSanitized) return;
    for (RawClient& listener : listeners) {
        const RawReply reply = listener.reply();
        EXPECT_EQ(reply.status, 200) << reply.body;
        EXPECT_FALSE(reply.whole) << "it must not take this for the end of what there was to say";
        EXPECT_LT(reply.body.size(), 32 * kMegabyte);
    }
}

TEST_F(StreamsTest, EventsKeptForClientsThatComeBackAreTheLatestWithinTheirBounds) {
    constexpr std::size_t kKept = 256u << 10;
    Upstream upstream;
    start("demo_tools: true\nservers:\n" + upstream.entry());
    Bystander bystander(port(), pid());
    constexpr int kSessions = kSanitized ? 2 : 20;  // a chatty server is read for a share of the time
    for (int i = 0; i < kSessions; ++i) {
        const Fields session{{"Mcp-Session-Id", initialize()}};
        const RawReply all = post(legacy("1", "tools/call",
                                         R"("name":"raw_chatty","arguments":{"bytes":6000000},)"
                                         R"("_meta":{"progressToken":"t"})"),
                                  session);
        ASSERT_EQ(all.text(), "done");
        const std::vector<std::string> sent = ids(all.body);
        ASSERT_GT(sent.size(), 1000u);
        RawClient again = connect();
        again.send(request("GET", "/mcp", "", session + Fields{{"Last-Event-ID", sent.front()}}));
        ASSERT_TRUE(again.see("\"done\"")) << "the answer is the latest of them";
        const std::vector<std::string> kept = ids(again.seen().substr(again.seen().find("\r\n\r\n")));
        EXPECT_GT(kept.size(), 10u);
        EXPECT_LE(kept.size(), 256u);
        EXPECT_LT(again.seen().size(), kKept + 65'536);
        EXPECT_EQ(kept.back(), sent.back());
    }
    bystander.expect_unharmed(kSessions * kKept + 24 * kMegabyte);
    gateway_gone();
}

}  // namespace
}  // namespace gantry::testing
