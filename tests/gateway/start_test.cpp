// Servers that are silent, slow or broken at startup: the gateway serves nevertheless and reports what is missing.
#include <gmock/gmock.h>

#include "bad_clients/rig.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Neither reads nor writes, for longer than any test takes.
std::string silent(const std::string& name, const std::string& more = "    connect_timeout: 1h\n") {
    return "  - name: " + name + "\n    command: /bin/sleep\n    args: ['86400']\n" + more;
}

/// A gateway that has printed its URL and is waiting for its servers.
Gateway begun(const std::string& config) {
    return Gateway(config, {}, {}, "gantry serves MCP at");
}

RawReply get(const Gateway& gateway, const std::string& path) {
    RawClient client(gateway.port());
    client.send(request("GET", path, "", {{"Accept", "*/*"}}));
    return client.reply();
}

RawReply post(const Gateway& gateway, const std::string& body, const Fields& fields, const std::string& path = "/mcp") {
    RawClient client(gateway.port());
    client.send(request("POST", path, body, fields));
    return client.reply();
}

std::string greet(const Gateway& gateway) {
    return post(gateway, modern("1", "tools/call", R"("name":"every_greet","arguments":{"name":"Ada"})"),
                modern_fields("tools/call", "every_greet"))
        .text();
}

std::string status(const Gateway& gateway) {
    Child child({.command = {gantry_program(), "status", "--json", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_EQ(child.wait(), 0) << child.err();
    return child.out();
}

TEST(StartTest, OneSilentServerKeepsNothingElseFromBeingServed) {
    const Gateway gateway = begun("ready_timeout: 1h\nservers:\n" + silent("silent") + everything_server());
    EXPECT_THAT(status(gateway), HasSubstr("silent")) << "the control socket is there from the start";
    EXPECT_EQ(get(gateway, "/health").status, 200);

    RawClient lister(gateway.port());
    lister.send(request("POST", "/mcp", modern("1", "tools/list"), modern_fields("tools/list")));
    const RawReply hello =
        post(gateway,
             legacy("1", "initialize",
                    R"("protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"})"),
             {});
    EXPECT_EQ(hello.status, 200) << hello.body;
    const Json greeting = hello.json();
    const Json* const subscribe = greeting.at_pointer("/result/capabilities/resources/subscribe");
    ASSERT_NE(subscribe, nullptr) << hello.body;
    EXPECT_EQ(*subscribe, Json(true)) << "the silent server may turn out to have it";
    EXPECT_FALSE(lister.said_something()) << "the whole list waits for the silent server, the handshake does not";

    EXPECT_TRUE(eventually([&] { return greet(gateway).contains("Ada"); })) << greet(gateway);
    const RawReply own = post(gateway, modern("1", "tools/list"), modern_fields("tools/list"), "/mcp/servers/every");
    EXPECT_THAT(own.body, HasSubstr("greet")) << "a server's own list waits for no other server";

    const RawReply ready = get(gateway, "/ready");
    EXPECT_EQ(ready.status, 503);
    EXPECT_EQ(ready.body, R"({"ready":false,"starting":["silent"]})");
}

TEST(StartTest, ReadyMeansThatAListIsComplete) {
    const Gateway gateway =
        begun("ready_timeout: 1h\nservers:\n  - name: slow\n    command: /bin/sh\n    args: [-c, 'sleep 1; exec " +
              gantry::test_support::built_path("examples/everything_server") + " --stdio']\n" + everything_server() +
              "  - name: broken\n    command: /nonexistent/server\n");
    EXPECT_EQ(get(gateway, "/ready").status, 503);
    ASSERT_TRUE(eventually([&] { return get(gateway, "/ready").status == 200; }));
    const RawReply list = post(gateway, modern("1", "tools/list"), modern_fields("tools/list"));
    EXPECT_THAT(list.body, HasSubstr("slow_greet"));
    EXPECT_THAT(list.body, HasSubstr("every_greet"));
}

TEST(StartTest, ACallToAServerThatIsStillStartingWaitsForThatServer) {
    const Gateway gateway = begun("ready_timeout: 1h\nservers:\n" + silent("silent") +
                                  "  - name: slow\n    command: /bin/sh\n    args: [-c, '" + "sleep 1; exec " +
                                  gantry::test_support::built_path("examples/everything_server") + " --stdio']\n");
    const RawReply reply = post(gateway, modern("1", "tools/call", R"("name":"slow_greet","arguments":{"name":"Ada"})"),
                                modern_fields("tools/call", "slow_greet"));
    EXPECT_THAT(reply.text(), HasSubstr("Ada")) << reply.body;
}

TEST(StartTest, ReadyDoesNotWaitForeverForASilentServer) {
    const Gateway gateway = begun("ready_timeout: 1s\nservers:\n" + silent("silent") + everything_server());
    EXPECT_TRUE(eventually([&] { return get(gateway, "/ready").status == 200; }));
    EXPECT_THAT(status(gateway), HasSubstr("starting"));
}

TEST(StartTest, SilentServersDoNotUseUpTheTurnsOfOthersToStart) {
    std::string servers;
    for (int i = 0; i < 8; ++i) servers += silent("silent-" + std::to_string(i));
    const Gateway gateway = begun("servers:\n" + servers + everything_server());
    EXPECT_TRUE(eventually([&] { return greet(gateway).contains("Ada"); })) << greet(gateway);
}

TEST(StartTest, ServersAreOpenedTogetherAndThoseThatFailAreLeftOut) {
    constexpr int kServers = 4;
    const TempDir folder;
    // Each server answers only once all of them have been started: opened one after the other, none ever would.
    std::ofstream(folder.path() + "/together.sh")
        << "touch " << folder.path() << "/started-$1\n"
        << "while [ $(ls " << folder.path() << "/started-* | wc -l) -lt " << kServers << " ]; do sleep 0.05; done\n"
        << "exec " << gantry::test_support::built_path("examples/everything_server") << " --stdio\n";
    std::string servers;
    for (int i = 0; i < kServers; ++i) {
        servers += "  - name: together-" + std::to_string(i) +
                   "\n    command: /bin/sh\n    isolation: off\n    args: [" + folder.path() + "/together.sh, '" +
                   std::to_string(i) + "']\n    connect_timeout: 1h\n";
    }
    const Gateway gateway("servers:\n" + silent("silent", "    connect_timeout: 1s\n") +
                          "  - name: absent\n    command: /nonexistent/program\n" + servers);
    const auto is_down = [&](const std::string& name) {
        const auto json = Json::parse(status(gateway));
        for (const Json& server : *json->find("servers")->if_array())
            if (server.string_at("name") == name) return server.string_at("state") == "down";
        return false;
    };
    EXPECT_TRUE(eventually([&] { return is_down("silent") && is_down("absent"); })) << status(gateway);

    const RawReply list = post(gateway, modern("1", "tools/list"), modern_fields("tools/list"));
    for (int i = 0; i < kServers; ++i) {
        EXPECT_THAT(list.body, HasSubstr("together-" + std::to_string(i) + "_greet"));
    }
    for (const char* name : {"silent", "absent"}) {
        EXPECT_THAT(list.body, Not(HasSubstr(name))) << "only what active servers offer is listed";
    }
    EXPECT_THAT(get(gateway, "/mcp/summary").body, HasSubstr("4 of 6 servers can be used"));
}

TEST(StartTest, AServerTheGatewayMustNotStartWithoutStillEndsIt) {
    const TempDir folder;
    const std::string file = folder.path() + "/gantry.yaml";
    std::ofstream(file) << "servers:\n"
                        << silent("vital", "    connect_timeout: 1s\n    on_connect_error: fail\n")
                        << everything_server();
    Child gateway({.command = {gantry_program(), "serve", "--config", file, "--listen", "127.0.0.1:0", "--state-dir",
                               folder.path() + "/state"},
                   .env = {}});
    EXPECT_EQ(gateway.wait(), 3) << gateway.err();
    EXPECT_THAT(gateway.err(), HasSubstr("on_connect_error: fail cannot be reached: vital"));
    EXPECT_THAT(gateway.out(), Not(HasSubstr("Ctrl-C stops it")));
}

}  // namespace
}  // namespace gantry::testing
