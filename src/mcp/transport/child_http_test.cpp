#include "mcp/transport/child_http.hpp"

#include <gmock/gmock.h>

#include "mcp/transport/http_sse.hpp"
#include "mcp/transport/streamable_http.hpp"
#include "mcp/transport/testing.hpp"
#include "support/paths.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;
using ::testing::HasSubstr;

/// A child and a transport to it, with the number of its starts.
struct Rig {
    explicit Rig(std::vector<std::string> steps = {"listen", "serve"}) {
        ChildServerConfig config{.command = gantry::test_support::built_path("tests/gantry_port_server"),
                                 .args = std::move(steps),
                                 .path = "/sse"};
        config.prepare = [this](process::Command&) {
            ++starts;
            return Result<void>();
        };
        child = std::make_shared<SharedChild>(std::move(config));
        sse = std::make_unique<ChildHttpTransport>(child, [](http::Client& client, const Url& url) {
            return std::make_unique<HttpSseTransport>(
                HttpSseConfig{.http = {.url = url, .client = &client}, .any_endpoint_host = true});
        });
        streamable = std::make_unique<ChildHttpTransport>(child, [](http::Client& client, const Url& url) {
            return std::make_unique<StreamableHttpTransport>(
                StreamableHttpConfig{.http = {.url = url, .client = &client}});
        });
    }
    int starts = 0;
    std::shared_ptr<SharedChild> child;
    std::unique_ptr<ChildHttpTransport> sse, streamable;
};

Task<std::unique_ptr<Connection>> open(ChildHttpTransport& transport) {
    auto made = co_await transport.connect(watchdog());
    EXPECT_TRUE(made) << (made ? "" : made.error().to_string());
    co_return made ? *std::move(made) : nullptr;
}

/// The pid of the server that announces a message.
Task<std::string> asked(Connection& connection) {
    EXPECT_TRUE(co_await connection.write(watchdog(), notification("who")));
    co_return text_of(co_await connection.read(watchdog()));
}

Task<void> one_child_for_all(Rig& rig) {
    auto one = co_await open(*rig.sse);
    auto two = co_await open(*rig.sse);
    CO_ASSERT(one && two);
    const std::string pid = co_await asked(*one);
    EXPECT_TRUE(pid.starts_with("notification by ")) << pid;
    (void)co_await two->read(watchdog());
    EXPECT_EQ(co_await asked(*two), pid);
    EXPECT_EQ(rig.starts, 1);
    co_await one->close();
    EXPECT_EQ(co_await asked(*two), pid) << "it runs as long as one connection is open";
    co_await two->close();
    auto next = co_await open(*rig.sse);
    CO_ASSERT(next);
    EXPECT_NE(co_await asked(*next), pid) << "the last connection ends it, the next starts it again";
    EXPECT_EQ(rig.starts, 2);
    co_await next->close();
}
TEST(ChildHttp, OneChildServesAllConnectionsFromTheFirstToTheLast) {
    Rig rig;
    Loop().run_until_done(one_child_for_all(rig));
}

Task<void> opened(ChildHttpTransport& transport, std::unique_ptr<Connection>& into) {
    into = co_await open(transport);
}
Task<void> started_once(Rig& rig) {
    std::unique_ptr<Connection> connections[4];
    Scope scope(Context::background());
    for (auto& connection : connections) scope.spawn(opened(*rig.sse, connection));
    co_await scope.join();
    EXPECT_EQ(rig.starts, 1);
    for (auto& connection : connections)
        if (connection) co_await connection->close();
}
TEST(ChildHttp, ConnectionsOpenedAtOnceStartItOnce) {
    Rig rig;
    Loop().run_until_done(started_once(rig));
}

Task<void> ends_everywhere(Rig& rig) {
    auto one = co_await open(*rig.sse);
    auto two = co_await open(*rig.sse);
    // Nothing but the child's exit ends a connection that has no stream of its own.
    auto three = co_await open(*rig.streamable);
    CO_ASSERT(one && two && three);
    EXPECT_TRUE(co_await one->write(watchdog(), notification("die")));
    EXPECT_TRUE(text_of(co_await one->read(watchdog())).starts_with("notification by ")) << "sent before the exit";
    for (Connection* connection : {one.get(), two.get(), three.get()}) {
        auto got = co_await connection->read(watchdog());
        if (got && connection == two.get()) got = co_await connection->read(watchdog());
        const std::string told = text_of(got);
        EXPECT_THAT(told, HasSubstr("fatal connection failed: the server ended (exit code 7); output: "));
        EXPECT_THAT(told, HasSubstr("dying as told"));
        EXPECT_THAT(told, HasSubstr("a last word"));
    }
    auto again = co_await open(*rig.sse);
    CO_ASSERT(again);
    EXPECT_EQ(rig.starts, 2) << "while the connections to the first one are still open";
    for (Connection* connection : {one.get(), two.get(), three.get(), again.get()}) co_await connection->close();
}
TEST(ChildHttp, ItsExitEndsEveryConnectionAndTheNextOneStartsItAgain) {
    Rig rig;
    Loop().run_until_done(ends_everywhere(rig));
}

Task<void> refused(Rig& rig, std::string says) {
    auto made = co_await rig.sse->connect(watchdog());
    EXPECT_FALSE(made);
    if (made) co_return co_await (*made)->close();
    EXPECT_THAT(made.error().to_string(), HasSubstr(says));
}
TEST(ChildHttp, AServerWithoutTheEndpointIsStoppedAgain) {
    // Destroying the loop would fail with a child that is still running.
    Rig rig({"listen", "say:here", "exit:4"});
    Loop().run_until_done(refused(rig, "the server ended (exit code 4)"));
    Rig wrong;
    auto to_other_path = [](http::Client& client, const Url& url) {
        return std::make_unique<HttpSseTransport>(
            HttpSseConfig{.http = {.url = url.resolve("/other").value(), .client = &client}});
    };
    wrong.sse = std::make_unique<ChildHttpTransport>(wrong.child, to_other_path);
    Loop().run_until_done(refused(wrong, "gives no event stream"));
}

Task<void> cancelled(Rig& rig) {
    const CancelSource source;
    std::unique_ptr<Connection> patient;
    Scope scope(Context::background());
    const auto giving_up = [](ChildHttpTransport& transport, CancelToken token) -> Task<void> {
        const auto made = co_await transport.connect(Context(Deadline(), token));
        EXPECT_FALSE(made);
    };
    scope.spawn(giving_up(*rig.sse, source.token()));
    scope.spawn(opened(*rig.sse, patient));
    while (rig.starts == 0) co_await yield_now();
    source.cancel();
    co_await scope.join();
    CO_ASSERT(patient);
    EXPECT_EQ(rig.starts, 2) << "the task that starts it may give up without harm to the others";
    co_await patient->close();
}
TEST(ChildHttp, AStartThatIsGivenUpIsRepeatedForThoseWhoWait) {
    Rig rig;
    Loop().run_until_done(cancelled(rig));
}

}  // namespace
}  // namespace gantry::mcp
