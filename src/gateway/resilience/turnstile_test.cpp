#include "gateway/resilience/turnstile.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway {
namespace {

Task<void> go_through(Context ctx, Turnstile& turnstile, std::string& log, char name) {
    auto entered = co_await turnstile.enter(ctx);
    log += entered ? name : '-';
}

Task<void> turns() {
    for (int i = 0; i < 3; ++i) co_await one_turn();
}

TEST(Turnstile, LetsSoManyInAndTheOthersInTheirOrder) {
    Loop loop;
    Turnstile turnstile({.running = 2, .waiting = 10});
    std::string log;
    loop.run_until_done([](Turnstile& stile, std::string& said) -> Task<void> {
        Scope scope(Context::background());
        for (const char name : {'a', 'b', 'c', 'd'}) scope.spawn(go_through(scope.context(), stile, said, name));
        co_await turns();
        EXPECT_EQ(said, "ab");
        EXPECT_EQ(stile.waiting(), 2u);
        stile.leave();
        co_await turns();
        EXPECT_EQ(said, "abc");
        EXPECT_EQ(stile.running(), 2u);
        stile.leave();
        co_await scope.join();
    }(turnstile, log));
    EXPECT_EQ(log, "abcd");
    EXPECT_EQ(turnstile.waiting(), 0u);
}

TEST(Turnstile, RefusesWhenTooManyWaitAndWhenNoneGetsFree) {
    Loop loop;
    Turnstile turnstile({.running = 1, .waiting = 1, .patience = milliseconds(1)});
    ASSERT_TRUE(turnstile.try_enter());
    loop.run_until_done([](Turnstile& stile) -> Task<void> {
        std::string log;
        Scope scope(Context::background());
        scope.spawn(go_through(scope.context(), stile, log, 'a'));
        co_await turns();
        const auto full = co_await stile.enter(Context::background());
        EXPECT_FALSE(full.has_value());
        if (!full) EXPECT_EQ(full.error().code(), ErrorCode::kLimit);
        co_await scope.join();
        EXPECT_EQ(log, "-") << "its patience was over";
        EXPECT_EQ(stile.waiting(), 0u);
    }(turnstile));
}

TEST(Turnstile, SendsAwayWhoWaitsAndForgetsWhoGaveUp) {
    Loop loop;
    Turnstile turnstile({.running = 1, .waiting = 10});
    ASSERT_TRUE(turnstile.try_enter());
    loop.run_until_done([](Turnstile& stile) -> Task<void> {
        std::string log;
        const CancelSource stop;
        Scope scope(Context::background());
        scope.spawn(go_through(scope.context().stopped_by(stop), stile, log, 'a'));
        scope.spawn(go_through(scope.context(), stile, log, 'b'));
        co_await turns();
        stop.cancel();
        co_await turns();
        EXPECT_EQ(stile.waiting(), 1u);
        stile.send_away();
        co_await scope.join();
        EXPECT_EQ(log, "--");
        stile.leave();
        EXPECT_TRUE(stile.try_enter()) << "nothing got lost";
    }(turnstile));
}

TEST(Turnstile, MoreRoomLetsMoreInAndNoLimitEverybody) {
    Loop loop;
    Turnstile turnstile({.running = 1, .waiting = 10});
    ASSERT_TRUE(turnstile.try_enter());
    loop.run_until_done([](Turnstile& stile) -> Task<void> {
        std::string log;
        Scope scope(Context::background());
        for (const char name : {'a', 'b', 'c'}) scope.spawn(go_through(scope.context(), stile, log, name));
        co_await turns();
        stile.configure({.running = 2, .waiting = 10});
        co_await turns();
        EXPECT_EQ(log, "a");
        stile.configure({.running = 0});
        co_await scope.join();
        EXPECT_EQ(log, "abc");
    }(turnstile));
}

}  // namespace
}  // namespace gantry::gateway
