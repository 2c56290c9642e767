#include "gateway/sandbox/proxy.hpp"

#include <gmock/gmock.h>

#include "gateway/sandbox/test_box.hpp"
#include "io/net/tcp_test_support.hpp"
#include "io/scope.hpp"

namespace gantry::gateway::sandbox {
namespace {

using testing::Box;
using ::testing::HasSubstr;

TEST(AllowList, NamesHostsSuffixesAndPorts) {
    const AllowList list({"example.com", "*.Example.org", "other.com:8443", "[::1]:80", "10.0.0.7:9000"});
    for (const auto& [host, port] : {std::pair("example.com", 443), std::pair("example.com", 80),
                                     std::pair("a.example.org", 443), std::pair("b.a.example.org", 443),
                                     std::pair("other.com", 8443), std::pair("::1", 80), std::pair("10.0.0.7", 9000)})
        EXPECT_TRUE(list.allows(host, static_cast<std::uint16_t>(port))) << host << port;
    for (const auto& [host, port] :
         {std::pair("example.com", 22), std::pair("a.example.com", 443), std::pair("example.org", 443),
          std::pair("evilexample.org", 443), std::pair("other.com", 443), std::pair("example.com.evil.net", 443),
          std::pair("10.0.0.7", 80)})
        EXPECT_FALSE(list.allows(host, static_cast<std::uint16_t>(port))) << host << port;
}

Task<Result<std::vector<net::Endpoint>>> always_loopback(const Context&, std::string, std::uint16_t port) {
    co_return std::vector<net::Endpoint>{{.address = "127.0.0.1", .port = port}};
}

Task<Result<std::vector<net::Endpoint>>> lead(const AllowList& list, std::string url) {
    const Url parsed = Url::parse(url).value();
    co_return co_await list.resolve(Context::background(), parsed);
}

TEST(AllowList, ANameThatLeadsInsideIsRefusedAndAnAddressThatIsListedIsMeant) {
    Loop loop;
    const AllowList list({"rebound.example", "127.0.0.1", "localhost"}, always_loopback);
    const auto refused = loop.run_until_done(lead(list, "http://rebound.example/"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kDenied);
    EXPECT_TRUE(loop.run_until_done(lead(list, "http://127.0.0.1/")));
    EXPECT_TRUE(loop.run_until_done(lead(list, "http://localhost/")));
}

/// A host on loopback that answers every client.
Task<void> answer_all(Context ctx, net::TcpListener* listener) {
    for (;;) {
        auto stream = co_await listener->accept(ctx);
        if (!stream) co_return;
        (void)co_await net::testing::read_to_end(ctx, stream->get());
        (void)co_await (*stream)->write(ctx, "served");
        (void)co_await (*stream)->shutdown_write(ctx);
    }
}

class ListedNetwork : public ::testing::TestWithParam<IsolationLevel> {
protected:
    void SetUp() override {
        if (!kernel().network.available) GTEST_SKIP() << kernel().network.why;
        if (!kernel().namespaces.available) GTEST_SKIP() << kernel().namespaces.why;
        listener = net::TcpListener::listen(box.loop, {}).value();
        port = std::to_string(listener->port());
        box.wish().level = GetParam();
        box.wish().network = NetworkAccess::kListed;
        box.wish().hosts = {"127.0.0.1:" + port, "*.good.example"};
    }
    std::string say(std::vector<std::string> args) {
        Scope scope(Context::background());
        std::string answer;
        box.loop.run_until_done(during(scope, std::move(args), answer));
        return answer;
    }
    Task<void> during(Scope& scope, std::vector<std::string> args, std::string& answer) {
        scope.spawn(answer_all(scope.context(), listener.get()));
        auto command = box.command(std::move(args));
        EXPECT_TRUE(command) << command.error().to_string();
        auto process = co_await process::Process::start(testing::watchdog(), *std::move(command));
        EXPECT_TRUE(process) << process.error().to_string();
        if (process) answer = co_await testing::read_to_end((*process)->stdio());
        if (process) (void)co_await (*process)->wait(testing::watchdog());
        scope.cancel();
        co_await scope.join();
    }
    Box box;
    std::unique_ptr<net::TcpListener> listener;
    std::string port;
};

INSTANTIATE_TEST_SUITE_P(Isolation, ListedNetwork,
                         ::testing::Values(IsolationLevel::kStandard, IsolationLevel::kStrict), testing::level_name);

TEST_P(ListedNetwork, LeadsThroughTheProxyToWhatIsListed) {
    EXPECT_THAT(say({"proxy", "CONNECT 127.0.0.1:" + port + " HTTP/1.1"}),
                HasSubstr("200 Connection established    served"));
    EXPECT_THAT(say({"proxy", "GET http://127.0.0.1:" + port + "/ HTTP/1.1"}), HasSubstr("served"));
}

TEST_P(ListedNetwork, ReachesNothingElseThroughTheProxyAndTheOperatorIsTold) {
    EXPECT_THAT(say({"proxy", "CONNECT evil.example:443 HTTP/1.1"}), HasSubstr("403 Forbidden"));
    EXPECT_THAT(say({"proxy", "CONNECT 127.0.0.1:1 HTTP/1.1"}), HasSubstr("403 Forbidden"));
    ASSERT_EQ(box.notes.size(), 2u);
    EXPECT_EQ(box.notes.front(), "may not reach evil.example:443; add it to isolation.network if it should");
}

TEST_P(ListedNetwork, AProgramThatIgnoresTheProxyHasNoNetwork) {
    EXPECT_EQ(say({"connect", "127.0.0.1", port}), "refused: ECONNREFUSED\n");
    EXPECT_EQ(say({"connect", "192.0.2.1", "80"}), "refused: ENETUNREACH\n");
}

}  // namespace
}  // namespace gantry::gateway::sandbox
