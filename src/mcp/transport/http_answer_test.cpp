#include "mcp/transport/http_answer.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

TEST(HttpAnswer, ReadsMediaTypesWithoutCaseParametersAndBlanks) {
    EXPECT_EQ(media_type("Application/JSON; charset=utf-8"), "application/json");
    EXPECT_EQ(media_type(" text/event-stream\t"), "text/event-stream");
    EXPECT_EQ(media_type("application/jsonp"), "application/jsonp");
    EXPECT_EQ(media_type(""), "");
    EXPECT_EQ(media_type(" ;x"), "");
}

TEST(HttpAnswer, FindsTheErrorInABodyWhateverIdItClaims) {
    for (const std::string_view id : {R"("id":1,)", R"("id":null,)", R"("id":"server-error",)", ""}) {
        const auto error = rpc_error_in(R"({"jsonrpc":"2.0",)" + std::string(id) +
                                        R"("error":{"code":-32022,"message":"no","data":{"supported":["x"]}}})");
        ASSERT_TRUE(error) << id;
        EXPECT_EQ(error->code, -32022);
        EXPECT_EQ(error->message, "no");
        EXPECT_EQ(error->data, R"({"supported":["x"]})");
    }
    EXPECT_TRUE(rpc_error_in(R"({"error":{"code":-32000,"message":"no session"}})"));
}

TEST(HttpAnswer, FindsNoErrorInOtherBodies) {
    for (const std::string_view body : {"", "  ", "<html>", "{}", R"({"error":"invalid_token"})",
                                        R"({"error":{"code":"x"}})", R"({"jsonrpc":"2.0","id":1,"result":{}})"}) {
        EXPECT_FALSE(rpc_error_in(body)) << body;
    }
}

TEST(HttpAnswer, NeverCallsAServerFailureSafeToRepeat) {
    EXPECT_FALSE(Error(code_for_status(500), "").retryable());
    EXPECT_FALSE(Error(code_for_status(502), "").retryable());
    EXPECT_TRUE(Error(code_for_status(503), "").retryable());
    EXPECT_EQ(code_for_status(401), ErrorCode::kUnauthorized);
    EXPECT_EQ(code_for_status(403), ErrorCode::kDenied);
}

}  // namespace
}  // namespace gantry::mcp
