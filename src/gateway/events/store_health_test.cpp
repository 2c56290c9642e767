#include "gateway/events/store_health.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway::events {
namespace {

constexpr TimePoint at(int ms) {
    return TimePoint{} + milliseconds(ms);
}

TEST(StoreHealth, AFailureHoldsWritingBackUntilTheRetryIsDue) {
    StoreHealth health;
    struct Row {
        enum { kFail, kStore, kNothing } then;
        int now;
        bool may_write_before;
        bool broken_after;
    };
    for (const Row& row : {
             Row{Row::kNothing, 0, true, false},
             Row{Row::kStore, 1, true, false},
             Row{Row::kFail, 10, true, true},
             Row{Row::kNothing, 11, false, true},
             Row{Row::kNothing, 109, false, true},
             Row{Row::kFail, 110, true, true},
             Row{Row::kNothing, 209, false, true},
             Row{Row::kStore, 210, true, false},
             Row{Row::kNothing, 211, true, false},
         }) {
        EXPECT_EQ(health.may_write(at(row.now)), row.may_write_before) << row.now;
        if (row.then == Row::kFail) health.on_failed(at(row.now), milliseconds(100));
        if (row.then == Row::kStore) health.on_stored();
        EXPECT_EQ(health.broken(), row.broken_after) << row.now;
    }
}

TEST(StoreHealth, OnlyTheFirstSuccessAfterAFailureIsARecovery) {
    StoreHealth health;
    EXPECT_FALSE(health.on_stored());
    health.on_failed(at(0), milliseconds(100));
    EXPECT_EQ(health.next_attempt(), at(100));
    EXPECT_TRUE(health.on_stored());
    EXPECT_FALSE(health.on_stored());
}

TEST(StoreHealth, OnlyALockLeavesTheFileOpen) {
    EXPECT_FALSE(StoreHealth::must_reopen(Error(ErrorCode::kTimeout, "locked")));
    EXPECT_TRUE(StoreHealth::must_reopen(Error(ErrorCode::kInternal, "disk I/O error")));
}

}  // namespace
}  // namespace gantry::gateway::events
