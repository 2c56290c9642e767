// Relaying to third-party servers: the reference server over its three transports, and one that speaks both eras.

#include <unistd.h>

#include <memory>

#include "io/net/egress.hpp"
#include "mcp/client/test_relay.hpp"
#include "mcp/transport/stdio.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;
using gantry::testing::Child;

/// A file installed by `npm ci` in tests/peers; empty if that did not run.
std::string peer_file(const std::string& below) {
    const std::string path = gantry::test_support::source_path("tests/peers/") + below;
    return access(path.c_str(), R_OK) == 0 ? path : std::string();
}
std::string node() {
    return peer_file("node_modules/.bin/node");
}
std::string everything() {
    return peer_file("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
}
std::string dual_era() {
    return peer_file("node_modules/@modelcontextprotocol/server").empty() ? "" : peer_file("dual_era_server.mjs");
}
#define SKIP_WITHOUT(path) \
    if ((path).empty()) GTEST_SKIP() << "the npm peers are not installed: run npm ci in tests/peers"

enum class Way { kStdio, kHttp, kHttpSse };
using PeerBody = Task<void> (*)(Client& client);

struct Peer {
    Way way = Way::kStdio;
    std::vector<std::string> command;  // over stdio
    std::string url;
    EraChoice era = EraChoice::kLegacy;
};

std::unique_ptr<Transport> transport_to(const Peer& peer, http::Client& http) {
    if (peer.way == Way::kStdio) {
        return std::make_unique<StdioTransport>(
            StdioConfig{.command = peer.command.front(), .args = {peer.command.begin() + 1, peer.command.end()}});
    }
    HttpConfig config;
    config.url = *Url::parse(peer.url);
    config.client = &http;
    if (peer.way == Way::kHttpSse) return std::make_unique<HttpSseTransport>(HttpSseConfig{.http = std::move(config)});
    return std::make_unique<StreamableHttpTransport>(StreamableHttpConfig{.http = std::move(config)});
}

Task<void> talk_to(Loop& loop, Peer peer, PeerBody body) {
    const net::EgressGuard guard;
    http::Client http(loop, guard);
    ClientSettings settings;
    settings.era = peer.era;
    settings.connect_timeout = seconds(90);
    settings.declare.emplace();
    settings.declare->elicitation.emplace();
    {
        Client client(
            Route{.transport = transport_to(peer, http), .wire = peer.way == Way::kStdio ? Wire::kPipe : Wire::kHttp},
            std::move(settings));
        if (auto made = co_await client.connect(Context::background().within(seconds(90))); made) {
            EXPECT_EQ(is_modern(client.server().revision), peer.era == EraChoice::kModern);
            co_await body(client);
        } else {
            ADD_FAILURE() << made.error().to_string();
        }
        co_await client.close();
    }
    http.close();
}

void run_peer(Peer peer, PeerBody body) {
    Loop loop;
    loop.run_until_done(talk_to(loop, std::move(peer), body));
}

Task<std::string> relayed(Client& client, const RelayRequest& request) {
    const auto answer = co_await client.relay(watchdog(), request, false);
    if (!answer) co_return answer.error().to_string();
    co_return answer->stream ? "a stream" : std::string(answer->message.view().result.raw());
}

// --- the reference server --------------------------------------------------------------------------------------------

Task<Result<std::string>> accept_all(std::string method) {
    EXPECT_EQ(method, "elicitation/create");
    co_return R"({"action":"accept","content":{"name":"Ada Lovelace","check":true}})";
}

Task<void> exercise(Client& client) {
    const ClientRequest echo("tools/call", R"({"name":"echo","arguments":{"message":"grüße \u0041"}})");
    EXPECT_TRUE((co_await relayed(client, echo.request)).contains("grüße A"));

    ClientRequest renamed("tools/call", R"({"name":"all__echo","arguments":{"message":"m"}})");
    renamed.request.name = "echo";
    EXPECT_TRUE((co_await relayed(client, renamed.request)).contains("Echo: m"));

    ClientRequest slow("tools/call", R"({"name":"trigger-long-running-operation","arguments":{"duration":1,"steps":3},)"
                                     R"("_meta":{"progressToken":"theirs"}})");
    slow.request.wants_progress = true;
    int steps = 0;
    slow.request.hooks.on_progress = [&steps](std::string_view, const json::ParamsView&) { ++steps; };
    EXPECT_TRUE((co_await relayed(client, slow.request)).contains("completed"));
    EXPECT_GE(steps, 2);

    ClientRequest asks("tools/call", R"({"name":"trigger-elicitation-request","arguments":{}})");
    asks.request.hooks.on_request = [](const Context&, std::string method, std::string) {
        return accept_all(std::move(method));
    };
    EXPECT_TRUE((co_await relayed(client, asks.request)).contains("Ada Lovelace"));

    const ClientRequest unknown("x/unknown", "{}");
    const auto refused = co_await client.relay(watchdog(), unknown.request, false);
    CO_ASSERT(!refused && refused.error().rpc());
    EXPECT_EQ(refused.error().rpc()->code, -32601);
}

TEST(RelayPeers, TheReferenceServerOverStdio) {
    SKIP_WITHOUT(everything());
    SKIP_WITHOUT(node());
    run_peer({.command = {node(), everything(), "stdio"}}, exercise);
}

void over_http(Way way, const char* mode, const char* path) {
    SKIP_WITHOUT(everything());
    SKIP_WITHOUT(node());
    const int port = gantry::testing::free_port();
    Child server({.command = {node(), everything(), mode}, .env = {{"PORT", std::to_string(port)}}});
    ASSERT_TRUE(gantry::testing::wait_for_port(port)) << server.err();
    run_peer({.way = way, .url = "http://127.0.0.1:" + std::to_string(port) + path}, exercise);
}
TEST(RelayPeers, TheReferenceServerOverStreamableHttp) {
    over_http(Way::kHttp, "streamableHttp", "/mcp");
}
TEST(RelayPeers, TheReferenceServerOverHttpWithServerSentEvents) {
    over_http(Way::kHttpSse, "sse", "/sse");
}

// --- both eras -------------------------------------------------------------------------------------------------------

Task<void> both(Client& client) {
    const ClientRequest add("tools/call", R"({"name":"add","arguments":{"a":2,"b":3}})");
    EXPECT_TRUE((co_await relayed(client, add.request)).contains(R"("sum":5)"));
    // The client did not send the header this tool requires: it is derived from the schema.
    const ClientRequest region("tools/call", R"({"name":"region","arguments":{"region":"eu"}})");
    EXPECT_TRUE((co_await relayed(client, region.request)).contains("region eu"));
    const ClientRequest read("resources/read", R"({"uri":"fixture://motto"})");
    EXPECT_TRUE((co_await relayed(client, read.request)).contains("carry on"));

    ClientRequest count("tools/call", R"({"name":"count","arguments":{"to":3}})");
    count.request.wants_progress = true;
    int steps = 0;
    count.request.hooks.on_progress = [&steps](std::string_view, const json::ParamsView&) { ++steps; };
    EXPECT_TRUE((co_await relayed(client, count.request)).contains("counted to 3"));
    EXPECT_EQ(steps, 3);
    if (!is_modern(client.server().revision)) co_return;

    ClientRequest greet("tools/call", R"({"name":"greet","arguments":{}})");
    greet.request.capabilities = R"({"elicitation":{}})";
    EXPECT_TRUE((co_await relayed(client, greet.request)).contains("input_required"));
    ClientRequest again("tools/call", R"({"name":"greet","arguments":{},"inputResponses":{"who":{"action":"accept",)"
                                      R"("content":{"name":"Ada","polite":true}}}})");
    again.request.capabilities = R"({"elicitation":{}})";
    EXPECT_TRUE((co_await relayed(client, again.request)).contains("Good day, Ada"));
}

TEST(RelayPeers, AServerOfBothErasOverStdio) {
    SKIP_WITHOUT(dual_era());
    SKIP_WITHOUT(node());
    for (const EraChoice era : {EraChoice::kLegacy, EraChoice::kModern}) {
        run_peer({.command = {node(), dual_era(), "stdio"}, .era = era}, both);
    }
}

TEST(RelayPeers, AServerOfBothErasOverHttp) {
    SKIP_WITHOUT(dual_era());
    SKIP_WITHOUT(node());
    Child server({.command = {node(), dual_era(), "http", "both"}, .env = {}});
    ASSERT_TRUE(server.wait_for_output("listening ") && server.wait_for_output("\n")) << server.err();
    const std::string port = std::to_string(std::stoi(server.out().substr(server.out().find("listening ") + 10)));
    for (const EraChoice era : {EraChoice::kLegacy, EraChoice::kModern}) {
        run_peer({.way = Way::kHttp, .url = "http://127.0.0.1:" + port + "/mcp", .era = era}, both);
    }
}

}  // namespace
}  // namespace gantry::mcp
