#include "gateway/resilience/gates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gantry/json.hpp"

namespace gantry::gateway {
namespace {

constexpr TimePoint kStart{seconds(1000)};

TEST(TokenBucket, GivesTheBurstAtOnceAndThenTheRate) {
    const Rate rate{.per_second = 10, .burst = 2};
    TokenBucket bucket(rate, kStart);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(bucket.wait(kStart), Duration::zero());
        bucket.take();
    }
    const Duration wait = bucket.wait(kStart);
    EXPECT_GT(wait, milliseconds(99));
    EXPECT_LE(wait, milliseconds(101));
    EXPECT_EQ(bucket.wait(kStart + wait), Duration::zero()) << "who comes back when told is served";
    EXPECT_TRUE(bucket.full(kStart + seconds(60))) << "never more than the burst";
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(bucket.wait(kStart + seconds(60)), Duration::zero());
        bucket.take();
    }
    EXPECT_GT(bucket.wait(kStart + seconds(60)), Duration::zero());
}

TEST(BucketTable, KeepsOnlyNamesInUseAndNeverMoreThanItMay) {
    const Rate rate{.per_second = 1, .burst = 1};
    BucketTable table(2);
    table.of("a", rate, kStart)->take();
    table.of("b", rate, kStart)->take();
    EXPECT_EQ(table.of("c", rate, kStart), nullptr) << "a and b are both in use";
    EXPECT_NE(table.of("c", rate, kStart + seconds(2)), nullptr) << "theirs are full again";
    EXPECT_EQ(table.size(), 1u);
}

Rate one_per_minute() {
    return {.per_second = 1.0 / 60, .burst = 1};
}

TEST(Gates, RefuseWhatComesTooOftenAndSayWhenToComeBack) {
    Gates gates({.sources = {{"shop", {.rate = one_per_minute()}}}});
    const Principal anybody;
    ASSERT_TRUE(gates.admit_rate(anybody, "shop", "buy", kStart));
    const auto refused = gates.admit_rate(anybody, "shop", "sell", kStart + seconds(20));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kLimit);
    ASSERT_NE(refused.error().rpc(), nullptr);
    const Json data = *Json::parse(refused.error().rpc()->data);
    EXPECT_EQ(data.string_at("reason"), "rate_limited");
    EXPECT_EQ(data.string_at("server"), "shop");
    EXPECT_NEAR(static_cast<double>(*data.find("retryAfterMs")->as_int()), 40'000, 10);
    EXPECT_TRUE(gates.admit_rate(anybody, "other", "buy", kStart)) << "another server has its own";
}

TEST(Gates, ToolsAndPrincipalsHaveRatesOfTheirOwn) {
    Gates gates({.sources = {{"shop", {.tool_rates = {{"free_*", {}}, {"*", one_per_minute()}}}}}});
    const Principal anybody;
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "buy", kStart));
    EXPECT_FALSE(gates.admit_rate(anybody, "shop", "buy", kStart));
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "sell", kStart)) << "another tool";
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "free_look", kStart));
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "free_look", kStart)) << "the first pattern that fits decides";
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "", kStart)) << "not about a tool";

    Gates by_caller({.principal_rate = one_per_minute()});
    const Principal ada{.id = "ada"};
    const Principal bob{.id = "bob"};
    EXPECT_TRUE(by_caller.admit_rate(ada, "shop", "buy", kStart));
    EXPECT_FALSE(by_caller.admit_rate(ada, "bank", "pay", kStart)) << "whatever it calls";
    EXPECT_TRUE(by_caller.admit_rate(bob, "shop", "buy", kStart));
}

TEST(Gates, ARefusedCallUsesUpNothing) {
    Gates gates(
        {.sources = {{"shop", {.rate = {.per_second = 1, .burst = 2}, .tool_rates = {{"*", one_per_minute()}}}}}});
    const Principal anybody;
    ASSERT_TRUE(gates.admit_rate(anybody, "shop", "buy", kStart));
    for (int i = 0; i < 10; ++i) ASSERT_FALSE(gates.admit_rate(anybody, "shop", "buy", kStart));
    EXPECT_TRUE(gates.admit_rate(anybody, "shop", "sell", kStart)) << "the server's second token is still there";
}

TEST(Gates, NewLimitsLeaveHealthAsItIs) {
    Gates gates({.sources = {{"shop", {}}, {"bank", {}}}});
    SourceGate& shop = gates.of("shop");
    gates.of("bank");
    gates.configure({.sources = {{"shop", {.rate = one_per_minute()}}}});
    EXPECT_EQ(&gates.of("shop"), &shop);
    EXPECT_TRUE(shop.has_rates());
    ASSERT_EQ(gates.status().size(), 1u) << "who is gone is forgotten";
    EXPECT_FALSE(gates.reset("bank").has_value());
    EXPECT_TRUE(gates.reset("shop").has_value());
}

}  // namespace
}  // namespace gantry::gateway
