// The HTTP+SSE front end under the same attacks as the other transports.
#include <optional>

#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

constexpr std::size_t kMegabyte = 1u << 20;

class SseFrontTest : public BadClientTest {
protected:
    void SetUp() override {
        start(kConfig);
        ASSERT_EQ(call_echo("warm"), "warm");
        bystander_.emplace(port(), pid());
    }
    void TearDown() override {
        bystander_.reset();
        BadClientTest::TearDown();
    }

    /// An open stream and the URL to post to.
    struct Session {
        RawClient stream;
        std::string path;
    };
    Session open_stream() const {
        Session session{.stream = connect(), .path = {}};
        session.stream.send(request("GET", "/sse", ""));
        EXPECT_TRUE(session.stream.see("event: endpoint")) << session.stream.seen();
        EXPECT_TRUE(session.stream.see("\n\n"));
        const std::string& seen = session.stream.seen();
        const auto from = seen.find("data: ", seen.find("event: endpoint")) + 6;
        session.path = seen.substr(from, seen.find('\n', from) - from);
        return session;
    }
    static std::string greeting() {
        return legacy("0", "initialize",
                      R"("protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"bad","version":"1"})");
    }
    void greet(Session& session) const {
        EXPECT_EQ(post(greeting(), {}, session.path).status, 202);
        EXPECT_TRUE(session.stream.see("protocolVersion"));
        EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {}, session.path).status, 202);
    }
    std::int64_t streams() const {
        return say(request("GET", "/health", "")).json().find("streams")->as_int().value_or(-1);
    }
    static std::string echo(const std::string& id, const std::string& text) {
        return legacy(id, "tools/call", echo_params(text));
    }

    std::optional<Bystander> bystander_;
};

TEST_F(SseFrontTest, AFloodOfPostsWhoseStreamIsNotReadIsTurnedAwayInBoundedMemory) {
    Session session = open_stream();
    greet(session);
    // Each of these is answered with an error on the stream, which repeats the long id.
    const std::string refused = R"({"jsonrpc":"2.0","id":")" + std::string(100'000, 'i') + R"(","method":7})";
    int accepted = 0;
    bool turned_away = false;
    std::vector<RawClient> waiting;
    for (int i = 0; i < 400; ++i) {
        RawClient client = connect();
        client.send(request("POST", session.path, refused));
        waiting.push_back(std::move(client));
    }
    for (RawClient& client : waiting) {
        const RawReply reply = client.reply();
        EXPECT_TRUE(reply.status == 202 || reply.status == 503 || reply.status == 404) << reply.head;
        accepted += reply.status == 202;
        if (reply.status == 503) {
            turned_away = true;
            EXPECT_EQ(reply.header("retry-after"), "1");
        }
    }
    EXPECT_TRUE(turned_away);
    EXPECT_LT(accepted, 200);
    bystander_->expect_unharmed(64 * kMegabyte);
}

TEST_F(SseFrontTest, ABatchOfNonsenseWhoseAnswersAreNotReadIsServedAtTheReadersPace) {
    Session session = open_stream();
    EXPECT_EQ(
        post(legacy("0", "initialize",
                    R"("protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"b","version":"1"})"),
             {}, session.path)
            .status,
        202);
    ASSERT_TRUE(session.stream.see("protocolVersion"));
    std::string batch = "[1";
    for (int i = 0; i < 1'000'000; ++i) batch += ",1";
    EXPECT_EQ(post(batch + "]", {}, session.path).status, 202);
    bystander_->expect_unharmed(200 * kMegabyte);
    EXPECT_TRUE(session.stream.see("not a message of a batch"));
}

TEST_F(SseFrontTest, ASlowReaderGetsItsAnswersAndHoldsNobodyUp) {
    Session session = open_stream();
    greet(session);
    constexpr int kCalls = 40;
    int accepted = 0;
    for (int i = 1; i <= kCalls; ++i) {
        const RawReply reply = post(echo(std::to_string(i), std::string(100'000, 's')), {}, session.path);
        if (reply.status != 202) break;  // refused: the client reads too slowly
        ++accepted;
        ASSERT_EQ(call_echo("meanwhile"), "meanwhile");
    }
    EXPECT_GE(accepted, 5);
    for (int i = 1; i <= accepted; ++i) {
        EXPECT_TRUE(session.stream.see("\"id\":" + std::to_string(i) + ",")) << i << " of " << accepted;
    }
    bystander_->expect_unharmed(64 * kMegabyte);
}

TEST_F(SseFrontTest, MessagesThatAreBeingServedAreBoundedOverAllSessions) {
    bystander_.reset();
    start("demo_tools: true\nlimits: {max_queued_bytes: 256MB}\nservers:\n" +
          bad_child("deaf", "deaf", "    timeout: 300s\n"));
    ASSERT_EQ(call_echo("warm"), "warm");
    bystander_.emplace(port(), pid());
    const std::string call =
        legacy("1", "tools/call", R"("name":"deaf_t","arguments":{"x":")" + std::string(3'900'000, 'x') + "\"}");
    std::vector<Session> sessions;
    int accepted = 0;
    int turned_away = 0;
    for (int i = 0; i < 60; ++i) {
        sessions.push_back(open_stream());
        greet(sessions.back());  // small messages are served throughout
        const RawReply reply = post(call, {}, sessions.back().path);
        accepted += reply.status == 202;
        if (reply.status != 503) continue;
        ++turned_away;
        EXPECT_EQ(reply.header("retry-after"), "1");
    }
    // 64 MB are 17 of them, plus the one that exceeded the limit.
    EXPECT_GE(accepted, 15);
    EXPECT_LE(accepted, 20);
    EXPECT_EQ(accepted + turned_away, 60);
    bystander_->expect_unharmed(320 * kMegabyte);
    sessions.clear();
    EXPECT_TRUE(eventually([&] {
        Session again = open_stream();
        greet(again);
        return post(echo("1", "room again"), {}, again.path).status == 202;
    }));
}

TEST_F(SseFrontTest, UnfinishedBodiesHoldNobodyUp) {
    Session session = open_stream();
    greet(session);
    std::vector<RawClient> stuck;
    for (int i = 0; i < 100; ++i) {
        stuck.push_back(connect());
        const std::string whole = request("POST", session.path, echo("1", std::string(3'000'000, 'x')));
        static_cast<void>(stuck.back().send(whole.substr(0, whole.size() - 1)));
    }
    EXPECT_EQ(post(echo("7", "served"), {}, session.path).status, 202);
    EXPECT_TRUE(session.stream.see("served"));
    bystander_->expect_unharmed(160 * kMegabyte);
}

TEST_F(SseFrontTest, ForgedSessionsAreNotFound) {
    Session session = open_stream();
    greet(session);
    const std::string real = session.path;
    const auto equals = real.find("sessionId=") + 10;
    std::vector<std::string> forged{real.substr(0, equals), real.substr(0, equals) + "x", real + "A",
                                    real.substr(0, real.size() - 1), real.substr(0, real.find('?'))};
    for (std::size_t at = equals; at < real.size(); at += 7) {
        std::string other = real;
        other[at] = other[at] == 'A' ? 'B' : 'A';
        forged.push_back(other);
    }
    for (const std::string& path : forged) {
        EXPECT_EQ(post(echo("1", "mine"), {}, path).status, 404) << path;
    }
    // A session of the other transport is not valid here.
    EXPECT_EQ(post(echo("1", "mine"), {}, real.substr(0, equals) + initialize()).status, 404);
    EXPECT_EQ(post(echo("2", "still mine"), {}, real).status, 202);
    EXPECT_TRUE(session.stream.see("still mine"));
}

TEST_F(SseFrontTest, AThousandStreamsCostLittleAndLeaveNothing) {
    constexpr int kStreams = 1000;
    std::vector<Session> sessions;
    for (int i = 0; i < kStreams; ++i) sessions.push_back(open_stream());
    EXPECT_TRUE(eventually([&] { return streams() == kStreams; }));
    bystander_->expect_unharmed(kStreams * 64 * 1024);
    EXPECT_EQ(call_echo("meanwhile"), "meanwhile");
    const std::string path = sessions.front().path;
    sessions.clear();
    EXPECT_TRUE(eventually([&] { return streams() == 0; }));
    EXPECT_EQ(post(echo("1", "x"), {}, path).status, 404);
}

}  // namespace
}  // namespace gantry::testing
