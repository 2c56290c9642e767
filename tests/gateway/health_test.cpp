// What operators and load balancers see of failing servers, and who may read it.
#include <gmock/gmock.h>
#include <signal.h>

#include "bad_clients/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// `examples/everything_server` over HTTP; killed with the object.
class HttpServerProcess {
public:
    explicit HttpServerProcess(int port)
        : child_({.command = {gantry::test_support::built_path("examples/everything_server"), "--port",
                              std::to_string(port)},
                  .env = {}}) {
        EXPECT_TRUE(child_.wait_for_output("/mcp\n"));
        url_ = child_.out().substr(0, child_.out().find('\n'));
    }
    const std::string& url() const noexcept { return url_; }
    int port() const { return std::stoi(url_.substr(url_.rfind(':') + 1)); }

private:
    Child child_;
    std::string url_;
};

RawReply get(const Gateway& gateway, const std::string& path, const Fields& fields = {}) {
    RawClient client(gateway.port());
    client.send(request("GET", path, "", Fields{{"Accept", "*/*"}, {"Connection", "close"}} + fields));
    return client.reply();
}

Json status_of(const Gateway& gateway) {
    Child child({.command = {gantry_program(), "status", "--json", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_EQ(child.wait(), 0) << child.err();
    return Json::parse(child.out()).value_or(Json());
}

std::string breakers_of(const Gateway& gateway) {
    Child child({.command = {gantry_program(), "breakers", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_EQ(child.wait(), 0) << child.err();
    return child.out();
}

TEST(HealthTest, AnHttpServerThatDiesIsNotHealthyAnyMoreAndComesBack) {
    auto upstream = std::make_unique<HttpServerProcess>(0);
    const int port = upstream->port();
    Gateway gateway("servers:\n  - name: web\n    url: " + upstream->url() + "\n    on_connect_error: fail\n");
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->call("web_test_simple_text", {}));
    Json server = *status_of(gateway).at_pointer("/servers/0");
    EXPECT_EQ(server.string_at("health"), "healthy");
    EXPECT_EQ(get(gateway, "/ready").status, 200);

    upstream.reset();
    EXPECT_FALSE(client->call("web_test_simple_text", {})) << "nobody is there";
    EXPECT_TRUE(eventually([&] {
        server = *status_of(gateway).at_pointer("/servers/0");
        return server.string_at("health") != "healthy" && *server.find("connected") == Json(false);
    })) << server.dump();
    EXPECT_NE(server.string_at("state"), "ready") << server.dump();
    const RawReply health = get(gateway, "/health");
    EXPECT_EQ(health.json().string_at("status"), "degraded") << health.body;
    EXPECT_NE(health.json().at_pointer("/servers/web")->dump(), "\"ready\"") << health.body;
    RawReply ready;
    EXPECT_TRUE(eventually([&] {
        ready = get(gateway, "/ready");
        return ready.status == 503;
    })) << "it is required (on_connect_error: fail)";
    EXPECT_THAT(ready.body, HasSubstr(R"("missing":["web"])"));
    EXPECT_THAT(status_of(gateway).at_pointer("/servers/0/trouble")->dump(), HasSubstr("refused"));

    const HttpServerProcess again(port);
    EXPECT_TRUE(eventually([&] { return client->call("web_test_simple_text", {}).has_value(); }));
    EXPECT_TRUE(eventually([&] { return get(gateway, "/ready").status == 200; }));
    EXPECT_EQ(status_of(gateway).at_pointer("/servers/0/health")->dump(), "\"healthy\"");
}

TEST(HealthTest, AnOpenBreakerIsPartOfTheHealthAndSaysWhyAndForHowLong) {
    SKIP_WITHOUT(dual_era_js());
    Gateway gateway("servers:\n  - name: stuck\n    command: " + node() + "\n    args: [" +
                    peer_file("trouble_server.mjs") +
                    ", stuck]\n    timeout: 300ms\n    breaker: {threshold: 2, recovery: 1h}\n");
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(client->call("stuck_hang", {}));
    EXPECT_THAT(breakers_of(gateway), AllOf(HasSubstr("open"), HasSubstr("did not answer in time"), HasSubstr(" s  ")));
    const Json server = *status_of(gateway).at_pointer("/servers/0");
    EXPECT_EQ(server.string_at("health"), "server_failing");
    EXPECT_GT(server.find("breaker_retry_seconds")->as_int().value_or(0), 3000);
    const RawReply health = get(gateway, "/health");
    EXPECT_EQ(health.json().string_at("status"), "degraded");
    EXPECT_EQ(health.json().at_pointer("/servers/stuck")->dump(), "\"failing\"");
}

TEST(HealthTest, WhatIsForThisMachineAloneIsNotReadThroughAProxy) {
    Gateway gateway(
        "demo_tools: true\nallowed_hosts: [mcp.example.com]\nmetrics: {enabled: true}\nfeed: {enabled: true}\n");
    EXPECT_EQ(get(gateway, "/metrics").status, 200);
    for (const std::string path : {"/metrics", "/events"}) {
        const std::vector<Fields> proxied = {{{"X-Forwarded-For", "192.0.2.7"}},
                                             {{"Forwarded", "for=192.0.2.7"}},
                                             {{"X-Real-IP", "192.0.2.7"}},
                                             {{"Via", "1.1 nginx"}},
                                             {{"Host", "mcp.example.com"}}};
        for (const Fields& fields : proxied) {
            const RawReply refused = get(gateway, path, fields);
            EXPECT_EQ(refused.status, 403) << path << " " << fields[0].first;
            EXPECT_THAT(refused.body, HasSubstr("local_only"));
        }
    }
    EXPECT_EQ(get(gateway, "/health", {{"Host", "mcp.example.com"}}).status, 200) << "health checks pass";
    Gateway open("demo_tools: true\nmetrics: {enabled: true, local_only: false}\n");
    EXPECT_EQ(get(open, "/metrics", {{"X-Forwarded-For", "192.0.2.7"}}).status, 200);
}

TEST(HealthTest, ARefusedHostIsNamedToTheCallerAndToTheOperator) {
    Gateway gateway("demo_tools: true\n");
    const RawReply refused = get(gateway, "/health", {{"Host", "mcp.example.com"}});
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, HasSubstr("host 'mcp.example.com' is not in allowed_hosts"));
    RawClient client(gateway.port());
    client.send(request("POST", "/mcp", legacy("1", "ping"), {{"Host", "other.example.com"}}));
    EXPECT_THAT(client.reply().body, HasSubstr("host 'other.example.com' is not in allowed_hosts"));
    EXPECT_TRUE(gateway.child().wait_for_output("host 'mcp.example.com' was refused"));
    EXPECT_THAT(gateway.child().err(), Not(HasSubstr("other.example.com"))) << "one line a minute is enough";
}

}  // namespace
}  // namespace gantry::testing
