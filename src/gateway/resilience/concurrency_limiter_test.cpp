#include "gateway/resilience/concurrency_limiter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

Task<void> go_through(Context ctx, ConcurrencyLimiter& limiter, std::string& log, char name) {
    auto entered = co_await limiter.enter(ctx);
    log += entered ? name : '-';
}

Task<void> turns() {
    for (int i = 0; i < 3; ++i) co_await one_turn();
}

TEST(ConcurrencyLimiter, LetsSoManyInAndTheOthersInTheirOrder) {
    Loop loop;
    ConcurrencyLimiter limiter({.running = 2, .waiting = 10});
    std::string log;
    loop.run_until_done([](ConcurrencyLimiter& limiter, std::string& said) -> Task<void> {
        Scope scope(Context::background());
        for (const char name : {'a', 'b', 'c', 'd'}) scope.spawn(go_through(scope.context(), limiter, said, name));
        co_await turns();
        EXPECT_EQ(said, "ab");
        EXPECT_EQ(limiter.waiting(), 2u);
        limiter.leave();
        co_await turns();
        EXPECT_EQ(said, "abc");
        EXPECT_EQ(limiter.running(), 2u);
        limiter.leave();
        co_await scope.join();
    }(limiter, log));
    EXPECT_EQ(log, "abcd");
    EXPECT_EQ(limiter.waiting(), 0u);
}

TEST(ConcurrencyLimiter, RefusesWhenTooManyWaitAndWhenNoneGetsFree) {
    Loop loop;
    ConcurrencyLimiter limiter({.running = 1, .waiting = 1, .queue_timeout = milliseconds(1)});
    ASSERT_TRUE(limiter.try_enter());
    loop.run_until_done([](ConcurrencyLimiter& limiter) -> Task<void> {
        std::string log;
        Scope scope(Context::background());
        scope.spawn(go_through(scope.context(), limiter, log, 'a'));
        co_await turns();
        const auto full = co_await limiter.enter(Context::background());
        EXPECT_FALSE(full.has_value());
        if (!full) EXPECT_EQ(full.error().code(), ErrorCode::kLimit);
        co_await scope.join();
        EXPECT_EQ(log, "-") << "it waited no longer";
        EXPECT_EQ(limiter.waiting(), 0u);
    }(limiter));
}

TEST(ConcurrencyLimiter, SendsAwayWhoWaitsAndForgetsWhoGaveUp) {
    Loop loop;
    ConcurrencyLimiter limiter({.running = 1, .waiting = 10});
    ASSERT_TRUE(limiter.try_enter());
    loop.run_until_done([](ConcurrencyLimiter& limiter) -> Task<void> {
        std::string log;
        const CancelSource stop;
        Scope scope(Context::background());
        scope.spawn(go_through(scope.context().stopped_by(stop), limiter, log, 'a'));
        scope.spawn(go_through(scope.context(), limiter, log, 'b'));
        co_await turns();
        stop.cancel();
        co_await turns();
        EXPECT_EQ(limiter.waiting(), 1u);
        limiter.send_away();
        co_await scope.join();
        EXPECT_EQ(log, "--");
        limiter.leave();
        EXPECT_TRUE(limiter.try_enter()) << "nothing got lost";
    }(limiter));
}

TEST(ConcurrencyLimiter, MoreRoomLetsMoreInAndNoLimitEverybody) {
    Loop loop;
    ConcurrencyLimiter limiter({.running = 1, .waiting = 10});
    ASSERT_TRUE(limiter.try_enter());
    loop.run_until_done([](ConcurrencyLimiter& limiter) -> Task<void> {
        std::string log;
        Scope scope(Context::background());
        for (const char name : {'a', 'b', 'c'}) scope.spawn(go_through(scope.context(), limiter, log, name));
        co_await turns();
        limiter.configure({.running = 2, .waiting = 10});
        co_await turns();
        EXPECT_EQ(log, "a");
        limiter.configure({.running = 0});
        co_await scope.join();
        EXPECT_EQ(log, "abc");
    }(limiter));
}

}  // namespace
}  // namespace gantry::gateway
