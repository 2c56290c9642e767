// When a client connects: lazily, again after its retries are exhausted, and how often it tries.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

#include "gantry/client.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using State = ConnectionState;

/// A stdio server that can only be started while it is available, and notes each start.
class Startable {
public:
    Startable() { EXPECT_TRUE(std::ofstream(started_)); }

    void make_available() { EXPECT_TRUE(std::ofstream(flag_)); }
    void make_unavailable() { std::filesystem::remove(flag_); }
    /// Attempts to start it.
    std::size_t starts() const { return std::filesystem::file_size(started_); }
    std::vector<int> processes() const { return processes_with(flag_); }
    void kill_it() const {
        for (const int pid : processes()) kill(pid, SIGKILL);
    }

    ConnectOptions options() const {
        // hello_server ignores its argument, which makes it findable.
        const char* const script = R"(printf . >> "$2"; test -e "$0" && exec "$1" "$0"; echo 'not today' >&2; exit 3)";
        return {.name = "startable",
                .server = StdioServer{
                    .command = "sh",
                    .args = {"-c", script, flag_, test_support::built_path("examples/hello_server"), started_}}};
    }

private:
    TempDir folder_;
    std::string flag_ = folder_.path() + "/available";
    std::string started_ = folder_.path() + "/started";
};

Result<Client> connect_lazily(const Startable& server) {
    ConnectOptions options = server.options();
    options.connect = Connect::kLazy;
    return connect(options);
}

TEST(Lazy, NothingIsStartedBeforeTheFirstOperationAndNothingIsLeft) {
    Startable server;
    server.make_available();
    ConnectOptions options = server.options();
    options.connect = Connect::kLazy;
    {
        auto client = connect(options);
        ASSERT_TRUE(client) << client.error().to_string();
        EXPECT_EQ(client->state(), State::kDisconnected);
        EXPECT_EQ(server.starts(), 0u);
        EXPECT_EQ(client->call("add", {{"a", 1}, {"b", 2}})->text(), "3");
        EXPECT_EQ(client->state(), State::kConnected);
        EXPECT_EQ(client->server().info.name, "hello");
        EXPECT_EQ(server.processes().size(), 1u);
    }
    EXPECT_TRUE(server.processes().empty()) << "the scope's end is the server's";
    EXPECT_EQ(server.starts(), 1u);
}

TEST(Lazy, ClosedBeforeItsFirstUseItStartsNothing) {
    Startable server;
    server.make_available();
    auto client = connect_lazily(server);
    ASSERT_TRUE(client);
    client->close();
    EXPECT_EQ(client->call("add").error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(server.starts(), 0u);
}

TEST(Lazy, FirstCallsAtOnceConnectOnce) {
    Startable server;
    server.make_available();
    auto client = connect_lazily(server);
    ASSERT_TRUE(client);
    std::vector<Pending<mcp::CallToolResult>> calls;
    for (int i = 0; i < 8; ++i) calls.push_back(client->call_async("add", {{"a", i}, {"b", 0}}));
    calls.erase(calls.begin());  // cancelled; the others still get their connection
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto result = calls[i].get();
        ASSERT_TRUE(result) << result.error().to_string();
        EXPECT_EQ(result->text(), std::to_string(i + 1));
    }
    EXPECT_EQ(server.starts(), 1u);
}

TEST(Lazy, AFailedConnectIsTheErrorOfTheCallAndTheNextTriesAgain) {
    Startable server;
    auto client = connect_lazily(server);
    ASSERT_TRUE(client);
    for (std::size_t i = 1; i <= 2; ++i) {
        const auto failed = client->call("add", {{"a", 1}, {"b", 2}});
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().code(), ErrorCode::kConnection);
        EXPECT_EQ(failed.error().server(), "startable");
        EXPECT_NE(failed.error().to_string().find("cannot connect to 'startable'"), std::string::npos)
            << failed.error().to_string();
        EXPECT_NE(failed.error().to_string().find("not today"), std::string::npos) << failed.error().to_string();
        EXPECT_EQ(client->state(), State::kDisconnected);
    }
    const auto before = server.starts();
    server.make_available();
    EXPECT_EQ(client->call("add", {{"a", 1}, {"b", 2}})->text(), "3");
    EXPECT_EQ(server.starts(), before + 1);
}

TEST(Lazy, UnusableOptionsAreTheErrorOfConnect) {
    EXPECT_FALSE(connect({.server = HttpServer{.url = "no URL"}, .connect = Connect::kLazy}));
    EXPECT_FALSE(connect({.server = StdioServer{}, .connect = Connect::kLazy}));
}

TEST(Lazy, RootsCanBeSetWithoutConnecting) {
    Startable server;
    ConnectOptions options = server.options();
    options.connect = Connect::kLazy;
    options.handlers.roots = []() -> Result<std::vector<mcp::Root>> { return {}; };
    auto client = connect(options);
    ASSERT_TRUE(client);
    EXPECT_TRUE(client->set_roots({}));
    EXPECT_EQ(server.starts(), 0u);
}

TEST(Retries, AnExhaustedFirstConnectIsDisconnected) {
    Startable server;
    ConnectOptions options = server.options();
    options.era = Era::kLegacy;  // one start for each attempt
    options.connect_retries = 2;
    std::vector<State> states;
    options.handlers.on_state = [&](State state) { states.push_back(state); };
    const auto client = connect(options);
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code(), ErrorCode::kConnection);
    EXPECT_EQ(server.starts(), 3u);
    EXPECT_EQ(states, (std::vector{State::kConnecting, State::kDisconnected}));
}

TEST(Retries, AnExhaustedReconnectIsDisconnectedAndTheNextCallConnects) {
    Startable server;
    server.make_available();
    ConnectOptions options = server.options();
    options.era = Era::kLegacy;
    options.reconnect_retries = 1;
    std::vector<State> states;
    std::promise<void> given_up;
    options.handlers.on_state = [&](State state) {
        states.push_back(state);
        if (states.size() == 4) given_up.set_value();
    };
    {
        auto client = connect(options);
        ASSERT_TRUE(client) << client.error().to_string();
        server.make_unavailable();
        server.kill_it();
        given_up.get_future().wait();
        EXPECT_EQ(client->state(), State::kDisconnected);
        EXPECT_EQ(server.starts(), 2u);
        EXPECT_EQ(client->call("add", {{"a", 1}, {"b", 2}}).error().code(), ErrorCode::kConnection);
        server.make_available();
        EXPECT_EQ(client->call("add", {{"a", 1}, {"b", 2}})->text(), "3");
    }
    EXPECT_EQ(states, (std::vector{State::kConnecting, State::kConnected, State::kReconnecting, State::kDisconnected,
                                   State::kConnecting, State::kDisconnected, State::kConnecting, State::kConnected,
                                   State::kDisconnected}));
}

}  // namespace
}  // namespace gantry::testing
