// Upstream as the factory of transports: which one a configuration gets, and that a caller cannot tell them apart.

#include "gateway/sources/mcp/test_rig.hpp"
#include "gateway/sources/mcp/upstream.hpp"
#include "interop/peers.hpp"
#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/stdio.hpp"
#include "mcp/transport/streamable_http.hpp"
#include "support/child.hpp"

namespace gantry::gateway::testing {
namespace {

using gantry::testing::Child;
using gantry::testing::everything_js;
using gantry::testing::node;

/// Knows nothing but the interface: connects, shakes hands, and returns the name of the server.
Task<std::string> name_over(mcp::Transport& transport) {
    auto connection = co_await transport.connect(watchdog());
    if (!connection) co_return connection.error().to_string();
    const Json hello =
        parse(R"({"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}})");
    const mcp::RequestId id(7);
    auto sent = co_await (*connection)->write(watchdog(), {.message = mcp::RequestMessage{id, "initialize", hello}});
    std::string name = sent ? "no answer" : sent.error().to_string();
    while (sent) {
        auto incoming = co_await (*connection)->read(watchdog());
        if (!incoming || !*incoming) break;
        const auto* answer = std::get_if<mcp::ResponseMessage>(&(*incoming)->message);
        if (answer == nullptr || answer->id != id || !answer->outcome) continue;
        name = answer->outcome->find("serverInfo")->string_at("name");
        break;
    }
    co_await (*connection)->close();
    co_return name;
}

/// A server that is configured, and the kind of transport it gets.
template <class Kind>
Task<void> expect_transport(Loop& loop, McpServerSpec spec, std::string server) {
    const McpSourceOptions options;
    Upstream upstream(loop, spec, options);
    auto route = upstream.make_route();
    CO_ASSERT(route);
    EXPECT_NE(dynamic_cast<Kind*>(route->transport.get()), nullptr) << route->transport->describe();
    EXPECT_EQ(co_await name_over(*route->transport), server);
    upstream.close();
}

template <class Kind>
void expect_over(const McpServerSpec& spec) {
    Loop loop;
    loop.run_until_done(expect_transport<Kind>(loop, spec, "mcp-servers/everything"));
}

/// The official everything server, listening in one of its modes.
McpServerSpec listening(std::unique_ptr<Child>& server, const char* mode, const char* path, WireWish wish) {
    const int port = gantry::testing::free_port();
    server = std::make_unique<Child>(
        Child::Options{.command = {node(), everything_js(), mode}, .env = {{"PORT", std::to_string(port)}}});
    EXPECT_TRUE(gantry::testing::wait_for_port(port)) << server->err();
    return {.name = "real", .url = "http://127.0.0.1:" + std::to_string(port) + path, .transport = wish};
}

TEST(TransportFactory, MakesWhatTheConfigurationAsksForBehindOneInterface) {
    SKIP_WITHOUT(everything_js());
    SKIP_WITHOUT(node());
    std::unique_ptr<Child> server;
    expect_over<mcp::StdioTransport>({.name = "real", .command = node(), .args = {everything_js(), "stdio"}});
    for (const WireWish wish : {WireWish::kAuto, WireWish::kStreamableHttp})
        expect_over<mcp::StreamableHttpTransport>(listening(server, "streamableHttp", "/mcp", wish));
    expect_over<mcp::HttpSseTransport>(listening(server, "sse", "/sse", WireWish::kSse));
}

TEST(TransportFactory, RefusesAConfigurationThatNamesNeitherProgramNorUrl) {
    Loop loop;
    const McpServerSpec spec{.name = "empty"};
    const McpSourceOptions options;
    Upstream upstream(loop, spec, options);
    const auto route = upstream.make_route();
    ASSERT_FALSE(route);
    EXPECT_EQ(route.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(route.error().message().find("'empty'"), std::string::npos) << route.error().message();
}

}  // namespace
}  // namespace gantry::gateway::testing
