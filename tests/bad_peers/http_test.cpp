// Servers behind a URL that would make a careless client hang, leak or disclose data.

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "gantry/client.hpp"
#include "support/child.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class BadHttpPeer : public ::testing::Test {
protected:
    void SetUp() override {
        // Starts everything that lives as long as the process, so that it does not count as a leak.
        auto warm = connect(options("http://127.0.0.1:" + std::to_string(free_port()) + "/mcp"));
        EXPECT_FALSE(warm);
        descriptors_ = open_descriptors();
    }
    void TearDown() override {
        EXPECT_TRUE(eventually([this] { return open_descriptors() <= descriptors_; }))
            << open_descriptors() << " descriptors instead of " << descriptors_;
    }
    static ConnectOptions options(std::string url) {
        ConnectOptions options{.server = HttpServer{.url = std::move(url),
                                                    .headers = {{"X-Api-Key", "very secret"}},
                                                    .transport = HttpServer::Transport::kStreamableHttp}};
        options.era = Era::kLegacy;
        options.connect_timeout = seconds(60);
        options.call_timeout = seconds(60);
        return options;
    }

    std::size_t descriptors_ = 0;
};

TEST_F(BadHttpPeer, ARedirectToAnotherOriginIsRefusedAndNothingIsSentThere) {
    const Watchdog watchdog("redirect", seconds(600));
    RawServer elsewhere([](RawServer&, int) {});
    const std::string target = elsewhere.url("/stolen");
    RawServer server([target](RawServer&, int socket) {
        while (!RawServer::read_request(socket).empty())
            RawServer::send(socket,
                            "HTTP/1.1 307 Temporary Redirect\r\nLocation: " + target + "\r\nContent-Length: 0\r\n\r\n");
    });
    const auto client = connect(options(server.url()));
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code(), ErrorCode::kDenied) << client.error().to_string();
    EXPECT_EQ(client.error().to_string().find("very secret"), std::string::npos);
    EXPECT_GE(server.connections(), 1);
    EXPECT_EQ(elsewhere.connections(), 0);
}

TEST_F(BadHttpPeer, AStreamThatStallsInTheMiddleOfAnEventTimesOut) {
    const Watchdog watchdog("stalled event", seconds(600));
    RawServer server([](RawServer& self, int socket) {
        for (;;) {
            const std::string request = RawServer::read_request(socket);
            if (request.empty()) return;
            const std::string shake = handshake_response(request);
            if (!shake.empty()) {
                RawServer::send(socket, shake);
                continue;
            }
            RawServer::send(socket,
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "1c\r\nevent: message\ndata: {\"jsonr\r\n");
            return self.hold(socket);
        }
    });
    auto client = connect(options(server.url()));
    ASSERT_TRUE(client) << client.error().to_string();
    CallOptions hasty;
    hasty.timeout = milliseconds(500);
    const auto result = client->call("t", {}, hasty);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kTimeout) << result.error().to_string();
}

TEST_F(BadHttpPeer, AnAnswerCutInTheMiddleIsAnUnknownOutcome) {
    const Watchdog watchdog("cut body", seconds(600));
    RawServer server([](RawServer&, int socket) {
        for (;;) {
            const std::string request = RawServer::read_request(socket);
            const std::string shake = request.empty() ? std::string() : handshake_response(request);
            if (shake.empty()) break;
            RawServer::send(socket, shake);
        }
        RawServer::send(
            socket, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"jsonrpc\":");
    });
    auto client = connect(options(server.url()));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown) << result.error().to_string();
}

TEST_F(BadHttpPeer, TlsThatEndsInTheHandshakeIsAConnectionError) {
    const Watchdog watchdog("tls", seconds(600));
    RawServer at_once([](RawServer&, int) {});
    const auto first = connect(options(at_once.url("/mcp", "https")));
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code(), ErrorCode::kConnection) << first.error().to_string();

    // The first bytes of a ServerHello record, then end of stream.
    RawServer halfway([](RawServer&, int socket) {
        char hello[64];
        if (recv(socket, hello, sizeof hello, 0) > 0)
            RawServer::send(socket, std::string("\x16\x03\x03\x00\x7a\x02", 6));
    });
    const auto second = connect(options(halfway.url("/mcp", "https")));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::kConnection) << second.error().to_string();
}

TEST_F(BadHttpPeer, AnswersThatAreNotHttpAreATypedError) {
    const Watchdog watchdog("not http", seconds(600));
    RawServer server([](RawServer&, int socket) {
        if (!RawServer::read_request(socket).empty()) RawServer::send(socket, "SSH-2.0-OpenSSH_9.6\r\n\r\n");
    });
    const auto client = connect(options(server.url()));
    ASSERT_FALSE(client);
    EXPECT_FALSE(client.error().message().empty());
}

TEST_F(BadHttpPeer, ABodyOverTheLimitIsRefusedInBoundedMemory) {
    const Watchdog watchdog("huge body", seconds(600));
    RawServer server([](RawServer&, int socket) {
        for (;;) {
            const std::string request = RawServer::read_request(socket);
            const std::string shake = request.empty() ? std::string() : handshake_response(request);
            if (shake.empty()) break;
            RawServer::send(socket, shake);
        }
        RawServer::send(socket,
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 209715200\r\n\r\n");
        const std::string block(1 << 16, ' ');
        for (int i = 0; i < 3200; ++i) RawServer::send(socket, block);
    });
    ConnectOptions limited = options(server.url());
    limited.max_message_bytes = 1 << 20;
    auto client = connect(std::move(limited));
    ASSERT_TRUE(client) << client.error().to_string();
    const std::size_t before = peak_memory();
    const auto result = client->call("t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kLimit) << result.error().to_string();
    EXPECT_LT(peak_memory() - before, 64u << 20);
}

}  // namespace
}  // namespace gantry::testing
