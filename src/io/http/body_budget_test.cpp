#include "io/http/body_budget.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gantry::http {
namespace {

using Bodies = std::vector<std::unique_ptr<BodyBudget::Body>>;

std::unique_ptr<BodyBudget::Body> begin(BodyBudget& budget, const char* peer) {
    return std::make_unique<BodyBudget::Body>(budget, peer, CancelSource());
}

TEST(BodyBudget, RefusesWhatDoesNotFitWhileTheOthersGrow) {
    BodyBudget budget(100);
    auto first = begin(budget, "a");
    auto second = begin(budget, "a");
    EXPECT_TRUE(first->hold(60));
    EXPECT_TRUE(second->hold(40));
    EXPECT_FALSE(second->hold(41));
    EXPECT_EQ(budget.held(), 100u);
    EXPECT_FALSE(first->evicted());
}

TEST(BodyBudget, WhatAFinishedBodyHeldIsFreeAgain) {
    BodyBudget budget(100);
    auto first = begin(budget, "a");
    ASSERT_TRUE(first->hold(100));
    auto second = begin(budget, "a");
    EXPECT_FALSE(second->hold(1));
    first.reset();
    EXPECT_EQ(budget.held(), 0u);
    EXPECT_TRUE(second->hold(100));
}

TEST(BodyBudget, AnAddressBelowItsShareTakesThePlaceOfTheLargest) {
    BodyBudget budget(100);
    auto older = begin(budget, "greedy");
    auto newer = begin(budget, "greedy");
    ASSERT_TRUE(older->hold(50));
    ASSERT_TRUE(newer->hold(50));
    auto other = begin(budget, "modest");
    EXPECT_TRUE(other->hold(50));
    EXPECT_TRUE(older->evicted());
    EXPECT_FALSE(newer->evicted());
    EXPECT_FALSE(older->hold(60)) << "it had to give way";
    EXPECT_FALSE(other->hold(51)) << "that would be more than its share";
    EXPECT_EQ(budget.held(), 100u);
}

TEST(BodyBudget, ASilentBodyGivesWayToOneOfTheSameAddress) {
    BodyBudget budget(100);
    auto silent = begin(budget, "a");
    ASSERT_TRUE(silent->hold(80));
    auto growing = begin(budget, "a");
    const TimePoint begun = SteadyClock::now();
    while (SteadyClock::now() - begun < seconds(1)) EXPECT_TRUE(growing->hold(20));
    EXPECT_TRUE(growing->hold(30));
    EXPECT_TRUE(silent->evicted());
}

TEST(BodyBudget, CancelsWhatHasToGiveWay) {
    BodyBudget budget(100);
    CancelSource stop;
    BodyBudget::Body first(budget, "a", stop);
    ASSERT_TRUE(first.hold(100));
    auto other = begin(budget, "b");
    EXPECT_TRUE(other->hold(10));
    EXPECT_TRUE(stop.cancelled());
}

TEST(BodyBudget, SaysOnceThatALotOfMemoryIsFreeAgain) {
    BodyBudget budget(64u << 20);
    EXPECT_FALSE(budget.drained());
    auto body = begin(budget, "a");
    ASSERT_TRUE(body->hold(32u << 20));
    EXPECT_FALSE(budget.drained());
    body.reset();
    EXPECT_TRUE(budget.drained());
    EXPECT_FALSE(budget.drained());
    body = begin(budget, "a");
    ASSERT_TRUE(body->hold(1u << 20));
    body.reset();
    EXPECT_FALSE(budget.drained()) << "that was not much";
}

TEST(BodyBudget, NothingIsHeldWhenAllAreGone) {
    BodyBudget budget(1000);
    {
        Bodies bodies;
        for (int i = 0; i < 50; ++i) {
            bodies.push_back(begin(budget, i % 2 == 0 ? "a" : "b"));
            static_cast<void>(bodies.back()->hold(100));
        }
        EXPECT_LE(budget.held(), 1000u);
    }
    EXPECT_EQ(budget.held(), 0u);
}

}  // namespace
}  // namespace gantry::http
