#include "gantry/exceptions.hpp"

#include <gtest/gtest.h>

namespace {

using gantry::ErrorCode;

template <class Expected>
void expect_throws(ErrorCode code) {
    gantry::Result<int> failed = gantry::fail(gantry::Error(code, "why").on_server("s").on_tool("t"));
    try {
        gantry::or_throw(std::move(failed));
        FAIL() << "nothing was thrown";
    } catch (const Expected& caught) {
        EXPECT_EQ(caught.error().code(), code);
        EXPECT_EQ(caught.error().server(), "s");
        EXPECT_EQ(caught.error().tool(), "t");
    }
}

TEST(OrThrow, EachKindOfFailureHasItsClass) {
    expect_throws<gantry::ConnectionError>(ErrorCode::kConnection);
    expect_throws<gantry::ConnectionError>(ErrorCode::kOutcomeUnknown);
    expect_throws<gantry::TimeoutError>(ErrorCode::kTimeout);
    expect_throws<gantry::SchemaError>(ErrorCode::kSchema);
    expect_throws<gantry::AuthorizationError>(ErrorCode::kUnauthorized);
    expect_throws<gantry::AuthorizationError>(ErrorCode::kDenied);
    expect_throws<gantry::ToolError>(ErrorCode::kRpc);
    expect_throws<gantry::Exception>(ErrorCode::kProtocol);
}

/// What or_throw() throws for the error.
template <class Expected>
Expected thrown_for(gantry::Error error) {
    try {
        gantry::or_throw(gantry::Result<int>(gantry::fail(std::move(error).on_server("files").on_tool("read"))));
    } catch (const Expected& caught) {
        return caught;
    }
    throw std::logic_error("nothing was thrown");
}

TEST(OrThrow, EachClassHasTheFieldsOfItsKind) {
    using gantry::Error;
    const auto lost =
        thrown_for<gantry::ConnectionError>(Error(ErrorCode::kConnection, "refused").on_transport("stdio"));
    EXPECT_EQ(lost.server_name(), "files");
    EXPECT_EQ(lost.transport(), "stdio");
    const auto refused = thrown_for<gantry::ToolError>(Error(ErrorCode::kRpc, "no").rpc({.code = -32602}));
    EXPECT_EQ(refused.server_name(), "files");
    EXPECT_EQ(refused.tool_name(), "read");
    ASSERT_NE(refused.rpc_error(), nullptr);
    EXPECT_EQ(refused.rpc_error()->code, -32602);
    const auto late = thrown_for<gantry::TimeoutError>(
        Error(ErrorCode::kTimeout, "too slow").timed_out_after(std::chrono::seconds(30)));
    EXPECT_EQ(late.server_name(), "files");
    EXPECT_EQ(late.timeout(), std::chrono::seconds(30));
    const auto misfit = thrown_for<gantry::SchemaError>(Error(ErrorCode::kSchema, "'age' must be a number"));
    EXPECT_EQ(misfit.server_name(), "files");
    EXPECT_EQ(misfit.tool_name(), "read");
    EXPECT_EQ(misfit.reason(), "'age' must be a number");
}

TEST(OrThrow, AToolThatRanAndFailedThrowsItsText) {
    gantry::mcp::CallToolResult ran;
    ran.is_error = true;
    ran.content.push_back(gantry::mcp::TextContent{.text = "disk full"});
    try {
        gantry::or_throw(gantry::Result<gantry::mcp::CallToolResult>(ran));
        FAIL() << "nothing was thrown";
    } catch (const gantry::ToolError& caught) {
        EXPECT_EQ(caught.error().code(), ErrorCode::kTool);
        EXPECT_EQ(caught.error().message(), "disk full");
    }
}

TEST(OrThrow, AValueComesOutAsItIs) {
    EXPECT_EQ(gantry::or_throw(gantry::Result<int>(7)), 7);
}

}  // namespace
