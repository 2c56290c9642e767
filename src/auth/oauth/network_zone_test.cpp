#include <gtest/gtest.h>

#include "auth/oauth/authorizer_rig.hpp"
#include "auth/oauth/fetch.hpp"
#include "io/http/server.hpp"
#include "io/net/egress.hpp"

namespace gantry::auth {
namespace {

struct Reach {
    const char* server;
    std::vector<const char*> answers_from;
    const char* address;
    bool allowed;
};

TEST(NetworkZone, AServersUrlsReachWhereItLivesAndTheOutside) {
    const Reach cases[] = {
        // By address in the configured URL.
        {"http://127.0.0.1:1/", {}, "127.0.0.1", true},
        {"http://localhost:1/", {}, "::1", true},
        {"http://127.0.0.1:1/", {}, "10.0.0.1", true},
        {"http://127.0.0.1:1/", {}, "169.254.169.254", false},
        {"https://10.1.1.1/", {}, "10.0.0.1", true},
        {"https://10.1.1.1/", {}, "127.0.0.1", false},
        {"https://10.1.1.1/", {}, "169.254.169.254", false},
        {"https://169.254.1.1/", {}, "169.254.169.254", true},
        {"https://8.8.8.8/", {}, "10.0.0.1", false},
        // By name: the address of the answer decides.
        {"https://mcp.example/", {}, "10.0.0.1", false},
        {"https://mcp.example/", {}, "8.8.8.8", true},
        {"https://mcp.example/", {"10.1.1.1"}, "192.168.0.1", true},
        {"https://mcp.example/", {"10.1.1.1"}, "127.0.0.1", false},
        {"https://mcp.example/", {"127.0.0.1"}, "127.0.0.1", true},
        {"https://mcp.example/", {"8.8.8.8"}, "10.0.0.1", false},
        // A name rebound to an internal address stays public; one rebound to a public address becomes public.
        {"https://mcp.example/", {"8.8.8.8", "10.0.0.1"}, "10.0.0.1", false},
        {"https://mcp.example/", {"10.0.0.1", "8.8.8.8"}, "10.0.0.1", false},
        {"http://127.0.0.1:1/", {"127.0.0.1"}, "127.0.0.1", true},
    };
    for (const Reach& test : cases) {
        NetworkZone home(*Url::parse(test.server));
        for (const char* address : test.answers_from) home.saw(address);
        EXPECT_EQ(home.rule()->check_address(test.address).has_value(), test.allowed)
            << test.server << " -> " << test.address;
    }
}

TEST(NetworkZone, ItsOwnOriginIsWhatTheUserConfigured) {
    const NetworkZone home(*Url::parse("https://mcp.example/mcp"));
    EXPECT_TRUE(home.check(*Url::parse("https://mcp.example/.well-known/x")));
    EXPECT_FALSE(home.check(*Url::parse("http://localhost/x")));
    EXPECT_FALSE(home.check(*Url::parse("https://192.168.0.1/x")));
    EXPECT_TRUE(home.check(*Url::parse("https://as.example/x")));
}

Task<void> answer_ok(const Context& ctx, http::Exchange& exchange) {
    static_cast<void>(co_await exchange.respond(ctx, 200, {}, "{}"));
}

Task<Result<std::vector<net::Endpoint>>> this_machine(std::uint16_t port) {
    co_return std::vector<net::Endpoint>{{"127.0.0.1", port}};
}

struct Outside {
    static Task<void> run(Loop& loop) {
        http::Server server(loop, {}, answer_ok);
        EXPECT_TRUE(server.start());
        // A name server that resolves every name to this machine.
        const net::EgressGuard guard(
            {}, [](const Context&, std::string, std::uint16_t port) { return this_machine(port); });
        http::Client client(loop, guard);
        const auto home = std::make_shared<NetworkZone>(*Url::parse("https://mcp.example/mcp"));
        const Fetch fetch = make_outward_fetch(make_http_fetch(client), home);
        const Context ctx = Context().within(seconds(30));
        http::Request request;
        request.url = *Url::parse("http://as.example:" + std::to_string(server.port()) + "/metadata");
        const auto refused = co_await fetch(ctx, request);
        EXPECT_EQ(refused ? ErrorCode::kInternal : refused.error().code(), ErrorCode::kDenied);
        home->saw("127.0.0.1");  // the server turns out to be on this machine
        const auto answered = co_await fetch(ctx, request);
        EXPECT_TRUE(answered) << answered.error().to_string();
        home->saw("8.8.8.8");
        const auto again = co_await fetch(ctx, request);
        EXPECT_FALSE(again) << "a kept connection went where the rule does not";
        client.close();
        co_await server.stop(seconds(1));
    }
};

TEST(NetworkZone, AServerOutThereCannotNameAHostThatResolvesToThisMachine) {
    Loop loop;
    loop.run_until_done(Outside::run(loop));
}

class FromOutside : public AuthorizerRig {};

TEST_F(FromOutside, TheBrowserIsNotSentToThisMachineEither) {
    as_.metadata.set("authorization_endpoint", "http://127.0.0.1:8080/authorize");
    const auto answer = call();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kDenied);
    EXPECT_EQ(as_.count("/authorize"), 0);
}

}  // namespace
}  // namespace gantry::auth
