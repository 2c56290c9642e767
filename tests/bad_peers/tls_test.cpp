// Servers behind https that break the protocol, are outdated, or are not who they claim to be.

#include <gtest/gtest.h>

#include <fstream>
#include <mutex>

#include "bad_peers/raw_tls.hpp"
#include "gantry/client.hpp"
#include "support/child.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

using net::testing::TestAuthority;
using net::testing::TestCertificate;
using std::chrono::seconds;

class BadTlsPeer : public ::testing::Test {
protected:
    BadTlsPeer() { std::ofstream(ca_file_) << authority_.certificate(); }

    TestCertificate identity(const std::vector<std::string>& hosts = {"127.0.0.1"}) const {
        return authority_.issue(hosts);
    }

    ConnectOptions options(const RawServer& server) const {
        ConnectOptions options{.server = HttpServer{.url = server.url("/mcp", "https"),
                                                    .transport = HttpServer::Transport::kStreamableHttp,
                                                    .ca_file = ca_file_}};
        options.era = Era::kLegacy;
        options.connect_timeout = seconds(60);
        options.call_timeout = seconds(60);
        return options;
    }

    /// The result of a call when the server sends `bytes`, with or without close_notify, and closes.
    Result<mcp::CallToolResult> call_answered_with(const std::string& bytes, bool goodbye, RawTls& tls) const {
        RawServer server([&](RawServer&, int socket) {
            RawTlsSession session(tls, socket);
            while (session.open()) {
                const std::string request = session.read_request();
                if (request.empty()) return;
                const std::string shake = handshake_response(request);
                if (!shake.empty()) {
                    session.send(shake);
                    continue;
                }
                session.send(bytes);
                if (goodbye) session.goodbye();
                return;
            }
        });
        auto client = connect(options(server));
        if (!client) return std::unexpected(client.error());
        return client->call("t");
    }

    /// The reason why the connection to a server with this identity is refused.
    std::string refusal(const TestCertificate& identity, const std::string& newest = "1.3") const {
        RawTls tls(identity, newest);
        RawServer server([&](RawServer&, int socket) {
            RawTlsSession session(tls, socket);
            if (session.open()) EXPECT_EQ(session.read_request(), "") << "nothing may be sent to it";
        });
        const auto client = connect(options(server));
        if (client) return "connected";
        EXPECT_EQ(client.error().code(), ErrorCode::kConnection) << client.error().to_string();
        return client.error().to_string();
    }

    TempDir directory_;
    std::string ca_file_ = directory_.path() + "/ca.pem";
    TestAuthority authority_;
};

const std::string kBody = R"({"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"whole"}]}})";
const std::string kUntilClose = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";

TEST_F(BadTlsPeer, AnAnswerCutAnywhereIsAnUnknownOutcome) {
    const Watchdog watchdog("tls cut", seconds(600));
    RawTls tls(identity());
    const std::string events = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    const std::string cuts[] = {
        "",
        "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" + kBody,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + kBody,
        kUntilClose + kBody.substr(0, 30),
        events + "data: " + kBody.substr(0, 30),
    };
    for (const std::string& cut : cuts) {
        const auto result = call_answered_with(cut, false, tls);
        ASSERT_FALSE(result) << cut;
        EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown) << cut << "\n" << result.error().to_string();
    }
}

// Without a length only close_notify distinguishes the end from a truncation: a body that looks complete does not
// count.
TEST_F(BadTlsPeer, ABodyWithoutLengthIsWholeOnlyAfterAGoodbye) {
    const Watchdog watchdog("tls end", seconds(600));
    RawTls tls(identity());
    const auto whole = call_answered_with(kUntilClose + kBody, true, tls);
    ASSERT_TRUE(whole) << whole.error().to_string();
    EXPECT_EQ(whole->text(), "whole");

    const auto cut = call_answered_with(kUntilClose + kBody, false, tls);
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code(), ErrorCode::kOutcomeUnknown) << cut.error().to_string();
    EXPECT_NE(cut.error().to_string().find("close_notify"), std::string::npos) << cut.error().to_string();
}

TEST_F(BadTlsPeer, AServerThatKnowsOnlyTls12Works) {
    const Watchdog watchdog("tls 1.2", seconds(600));
    RawTls tls(identity(), "1.2");
    std::mutex mutex;
    std::string version;
    RawServer server([&](RawServer&, int socket) {
        RawTlsSession session(tls, socket);
        {
            const std::lock_guard lock(mutex);
            version = session.version();
        }
        for (;;) {
            const std::string request = session.read_request();
            if (request.empty()) return;
            const std::string shake = handshake_response(request);
            session.send(shake.empty()
                             ? json_response(R"({"jsonrpc":"2.0","id":)" + id_in(request) +
                                             R"(,"result":{"content":[{"type":"text","text":"old but fine"}]}})")
                             : shake);
        }
    });
    auto client = connect(options(server));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("t");
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "old but fine");
    client->close();
    const std::lock_guard lock(mutex);
    EXPECT_EQ(version, "TLSv1.2");
}

TEST_F(BadTlsPeer, AServerThatKnowsOnlyTls11IsRefused) {
    const Watchdog watchdog("tls 1.1", seconds(600));
    const std::string why = refusal(identity(), "1.1");
    EXPECT_NE(why.find("protocol version"), std::string::npos) << why;
}

TEST_F(BadTlsPeer, ACertificateThatProvesNothingIsRefusedWithTheReason) {
    const Watchdog watchdog("certificates", seconds(600));
    const std::string other = refusal(identity({"other.example"}));
    EXPECT_NE(other.find("IP address mismatch"), std::string::npos) << other;
    const std::string late = refusal(authority_.issue({"127.0.0.1"}, true));
    EXPECT_NE(late.find("expired"), std::string::npos) << late;
    // Self-signed: an authority that was not configured.
    const TestAuthority stranger("Nobody");
    const std::string unknown = refusal(stranger.issue({"127.0.0.1"}));
    EXPECT_NE(unknown.find("certificate of '127.0.0.1' refused"), std::string::npos) << unknown;
    const std::string alone = refusal(net::testing::self_signed({"127.0.0.1"}));
    EXPECT_NE(alone.find("self-signed certificate"), std::string::npos) << alone;
}

}  // namespace
}  // namespace gantry::testing
