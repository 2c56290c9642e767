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
