#include "gantry/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/try.hpp"

namespace gantry {
namespace {

TEST(ErrorCode, EveryCodeHasItsOwnName) {
    std::set<std::string_view> names;
    const int count = static_cast<int>(ErrorCode::kInternal) + 1;
    for (int code = 0; code < count; ++code) names.insert(to_string(static_cast<ErrorCode>(code)));
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(to_string(ErrorCode::kTimeout), "timeout");
}

TEST(Error, OnlyRequestsThatDidNotRunAreRetryableByNature) {
    EXPECT_TRUE(Error(ErrorCode::kConnection, "x").retryable());
    EXPECT_FALSE(Error(ErrorCode::kLimit, "x").retryable()) << "it may be the answer that was too large";
    EXPECT_FALSE(Error(ErrorCode::kOutcomeUnknown, "x").retryable());
    EXPECT_FALSE(Error(ErrorCode::kTimeout, "x").retryable());
    EXPECT_FALSE(Error(ErrorCode::kConnection, "x").retryable(false).retryable());
    EXPECT_TRUE(Error(ErrorCode::kTimeout, "x").retryable(true).retryable());
}

TEST(Error, WithinKeepsEverythingButTheMessage) {
    const Error inner = Error(ErrorCode::kRpc, "refused")
                            .rpc({.code = -32602, .message = "bad", .data = "{}"})
                            .fatal(true)
                            .retryable(true)
                            .on_server("files")
                            .on_tool("read")
                            .on_transport("stdio")
                            .timed_out_after(std::chrono::seconds(2))
                            .caused_by(Error(ErrorCode::kParse, "odd"));
    const Error outer = inner.within("calling");
    EXPECT_EQ(outer.message(), "calling: refused");
    EXPECT_EQ(outer.code(), ErrorCode::kRpc);
    EXPECT_TRUE(outer.fatal());
    EXPECT_TRUE(outer.retryable());
    EXPECT_EQ(outer.server(), "files");
    EXPECT_EQ(outer.tool(), "read");
    EXPECT_EQ(outer.transport(), "stdio");
    EXPECT_EQ(outer.timeout(), std::chrono::seconds(2));
    ASSERT_TRUE(outer.rpc());
    EXPECT_EQ(outer.rpc()->code, -32602);
    EXPECT_EQ(outer.rpc()->data, "{}");
    ASSERT_TRUE(outer.cause());
    EXPECT_EQ(outer.cause()->message(), "odd");
    EXPECT_EQ(inner.message(), "refused");
}

TEST(Error, TheInnermostTimeoutIsTheOneThatCounts) {
    EXPECT_FALSE(Error(ErrorCode::kTimeout, "x").timeout());
    EXPECT_EQ(Error(ErrorCode::kTimeout, "x").transport(), "");
    const Error late = Error(ErrorCode::kTimeout, "x")
                           .timed_out_after(std::chrono::milliseconds(5))
                           .timed_out_after(std::chrono::hours(1));
    EXPECT_EQ(late.timeout(), std::chrono::milliseconds(5));
}

TEST(Error, TextNamesTheCodeAndTheWholeChain) {
    const std::string text =
        Error(ErrorCode::kTimeout, "too slow")
            .caused_by(Error(ErrorCode::kConnection, "reset").caused_by(Error(ErrorCode::kInternal, "deep")))
            .to_string();
    EXPECT_TRUE(text.starts_with("timeout: too slow")) << text;
    EXPECT_NE(text.find("reset"), std::string::npos) << text;
    EXPECT_NE(text.find("deep"), std::string::npos) << text;
}

Result<int> half(int n) {
    if (n % 2) return fail(ErrorCode::kInvalidArgument, "odd");
    return n / 2;
}
Result<void> even(int n) {
    GANTRY_CHECK(half(n));
    return {};
}
Result<int> quarter(int n) {
    GANTRY_TRY(const int once, half(n));
    GANTRY_TRY(const int twice, half(once));
    return twice;
}

TEST(Try, UnwrapsValuesAndPassesErrorsOn) {
    EXPECT_EQ(quarter(12).value(), 3);
    EXPECT_EQ(quarter(6).error().message(), "odd");
    EXPECT_TRUE(even(2));
    EXPECT_EQ(even(3).error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gantry
