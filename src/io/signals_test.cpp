#include "io/signals.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry {
namespace {

constexpr std::array kUser = {SIGUSR1, SIGUSR2};

Task<void> wait_into(Context ctx, std::optional<Result<int>>& into) {
    into = co_await wait_for_signal(ctx, kUser);
}

Task<std::optional<Result<int>>> raise_while_waiting() {
    std::optional<Result<int>> got;
    Scope scope(Context::background());
    scope.spawn(wait_into(scope.context(), got));
    co_await yield_now();
    co_await yield_now();
    ::raise(SIGUSR2);
    co_await scope.join();
    co_return got;
}

TEST(SignalsTest, SaysWhichSignalCame) {
    Loop loop;
    const auto got = loop.run_until_done(raise_while_waiting());
    ASSERT_TRUE(got.has_value());
    ASSERT_TRUE(got->has_value());
    EXPECT_EQ(**got, SIGUSR2);
}

TEST(SignalsTest, EndsWithItsContext) {
    Loop loop;
    const auto got = loop.run_until_done(wait_for_signal(Context::background().within(milliseconds(1)), kUser));
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().code(), ErrorCode::kTimeout);
}

}  // namespace
}  // namespace gantry
