#include "gateway/resilience/breaker.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gateway/resilience/retry.hpp"
#include "gateway/resilience/source_gate.hpp"

namespace gantry::gateway {
namespace {

constexpr TimePoint kStart{seconds(1000)};

class BreakerTest : public testing::Test {
protected:
    void call(CallSignal signal, TimePoint now = kStart) {
        const auto ticket = breaker_.admit(now);
        ASSERT_TRUE(ticket.has_value());
        breaker_.settle(*ticket, signal, now);
    }
    void fail_until_open() {
        for (int i = 0; i < 5; ++i) call(CallSignal::kFailed);
        ASSERT_EQ(breaker_.state(), BreakerState::kOpen);
    }
    static constexpr TimePoint kLater = kStart + seconds(30);

    Breaker breaker_{BreakerOptions{}};
};

TEST_F(BreakerTest, OpensAfterFiveFailuresInARow) {
    for (int i = 0; i < 4; ++i) call(CallSignal::kFailed);
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
    call(CallSignal::kFailed);
    EXPECT_EQ(breaker_.state(), BreakerState::kOpen);
    EXPECT_FALSE(breaker_.admit(kStart));
}

TEST_F(BreakerTest, ASuccessBetweenThemBeginsTheCountAnew) {
    for (int i = 0; i < 4; ++i) call(CallSignal::kFailed);
    call(CallSignal::kAnswered);
    for (int i = 0; i < 4; ++i) call(CallSignal::kFailed);
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
}

TEST_F(BreakerTest, WhatSaysNothingAboutTheSourceDoesNotCount) {
    for (int i = 0; i < 20; ++i) call(CallSignal::kNothing);
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
    EXPECT_EQ(breaker_.failures(), 0u);
}

TEST_F(BreakerTest, OneLostConnectionIsOneFailureHoweverManyCallsItCost) {
    std::vector<Breaker::Ticket> running;
    for (int i = 0; i < 100; ++i) running.push_back(*breaker_.admit(kStart));
    for (const auto& ticket : running) breaker_.settle(ticket, CallSignal::kLost, kStart);
    EXPECT_EQ(breaker_.failures(), 1u);
    for (int i = 0; i < 4; ++i) call(CallSignal::kLost);
    EXPECT_EQ(breaker_.state(), BreakerState::kOpen) << "lost again each time it was back";
}

TEST_F(BreakerTest, EveryCallThatGotNoAnswerInTimeCounts) {
    std::vector<Breaker::Ticket> running;
    for (int i = 0; i < 5; ++i) running.push_back(*breaker_.admit(kStart));
    for (const auto& ticket : running) breaker_.settle(ticket, CallSignal::kFailed, kStart);
    EXPECT_EQ(breaker_.state(), BreakerState::kOpen);
}

TEST_F(BreakerTest, LetsThreeTestCallsThroughAfterItsTime) {
    fail_until_open();
    EXPECT_FALSE(breaker_.admit(kLater - Duration(1)));
    EXPECT_TRUE(breaker_.admit(kLater));
    EXPECT_EQ(breaker_.state(), BreakerState::kHalfOpen);
    EXPECT_TRUE(breaker_.admit(kLater));
    EXPECT_TRUE(breaker_.admit(kLater));
    EXPECT_FALSE(breaker_.admit(kLater)) << "the fourth at once";
}

TEST_F(BreakerTest, ASuccessfulTestClosesItAndAFailedOneOpensItAgain) {
    fail_until_open();
    call(CallSignal::kFailed, kLater);
    EXPECT_EQ(breaker_.state(), BreakerState::kOpen);
    EXPECT_FALSE(breaker_.admit(kLater + seconds(29)));
    call(CallSignal::kAnswered, kLater + seconds(30));
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
    EXPECT_EQ(breaker_.failures(), 0u);
}

TEST_F(BreakerTest, ATestCallThatWasCancelledMakesRoomForAnother) {
    fail_until_open();
    for (int i = 0; i < 10; ++i) call(CallSignal::kNothing, kLater);
    EXPECT_EQ(breaker_.state(), BreakerState::kHalfOpen);
}

TEST_F(BreakerTest, CallsOfAnEarlierStateDecideNothing) {
    const auto early = *breaker_.admit(kStart);
    fail_until_open();
    const auto test = *breaker_.admit(kLater);
    breaker_.settle(early, CallSignal::kFailed, kLater);
    EXPECT_EQ(breaker_.state(), BreakerState::kHalfOpen) << "it began when all seemed well";
    breaker_.settle(test, CallSignal::kAnswered, kLater);
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
}

TEST_F(BreakerTest, CanBeClosedByHandAndSwitchedOff) {
    fail_until_open();
    breaker_.reset();
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
    breaker_.configure({.enabled = false});
    for (int i = 0; i < 20; ++i) call(CallSignal::kFailed);
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
}

TEST_F(BreakerTest, SeveralSuccessesMayBeNeeded) {
    breaker_.configure({.recovery = seconds(60), .test_calls = 1, .successes = 2});
    fail_until_open();
    EXPECT_FALSE(breaker_.admit(kStart + seconds(59)));
    call(CallSignal::kAnswered, kStart + seconds(60));
    EXPECT_EQ(breaker_.state(), BreakerState::kHalfOpen);
    call(CallSignal::kAnswered, kStart + seconds(60));
    EXPECT_EQ(breaker_.state(), BreakerState::kClosed);
}

TEST(FateOf, CountsWhatTheSourceDidNotAnswer) {
    const struct {
        ErrorCode code;
        CallSignal signal;
    } rows[] = {
        {ErrorCode::kTimeout, CallSignal::kFailed},      {ErrorCode::kProtocol, CallSignal::kFailed},
        {ErrorCode::kParse, CallSignal::kFailed},        {ErrorCode::kConnection, CallSignal::kLost},
        {ErrorCode::kOutcomeUnknown, CallSignal::kLost}, {ErrorCode::kCancelled, CallSignal::kNothing},
        {ErrorCode::kLimit, CallSignal::kNothing},       {ErrorCode::kUnauthorized, CallSignal::kNothing},
        {ErrorCode::kDenied, CallSignal::kNothing},      {ErrorCode::kSchema, CallSignal::kNothing},
    };
    for (const auto& row : rows) EXPECT_EQ(signal_of(Error(row.code, "x")), row.signal) << to_string(row.code);
    EXPECT_EQ(signal_of(Error(ErrorCode::kRpc, "no").rpc({.code = -32602, .message = "no"})), CallSignal::kAnswered);
}

TEST(Pauses, DoubleUpToTheLongestAndLeaveAPartToChance) {
    const RetryOptions options{.first = milliseconds(200), .longest = milliseconds(700)};
    EXPECT_EQ(pause_before(options, 2, 1.0), milliseconds(200));
    EXPECT_EQ(pause_before(options, 2, 0.0), milliseconds(100));
    EXPECT_EQ(pause_before(options, 3, 1.0), milliseconds(400));
    EXPECT_EQ(pause_before(options, 4, 1.0), milliseconds(700));
    EXPECT_EQ(pause_before(options, 60, 1.0), milliseconds(700));
}

}  // namespace
}  // namespace gantry::gateway
