// Failures: their kind, server and tool, and whether a retry makes sense.

#include <gtest/gtest.h>

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
        EXPECT_EQ(failure.error().server(), "sh");
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
    EXPECT_FALSE(late.error().fatal());
    EXPECT_EQ(client->call("at once").value().text(), "here");
}

}  // namespace
}  // namespace gantry::testing
