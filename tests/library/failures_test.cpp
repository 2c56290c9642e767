// Failures: their kind, server and tool, and whether a retry makes sense.

#include <gtest/gtest.h>

#include <deque>
#include <latch>
#include <semaphore>

#include "gantry/exceptions.hpp"
#include "library/tool_server.hpp"
#include "support/child.hpp"

namespace gantry::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Failures, ARefusedConnectionIsAConnectionErrorOfConnectThatNamesTheServer) {
    ConnectOptions options{.server = HttpServer{.url = "http://127.0.0.1:" + std::to_string(free_port()) + "/mcp"}};
    const auto client = connect(options);
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code(), ErrorCode::kConnection) << client.error().to_string();
    EXPECT_TRUE(client.error().retryable());
    EXPECT_TRUE(client.error().server().starts_with("127.0.0.1:")) << client.error().server();
    EXPECT_EQ(client.error().transport(), "streamable-http");
    EXPECT_THROW(or_throw(connect(options)), ConnectionError);
}

TEST(Failures, AServerThatEndsInsteadOfAnsweringIsAConnectionErrorWithItsLastWords) {
    const ConnectOptions options{
        .server = StdioServer{.command = "sh", .args = {"-c", "read line; echo 'no licence found' >&2; exit 3"}},
        .era = Era::kLegacy};
    try {
        or_throw(connect(options));
        FAIL() << "connected";
    } catch (const ConnectionError& failure) {
        const std::string why = failure.what();
        EXPECT_NE(why.find("no licence found"), std::string::npos) << why;
        EXPECT_NE(why.find("exit code 3"), std::string::npos) << why;
        EXPECT_EQ(failure.server_name(), "sh");
        EXPECT_EQ(failure.transport(), "stdio");
        EXPECT_EQ(failure.error().code(), ErrorCode::kConnection) << why;
    }
}

TEST(Failures, AnUnknownToolIsTheServersOwnErrorWithServerAndTool) {
    ToolServer server({{"tools/call", [](const Json&) {
                            return ToolServer::Reply{
                                .error = R"({"code":-32602,"message":"Unknown tool","data":{"known":["a"]}})"};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("none");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kRpc) << result.error().to_string();
    ASSERT_NE(result.error().rpc(), nullptr);
    EXPECT_EQ(result.error().rpc()->code, -32602);
    EXPECT_EQ(result.error().rpc()->message, "Unknown tool");
    EXPECT_EQ(result.error().rpc()->data, R"({"known":["a"]})");
    EXPECT_EQ(result.error().server(), "the server");
    EXPECT_EQ(result.error().tool(), "none");
    EXPECT_FALSE(result.error().fatal());
    EXPECT_FALSE(result.error().retryable());
    EXPECT_THROW(or_throw(client->call("none")), ToolError);
}

TEST(Failures, AnErrorWithoutAMessageHasADefaultText) {
    for (const std::string error :
         {R"({"code":-32603})", R"({"code":-32603,"message":null})", R"({"code":-32603,"message":""})"}) {
        ToolServer server({{"tools/call", [error](const Json&) { return ToolServer::Reply{.error = error}; }}});
        auto client = connect(server.options());
        ASSERT_TRUE(client) << client.error().to_string();
        const auto result = client->call("silent");
        ASSERT_FALSE(result) << error;
        EXPECT_EQ(result.error().code(), ErrorCode::kRpc) << result.error().to_string();
        EXPECT_TRUE(result.error().message().ends_with("-32603: internal error")) << result.error().message();
        ASSERT_NE(result.error().rpc(), nullptr);
        EXPECT_EQ(result.error().rpc()->message, "internal error");
    }
}

TEST(Failures, TheTimeoutOfTheConnectionLimitsEachCallThatHasNoneOfItsOwn) {
    const Watchdog watchdog("timeout of each call", seconds(600));
    std::binary_semaphore release(0);
    ToolServer server({{"tools/call", [&release](const Json& params) {
                            if (params.string_at("name") == "never") release.acquire();
                            return ToolServer::Reply{.result = text_result("here")};
                        }}});
    ConnectOptions options = server.options();
    options.call_timeout = milliseconds(200);
    auto client = connect(options);
    ASSERT_TRUE(client) << client.error().to_string();
    for (int i = 0; i < 2; ++i) {
        const auto late = client->call("never");
        release.release();
        ASSERT_FALSE(late);
        EXPECT_EQ(late.error().code(), ErrorCode::kTimeout) << late.error().to_string();
        EXPECT_EQ(client->call("at once", {}, {.timeout = seconds(60)}).value().text(), "here");
    }
}

TEST(Failures, AToolThatRanAndFailedIsAValueAndThrowsOnlyForThoseWhoWantIt) {
    ToolServer server({{"tools/call", [](const Json&) {
                            return ToolServer::Reply{
                                .result = R"({"content":[{"type":"text","text":"disk full"}],"isError":true})"};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("save");
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_TRUE(result->is_error);
    EXPECT_EQ(result->text(), "disk full");
    EXPECT_THROW(or_throw(client->call("save")), ToolError);
}

TEST(Failures, ArgumentsThatDoNotFitNameThePlaceAndNotTheValueAndAreNotSent) {
    ToolServer server({{"tools/list", [](const Json&) {
                            return ToolServer::Reply{.result =
                                                         R"({"tools":[{"name":"t","inputSchema":{"type":"object",)"
                                                         R"("properties":{"age":{"type":"integer"}}}}]})"};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools().value();
    const auto result = tools.at(0).call({{"age", "very secret"}});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kSchema) << result.error().to_string();
    EXPECT_NE(result.error().to_string().find("age"), std::string::npos) << result.error().to_string();
    EXPECT_EQ(result.error().to_string().find("very secret"), std::string::npos);
    EXPECT_EQ(result.error().tool(), "t");
    EXPECT_EQ(server.count("tools/call"), 0);
    EXPECT_THROW(or_throw(tools.at(0).call({{"age", "x"}})), SchemaError);
}

TEST(Failures, ATimeoutIsAnErrorValueAndTheConnectionLives) {
    const Watchdog watchdog("timeout", seconds(600));
    std::binary_semaphore release(0);
    ToolServer server({{"tools/call", [&release](const Json& params) {
                            if (params.string_at("name") == "never") release.acquire();
                            return ToolServer::Reply{.result = text_result("here")};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto late = client->call("never", {}, {.timeout = milliseconds(200)});
    release.release();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout) << late.error().to_string();
    EXPECT_EQ(late.error().tool(), "never");
    EXPECT_EQ(late.error().server(), "the server");
    EXPECT_EQ(late.error().timeout(), milliseconds(200));
    EXPECT_FALSE(late.error().fatal());
    EXPECT_EQ(client->call("at once").value().text(), "here");
}

TEST(Failures, ATimeoutNamesTheLimitThatWasExceeded) {
    const Watchdog watchdog("limits", seconds(600));
    std::latch release(1);
    ToolServer server({{"tools/call", [&release](const Json&) {
                            release.wait();
                            return ToolServer::Reply{.result = text_result("here")};
                        }}});
    ConnectOptions capped = server.options();
    capped.call_cap = milliseconds(150);
    auto first = connect(capped);
    ConnectOptions limited = server.options();
    limited.total_timeout = seconds(2);
    auto second = connect(limited);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->call("never").error().timeout(), milliseconds(150)) << "the cap";
    const auto late = second->call("never");
    EXPECT_EQ(late.error().code(), ErrorCode::kTimeout) << late.error().to_string();
    EXPECT_EQ(late.error().timeout(), seconds(2)) << "the client's own";
    release.count_down();

    RawServer silent([](RawServer& self, int socket) { self.hold(socket); });
    const auto never =
        connect({.server = HttpServer{.url = silent.url()}, .era = Era::kLegacy, .connect_timeout = milliseconds(100)});
    ASSERT_FALSE(never);
    EXPECT_EQ(never.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(never.error().timeout(), milliseconds(100));
    EXPECT_EQ(never.error().transport(), "") << "of connection errors only";
}

/// Speaks HTTP+SSE only, and ends the stream when a tool is called.
class SseServer {
public:
    std::string url() const { return server_.url(); }

private:
    void serve(int socket) {
        const std::string request = RawServer::read_request(socket);
        if (request.starts_with("GET")) {
            RawServer::send(socket,
                            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                            "event: endpoint\ndata: /messages\n\n");
            // One answer for each message that has one, until there is none.
            while (const auto answer = next()) RawServer::send(socket, "data: " + *answer + "\n\n");
        } else if (!request.starts_with("POST /messages")) {
            RawServer::send(socket, "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n");
        } else {
            RawServer::send(socket, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            const std::string answer = handshake_response(request);
            const auto body = answer.find("\r\n\r\n");
            if (answer.starts_with("HTTP/1.1 202")) return;
            const std::lock_guard lock(mutex_);
            answers_.push_back(answer.empty() ? "" : answer.substr(body + 4));
            changed_.notify_all();
        }
    }
    std::optional<std::string> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !answers_.empty(); });
        std::string answer = std::move(answers_.front());
        answers_.pop_front();
        return answer.empty() ? std::nullopt : std::optional(std::move(answer));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> answers_;
    RawServer server_{[this](RawServer&, int socket) { serve(socket); }};  // last, because its threads use the others
};

TEST(Failures, ALostConnectionNamesTheTransportThatWasInUse) {
    const Watchdog watchdog("transports", seconds(600));
    SseServer server;
    ConnectOptions options{.server = HttpServer{.url = server.url()}, .era = Era::kLegacy};
    options.reconnect_retries = 0;
    auto client = connect(options);
    ASSERT_TRUE(client) << client.error().to_string();
    const auto lost = client->call("t");
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error().code(), ErrorCode::kOutcomeUnknown) << lost.error().to_string();
    EXPECT_EQ(lost.error().transport(), "sse") << "found out, not configured";

    const auto refused =
        connect({.server = HttpServer{.url = "http://127.0.0.1:" + std::to_string(free_port()) + "/sse",
                                      .transport = HttpServer::Transport::kSse}});
    EXPECT_EQ(refused.error().transport(), "sse");
}

}  // namespace
}  // namespace gantry::testing
