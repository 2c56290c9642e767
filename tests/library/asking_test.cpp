// Requests of a server to the program during a call.

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "library/tool_server.hpp"
#include "support/child.hpp"

namespace gantry::testing {
namespace {

using std::chrono::seconds;

const std::string kQuestion = R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?",)"
                              R"("requestedSchema":{"type":"object","properties":{"name":{"type":"string"},)"
                              R"("polite":{"type":"boolean","default":true}},"required":["name"]}}})";

/// A tool "greet" that sends a request first, and others that do not.
ToolServer::Reply greet(const Json& params) {
    if (params.string_at("name") != "greet") return {.result = text_result("other")};
    return {.result = text_result("hello"), .before = {kQuestion}, .asks = true};
}

Result<mcp::ElicitResult> ada() {
    mcp::ElicitResult result;
    result.action = mcp::ElicitAction::kAccept;
    result.content = JsonObject{{"name", "Ada"}};
    return result;
}

TEST(Asking, AHandlerAnswersWithDefaultsFilledIn) {
    const Watchdog watchdog("elicit", seconds(600));
    ToolServer server({{"tools/call", greet}});
    ConnectOptions options = server.options();
    std::string asked;
    options.handlers.elicit = [&asked](const mcp::ElicitParams& params) {
        asked = params.message;
        return ada();
    };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_EQ(client->call("greet").value().text(), "hello");
    EXPECT_EQ(asked, "Who?");
    EXPECT_EQ(server.count(R"(answer {"jsonrpc":"2.0","id":"q","result":{"action":"accept",)"
                           R"("content":{"name":"Ada","polite":true}}})"),
              1)
        << ::testing::PrintToString(server.seen());
}

TEST(Asking, AHandlerMayBlockAndUseTheClientWhileOtherCallsGoOn) {
    const Watchdog watchdog("blocking handler", seconds(600));
    ToolServer server({{"tools/call", greet}});
    std::promise<void> release;
    std::atomic<bool> asked = false;
    Client* inside = nullptr;
    std::string heard_inside;
    ConnectOptions options = server.options();
    options.handlers.elicit = [&](const mcp::ElicitParams&) {
        heard_inside = inside->call("other").value().text();
        asked = true;
        release.get_future().wait();
        return ada();
    };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    inside = &*client;
    auto greeting = client->call_async("greet");
    ASSERT_TRUE(eventually([&] { return asked.load(); }));
    EXPECT_FALSE(greeting.ready());
    EXPECT_EQ(client->call("other").value().text(), "other");
    release.set_value();
    EXPECT_EQ(greeting.get().value().text(), "hello");
    EXPECT_EQ(heard_inside, "other");
}

TEST(Asking, ManyThreadsShareOneClient) {
    const Watchdog watchdog("threads", seconds(600));
    ToolServer server({{"tools/call", greet}});
    ConnectOptions options = server.options();
    options.handlers.elicit = [](const mcp::ElicitParams&) { return ada(); };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    std::atomic<int> fine = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&client, &fine, i] {
                for (int n = 0; n < 4; ++n) {
                    const bool asks = (i + n) % 2 == 0;
                    const auto result = client->call(asks ? "greet" : "other");
                    if (result && result->text() == (asks ? "hello" : "other")) ++fine;
                    (void)client->state();
                    (void)client->server().info.name;
                }
            });
        }
    }
    EXPECT_EQ(fine, 32);
}

}  // namespace
}  // namespace gantry::testing
