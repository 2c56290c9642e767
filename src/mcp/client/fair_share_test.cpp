#include "mcp/client/fair_share.hpp"

#include <gtest/gtest.h>

namespace gantry::mcp {
namespace {

constexpr TimePoint kStart = TimePoint(seconds(1000));

/// Messages read within `length` by a reader that observes the pauses and otherwise takes no time.
std::size_t read_within(Duration length, std::size_t bytes, Duration spent = {}) {
    FairShare share;
    std::size_t messages = 0;
    for (TimePoint now = kStart; now < kStart + length; ++messages) now += share.charge(bytes, spent, now);
    return messages;
}

TEST(FairShareTest, ABurstPassesWithoutAPause) {
    FairShare share;
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(share.charge(0, {}, kStart), Duration::zero()) << i;
    Duration pause = Duration::zero();
    for (int i = 0; i < 200 && pause == Duration::zero(); ++i) pause = share.charge(0, {}, kStart);
    EXPECT_GE(pause, FairShare::kShortestPause) << "a flood that goes on is slowed down";
}

TEST(FairShareTest, AFloodIsReadAtItsShareAndNoFaster) {
    const double per_second = static_cast<double>(read_within(seconds(101), 0) - 10'000) / 101;
    EXPECT_NEAR(per_second, 10'000, 200);
}

TEST(FairShareTest, LargeMessagesCostMore) {
    EXPECT_LT(read_within(seconds(10), 1u << 20), 600u);
}

TEST(FairShareTest, AMessageThatKeepsTheLoopBusyIsChargedForTheTimeItTook) {
    const std::size_t messages = read_within(seconds(101), 0, milliseconds(1));
    EXPECT_NEAR(static_cast<double>(messages), 101 * 250 + 250, 60) << "a quarter of the time, a millisecond each";
}

TEST(FairShareTest, OneLongStallOfTheMachineIsNotThePeersFault) {
    FairShare share;
    EXPECT_EQ(share.charge(0, seconds(10), kStart), Duration::zero());
}

TEST(FairShareTest, SilenceRestoresTheBurstButNoMore) {
    FairShare share;
    for (int i = 0; i < 20'000; ++i) static_cast<void>(share.charge(0, {}, kStart));
    const TimePoint later = kStart + std::chrono::hours(1);
    for (int i = 0; i < 10'000; ++i) ASSERT_EQ(share.charge(0, {}, later), Duration::zero()) << i;
    Duration pause = Duration::zero();
    for (int i = 0; i < 200; ++i) pause = std::max(pause, share.charge(0, {}, later));
    EXPECT_GT(pause, Duration::zero());
}

}  // namespace
}  // namespace gantry::mcp
