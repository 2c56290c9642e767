// kill -9 at any moment.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <random>
#include <thread>

#include "recording/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 10;
constexpr int kCallsPerRound = 1000;
constexpr int kCallers = 16;

/// Runs many concurrent callers until the gateway is killed after `until` answers; returns what was answered.
std::set<std::string> call_and_kill(Gateway& gateway, int round, int until) {
    std::atomic<int> answers = 0;
    std::atomic<int> next = 0;
    std::mutex mutex;
    std::set<std::string> answered;
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < kCallers; ++i) {
            callers.emplace_back([&] {
                RawClient client(gateway.port());
                while (next < kCallsPerRound + kCallers) {
                    const std::string message = std::to_string(round) + "." + std::to_string(next++);
                    const auto answer = echo(client, message);
                    if (!answer) return;
                    EXPECT_EQ(*answer, message);
                    const std::lock_guard guard(mutex);
                    answered.insert(message);
                    if (++answers == until) ::kill(gateway.child().pid(), SIGKILL);
                }
            });
        }
    }
    return answered;
}

TEST(KillTest, WhatWasAnsweredAfterItsCommitIsInTheJournalAndTheChainVerifies) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    std::mt19937 random(4711);
    std::set<std::string> answered;
    for (int round = 0; round < kRounds; ++round) {
        Gateway gateway("demo_tools: true\naudit: {mode: before-answer, arguments: values}\n", state);
        const int until = std::uniform_int_distribution<int>(1, kCallsPerRound)(random);
        answered.merge(call_and_kill(gateway, round, until));
        const Ran verdict = verify(state);
        ASSERT_EQ(verdict.code, 0) << "round " << round << ": " << verdict.out << verdict.err;
    }
    EXPECT_GT(answered.size(), 1000u);
    const auto recorded = recorded_messages(state);
    for (const std::string& message : answered) EXPECT_EQ(recorded.count(message), 1u) << message;
    // Only calls in flight at the kill may have a record but no answer.
    EXPECT_LE(recorded.size(), answered.size() + kRounds * kCallers);
}

TEST(KillTest, InAsyncModeTheChainVerifiesAndOnlyTheEndIsMissing) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    std::mt19937 random(1147);
    for (int round = 0; round < kRounds; ++round) {
        const int until = std::uniform_int_distribution<int>(1, kCallsPerRound)(random);
        {
            Gateway gateway("demo_tools: true\naudit: {arguments: values}\n", state);
            RawClient client(gateway.port());
            for (int i = 0; i < until; ++i)
                ASSERT_TRUE(echo(client, std::to_string(round) + "." + std::to_string(i)).has_value());
            ::kill(gateway.child().pid(), SIGKILL);
        }
        const Ran verdict = verify(state);
        ASSERT_EQ(verdict.code, 0) << "round " << round << ": " << verdict.out << verdict.err;
        const auto recorded = recorded_messages(state);
        int kept = 0;
        while (recorded.contains(std::to_string(round) + "." + std::to_string(kept))) ++kept;
        for (int i = kept; i < until; ++i)
            EXPECT_FALSE(recorded.contains(std::to_string(round) + "." + std::to_string(i))) << "a hole before " << i;
    }
}

TEST(KillTest, AnOrderlyEndLosesNothing) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    {
        Gateway gateway("demo_tools: true\naudit: {arguments: values, gather: 10s}\n", state);
        RawClient client(gateway.port());
        for (int i = 0; i < 500; ++i) ASSERT_TRUE(echo(client, std::to_string(i)).has_value());
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    EXPECT_EQ(recorded_messages(state).size(), 500u);
    EXPECT_EQ(entries(state, "gantry.stopped").size(), 1u);
    EXPECT_EQ(verify(state).code, 0);
}

}  // namespace
}  // namespace gantry::testing
