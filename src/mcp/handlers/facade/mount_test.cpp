#include "gantry/mount.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "gantry/server.hpp"

namespace gantry {
namespace {

using testing::HasSubstr;

constexpr auto kNow = std::chrono::milliseconds(0);

/// A request of a modern client.
MountRequest modern(const std::string& method, const std::string& params) {
    const Json read = *Json::parse("{" + params + "}");
    MountRequest request{.method = "POST"};
    request.headers = {{"Host", "localhost:80"},
                       {"content-type", "application/json"},
                       {"Accept", "application/json, text/event-stream"},
                       {"MCP-Protocol-Version", "2026-07-28"},
                       {"Mcp-Method", method}};
    if (const auto name = read.string_at("name"); !name.empty()) request.headers.emplace_back("Mcp-Name", name);
    request.body = R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                   R"(","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                   R"("io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"},)" +
                   params + "}}";
    return request;
}

MountRequest call(const std::string& tool) {
    return modern("tools/call", R"("name":")" + tool + R"(","arguments":{})");
}

/// The rest of the body; for one that breaks off, also the error.
std::string rest_of(MountResponse& response) {
    std::string all;
    for (;;) {
        auto piece = response.read();
        if (!piece) return all + "<" + piece.error().to_string() + ">";
        if (!*piece) return all;
        all += **piece;
    }
}

/// Waits until the response contains `text`.
std::string read_until(MountResponse& response, const std::string& text) {
    std::string all;
    while (!all.contains(text)) {
        auto piece = response.read();
        if (!piece || !*piece) return all + "<the end>";
        all += **piece;
    }
    return all;
}

TEST(MountedServer, AnswersRequestsThatItIsHanded) {
    Server server("test", "1");
    ASSERT_TRUE(server.add_tool("hello", "Greets", []() -> Result<std::string> { return "hi there"; }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount) << mount.error().to_string();
    EXPECT_EQ(server.url(), "") << "it opens no port";
    auto response = mount->handle(call("hello"));
    ASSERT_TRUE(response) << response.error().to_string();
    EXPECT_EQ(response->status(), 200);
    EXPECT_THAT(response->headers(), testing::Contains(testing::Pair("Content-Type", "application/json")));
    const std::string body = rest_of(*response);
    EXPECT_EQ(response->length(), body.size());
    EXPECT_THAT(body, HasSubstr("hi there"));
    EXPECT_FALSE(server.serve_http()) << "a server serves once";
}

TEST(MountedServer, AStreamIsReadWhileTheToolRuns) {
    Server server("test", "1");
    std::latch go_on(1);
    ASSERT_TRUE(server.add_tool("slow", "Takes long", [&](ServedCall& served) -> Result<std::string> {
        served.progress(1, 2, "half");
        go_on.wait();
        return "done";
    }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    auto response = mount->handle(call("slow"));
    ASSERT_TRUE(response) << response.error().to_string();
    EXPECT_FALSE(response->length());
    EXPECT_THAT(response->headers(), testing::Contains(testing::Pair("Content-Type", "text/event-stream")));
    EXPECT_THAT(read_until(*response, "\n\n"), HasSubstr("half"));
    EXPECT_EQ(response->read(kNow).error().code(), ErrorCode::kTimeout) << "the tool still runs";
    go_on.count_down();
    EXPECT_THAT(rest_of(*response), HasSubstr("done"));
}

TEST(MountedServer, DroppingTheResponseOfAModernClientCancelsItsCall) {
    Server server("test", "1");
    std::latch cancelled(1);
    ASSERT_TRUE(server.add_tool("wait", "Waits to be cancelled", [&](ServedCall& served) -> Result<std::string> {
        served.progress(1);
        while (!served.cancelled()) std::this_thread::yield();
        cancelled.count_down();
        return "late";
    }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    {
        auto response = mount->handle(call("wait"));
        ASSERT_TRUE(response) << response.error().to_string();
    }
    cancelled.wait();
}

TEST(MountedServer, AClientThatIsGoneEndsEveryWaitForIt) {
    Server server("test", "1");
    std::latch entered(1);
    std::latch cancelled(1);
    ASSERT_TRUE(server.add_tool("wait", "Waits to be cancelled", [&](ServedCall& served) -> Result<std::string> {
        entered.count_down();
        while (!served.cancelled()) std::this_thread::yield();
        cancelled.count_down();
        return "late";
    }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    std::stop_source client;
    std::jthread leaves([&] {
        entered.wait();
        client.request_stop();
    });
    MountRequest request = call("wait");
    request.client_gone = client.get_token();
    const auto response = mount->handle(std::move(request));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), ErrorCode::kCancelled);
    cancelled.wait();

    request = call("wait");
    request.client_gone = client.get_token();
    EXPECT_EQ(mount->handle(std::move(request)).error().code(), ErrorCode::kCancelled)
        << "gone before it was handed on";
}

TEST(MountedServer, LargeResultsComeInPiecesAndWhole) {
    Server server("test", "1");
    const std::string large(3u << 20, 'x');
    ASSERT_TRUE(server.add_tool("large", "Says much", [&]() -> Result<std::string> { return large; }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    auto response = mount->handle(call("large"));
    ASSERT_TRUE(response);
    const auto first = response->read();
    ASSERT_TRUE(first && *first);
    EXPECT_LE((*first)->size(), 64u << 10) << "what is unread is bounded";
    const std::string body = **first + rest_of(*response);
    EXPECT_EQ(response->length(), body.size());
    EXPECT_TRUE(body.contains(large));
}

TEST(MountedServer, RefusesWhatTheListenerWouldRefuse) {
    Server server("test", "1");
    const auto mount = server.mount({.allowed_hosts = {"tools.example"}, .max_body_bytes = 1000});
    ASSERT_TRUE(mount);
    const auto status = [&](MountRequest request) { return mount->handle(std::move(request))->status(); };
    MountRequest request = modern("tools/list", R"("x":1)");
    EXPECT_EQ(status(request), 200);
    request.headers[0].second = "evil.example";
    EXPECT_EQ(status(request), 403) << "DNS rebinding";
    request.headers[0].second = "tools.example";
    EXPECT_EQ(status(request), 200);
    request.headers.emplace_back("Origin", "https://evil.example");
    EXPECT_EQ(status(request), 403);
    request.headers.back() = {"X-Folded", "a\r\nInjected: b"};
    EXPECT_EQ(status(request), 400);
    request.headers.back() = {"X-Large", std::string(100'000, 'x')};
    EXPECT_EQ(status(request), 431);
    request.headers.pop_back();
    request.body.resize(1001, ' ');
    EXPECT_EQ(status(request), 413);
    request = modern("tools/list", R"("x":1)");
    request.method = "PUT";
    EXPECT_EQ(status(request), 405);
}

TEST(MountedServer, IsEnteredByManyThreads) {
    Server server("test", "1");
    ASSERT_TRUE(server.add_tool("hello", "Greets", []() -> Result<std::string> { return "hi there"; }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    std::atomic<int> right = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 25; ++n) {
                auto response = mount->handle(call("hello"));
                if (response && rest_of(*response).contains("hi there")) ++right;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(right, 200);
}

TEST(MountedServer, OutlivesItsServerAndAnswers503) {
    auto server = std::make_unique<Server>("test", "1");
    const auto mount = server->mount();
    ASSERT_TRUE(mount);
    server.reset();
    auto response = mount->handle(call("hello"));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status(), 503);
    EXPECT_EQ(rest_of(*response), "this server has stopped\n");
}

TEST(MountedServer, StopsAlthoughResponsesAreNotRead) {
    Server server("test", "1");
    const std::string large(3u << 20, 'x');
    ASSERT_TRUE(server.add_tool("large", "Says much", [&]() -> Result<std::string> { return large; }));
    const auto mount = server.mount();
    ASSERT_TRUE(mount);
    auto response = mount->handle(call("large"));
    ASSERT_TRUE(response);
    server.stop(kNow);
    server.wait();
    const std::string rest = rest_of(*response);
    EXPECT_EQ(rest.substr(rest.rfind('<')), "<connection failed: the response broke off>");
}

}  // namespace
}  // namespace gantry
