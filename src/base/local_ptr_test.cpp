#include "base/local_ptr.hpp"

#include <gtest/gtest.h>

namespace gantry {
namespace {

struct Thing : LocalCounted {
    explicit Thing(int& counter) : alive(counter) { ++alive; }
    ~Thing() { --alive; }
    int& alive;
    LocalPtr<Thing> other;
};

TEST(LocalPtr, LivesAsLongAsOneHoldsIt) {
    int alive = 0;
    LocalPtr<Thing> first = make_local<Thing>(alive);
    {
        const LocalPtr<Thing> second = first;
        EXPECT_EQ(second.get(), first.get());
        first.reset();
        EXPECT_FALSE(first);
        EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
}

TEST(LocalPtr, MovingLeavesNothingBehind) {
    int alive = 0;
    LocalPtr<Thing> first = make_local<Thing>(alive);
    LocalPtr<Thing> second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(second->alive, 1);
    first = std::move(second);
    second = first;
    first = make_local<Thing>(alive);
    EXPECT_EQ(alive, 2);
}

TEST(LocalPtr, SurvivesBeingAssignedToItselfAndFromInside) {
    int alive = 0;
    LocalPtr<Thing> first = make_local<Thing>(alive);
    first->other = make_local<Thing>(alive);
    const LocalPtr<Thing>& same = first;
    first = same;
    EXPECT_EQ(alive, 2);
    first = first->other;
    EXPECT_EQ(alive, 1);
    EXPECT_FALSE(first->other);
}

TEST(LocalPtr, AnObjectCanShareItself) {
    int alive = 0;
    LocalPtr<Thing> first = make_local<Thing>(alive);
    LocalPtr<Thing> second(first.get());
    first.reset();
    EXPECT_EQ(alive, 1);
}

}  // namespace
}  // namespace gantry
