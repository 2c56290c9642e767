// A server that calls its own gateway, with and without tricks.

#include "gateway/sandbox/callers.hpp"

#include "gateway/sandbox/test_box.hpp"
#include "io/http/server.hpp"
#include "io/net/tcp.hpp"

namespace gantry::gateway::sandbox {
namespace {

using testing::Box;

Task<void> answer(const Context& ctx, http::Exchange& exchange) {
    auto sent = co_await exchange.respond(ctx, 200, {}, "served");
    static_cast<void>(sent);
}

class CallersTest : public ::testing::TestWithParam<IsolationLevel> {
protected:
    void SetUp() override {
        if (!kernel().marks_sockets) GTEST_SKIP() << "this kernel cannot mark sockets";
        box.wish() = {.level = GetParam(), .network = NetworkAccess::kOpen};
        box.sandbox = std::make_unique<LocalSandbox>(box.options);
        server = std::make_unique<http::Server>(
            box.loop,
            http::ServerOptions{.refuse =
                                    [this](const net::TcpStream& stream) {
                                        std::string who = box.sandbox->callers()->refuse(stream);
                                        if (!who.empty()) refused.push_back(who);
                                        return who;
                                    }},
            [this](const Context& ctx, http::Exchange& exchange) { return ++served, answer(ctx, exchange); });
        ASSERT_TRUE(server->start());
    }
    void TearDown() override {
        if (server) box.loop.run_until_done(server->stop(seconds(5)));
    }
    std::string call(const std::string& way) {
        return box.say({"call-home", std::to_string(server->port()), way, "path:/health"});
    }

    Box box;
    std::unique_ptr<http::Server> server;
    std::vector<std::string> refused;
    int served = 0;
};
INSTANTIATE_TEST_SUITE_P(Isolation, CallersTest, ::testing::Values(IsolationLevel::kStandard, IsolationLevel::kStrict),
                         testing::level_name);

TEST_P(CallersTest, AnIsolatedServerIsRefusedByNameWhateverItTries) {
    for (const char* way : {"plain", "priority", "service", "in-flight"}) {
        refused.clear();
        EXPECT_EQ(call(way), "HTTP/1.1 403 Forbidden") << way;
        EXPECT_EQ(refused, std::vector<std::string>{"the isolated server evil"}) << way;
    }
    EXPECT_EQ(served, 0);
}

TEST_P(CallersTest, NeitherDoesMultipathTcpGetACallThrough) {
    const std::string answer = call("multipath");
    if (answer.find("NOSUPPORT") != std::string::npos || answer.find("NOPROTOOPT") != std::string::npos)
        GTEST_SKIP() << "this kernel has no multipath TCP: " << answer;
    EXPECT_EQ(answer, "HTTP/1.1 403 Forbidden");
    // The accepted connection is not the marked socket itself, but it has its mark.
    EXPECT_EQ(refused.size(), 1u);
    EXPECT_EQ(served, 0);
}

TEST_P(CallersTest, HangingUpAtOnceDoesNotGetACallThrough) {
    // Another server keeps running, so that connections are still checked.
    auto other = box.start({"stay"});
    ASSERT_TRUE(other) << other.error().to_string();
    EXPECT_EQ(call("hang-up"), "done");
    EXPECT_EQ(call("plain"), "HTTP/1.1 403 Forbidden") << "the one before was looked at by now";
    EXPECT_EQ(refused.size(), 2u);
    EXPECT_EQ(served, 0);
    box.loop.run_until_done((*other)->stop());
}

TEST_P(CallersTest, OthersAndServersThatMayAreServed) {
    box.wish().gateway = true;
    EXPECT_EQ(call("plain"), "HTTP/1.1 200 OK");
    box.wish() = {.level = GetParam(), .network = NetworkAccess::kOpen};
    auto running = box.start({"stay"});
    ASSERT_TRUE(running) << running.error().to_string();
    box.wish() = {.level = IsolationLevel::kOff};
    for (const char* way : {"plain", "priority", "service", "in-flight"})
        EXPECT_EQ(call(way), "HTTP/1.1 200 OK") << way;
    box.loop.run_until_done((*running)->stop());
    EXPECT_EQ(refused, std::vector<std::string>());
    EXPECT_EQ(served, 5);
}

TEST_P(CallersTest, AServerReachesEverybodyElse) {
    auto listener = net::TcpListener::listen(box.loop, {}).value();
    EXPECT_EQ(box.say({"connect", "127.0.0.1", std::to_string(listener->port())}), "done");
    auto six = net::TcpListener::listen(box.loop, {.host = "::1"});
    if (six) EXPECT_EQ(box.say({"connect-six", std::to_string((*six)->port())}), "done");
    EXPECT_EQ(box.notes, std::vector<std::string>());
}

}  // namespace
}  // namespace gantry::gateway::sandbox
