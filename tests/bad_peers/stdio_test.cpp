// Servers on a pipe that would make a careless client hang, leak or crash.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>

#include "gantry/client.hpp"
#include "support/child.hpp"
#include "support/paths.hpp"

namespace gantry::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// One bad server per test: nothing of it may be left afterwards.
class BadPeer : public ::testing::Test {
protected:
    void SetUp() override {
        mark_ = "bad-peer-" + std::to_string(getpid()) + "-" +
                ::testing::UnitTest::GetInstance()->current_test_info()->name();
        // Objects that live as long as the process (its loop and thread) must not count as a leak.
        static const bool warm = [] {
            auto client =
                connect({.server = StdioServer{.command = gantry::test_support::built_path("tests/gantry_bad_peer"),
                                               .args = {"good", "warm"}}});
            return client.has_value();
        }();
        ASSERT_TRUE(warm);
        descriptors_ = open_descriptors();
    }
    void TearDown() override {
        EXPECT_TRUE(eventually([this] { return processes_with(mark_).empty(); })) << "a process was left behind";
        EXPECT_TRUE(eventually([this] { return open_descriptors() <= descriptors_; }))
            << open_descriptors() << " descriptors instead of " << descriptors_;
    }

    ConnectOptions options(const std::string& mode) {
        ConnectOptions options{.server =
                                   StdioServer{.command = gantry::test_support::built_path("tests/gantry_bad_peer"),
                                               .args = {mode, mark_}}};
        options.era = Era::kLegacy;
        options.connect_timeout = seconds(60);
        options.call_timeout = seconds(60);
        return options;
    }
    Result<Client> meet(const std::string& mode) { return connect(options(mode)); }

    std::string mark_;
    std::size_t descriptors_ = 0;
};

TEST_F(BadPeer, GarbageBetweenTheMessagesIsSkipped) {
    const Watchdog watchdog("garbage", seconds(600));
    auto client = meet("garbage");
    ASSERT_TRUE(client) << client.error().to_string();
    for (int i = 0; i < 3; ++i) {
        const auto result = client->call("t");
        ASSERT_TRUE(result) << result.error().to_string();
        EXPECT_EQ(result->text(), "done");
    }
}

TEST_F(BadPeer, AHalfLineAndTheEndIsAnUnknownOutcome) {
    const Watchdog watchdog("half line", seconds(600));
    auto client = meet("half-line");
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown) << result.error().to_string();
}

TEST_F(BadPeer, ALineOverTheLimitEndsTheConnectionInBoundedMemory) {
    const Watchdog watchdog("200 MB line", seconds(600));
    ConnectOptions limited = options("huge-line");
    limited.max_message_bytes = 1 << 20;
    auto client = connect(std::move(limited));
    ASSERT_TRUE(client) << client.error().to_string();
    const std::size_t before = peak_memory();
    const auto result = client->call("t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown) << result.error().to_string();
    EXPECT_NE(result.error().to_string().find("limit"), std::string::npos) << result.error().to_string();
    EXPECT_LT(peak_memory() - before, 64u << 20);
}

TEST_F(BadPeer, AServerThatNeverAnswersTimesOut) {
    const Watchdog watchdog("silence", milliseconds(10 * 500 + 60'000));
    ConnectOptions hasty = options("silent");
    hasty.connect_timeout = milliseconds(500);
    const auto client = connect(std::move(hasty));
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code(), ErrorCode::kTimeout) << client.error().to_string();
}

TEST_F(BadPeer, AToolThatNeverAnswersTimesOutAndTheConnectionLives) {
    const Watchdog watchdog("deaf tool", seconds(600));
    auto client = meet("deaf");
    ASSERT_TRUE(client) << client.error().to_string();
    CallOptions hasty;
    hasty.timeout = milliseconds(300);
    const auto result = client->call("t", {}, hasty);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kTimeout);
    EXPECT_TRUE(client->ping());
}

TEST_F(BadPeer, AServerThatExitsOnTheProbeIsStartedAgain) {
    const Watchdog watchdog("exit on the probe", seconds(600));
    ConnectOptions automatic = options("exits-on-probe");
    automatic.era = Era::kAuto;
    auto client = connect(std::move(automatic));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_TRUE(client->ping());
}

TEST_F(BadPeer, AServerThatExitsInTheMiddleOfACallLeavesItsOutcomeUnknown) {
    const Watchdog watchdog("exit in a call", seconds(600));
    auto client = meet("exits-mid-call");
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("t");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kOutcomeUnknown);
    EXPECT_NE(result.error().to_string().find('7'), std::string::npos) << "names the exit status";
    EXPECT_TRUE(client->ping()) << "the supervisor started it again";
}

TEST_F(BadPeer, AFloodOnStderrBlocksNothing) {
    const Watchdog watchdog("stderr flood", seconds(600));
    ConnectOptions watching = options("floods-stderr");
    std::atomic<int> lines = 0;
    std::get<StdioServer>(watching.server).on_stderr = [&lines](std::string_view) { ++lines; };
    const std::size_t before = peak_memory();
    {
        auto client = connect(std::move(watching));
        ASSERT_TRUE(client) << client.error().to_string();
        const auto result = client->call("t");
        ASSERT_TRUE(result) << result.error().to_string();
    }
    EXPECT_GT(lines.load(), 40'000);
    EXPECT_LT(peak_memory() - before, 64u << 20);
}

TEST_F(BadPeer, AGrandchildInItsOwnSessionDiesToo) {
    const Watchdog watchdog("grandchild", seconds(600));
    auto client = meet("grandchild");
    ASSERT_TRUE(client) << client.error().to_string();
    ASSERT_TRUE(client->call("t"));
    ASSERT_TRUE(eventually([this] { return processes_with(mark_).size() >= 2; })) << "the grandchild never came up";
    client->close();
}

TEST_F(BadPeer, AServerThatIgnoresTheEndOfInputAndSigtermIsKilled) {
    const Watchdog watchdog("stubborn", seconds(100));
    auto client = meet("stubborn");
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_TRUE(client->ping());
    client->close();
}

TEST_F(BadPeer, DoubledAndStrayAnswersAreDropped) {
    const Watchdog watchdog("stray answers", seconds(600));
    auto twice = meet("twice");
    ASSERT_TRUE(twice) << twice.error().to_string();
    const auto first = twice->call("t");
    ASSERT_TRUE(first) << first.error().to_string();
    EXPECT_EQ(first->text(), "first");
    EXPECT_TRUE(twice->ping());
    auto unknown = meet("unknown-id");
    ASSERT_TRUE(unknown) << unknown.error().to_string();
    const auto done = unknown->call("t");
    ASSERT_TRUE(done) << done.error().to_string();
    EXPECT_EQ(done->text(), "done");
}

TEST_F(BadPeer, TenThousandNotificationsAllArrive) {
    const Watchdog watchdog("notifications", seconds(600));
    ConnectOptions listening = options("notifies");
    std::atomic<int> heard = 0;
    listening.handlers.on_log = [&heard](const mcp::LogMessage&) { ++heard; };
    auto client = connect(std::move(listening));
    ASSERT_TRUE(client) << client.error().to_string();
    ASSERT_TRUE(client->call("t"));
    EXPECT_EQ(heard.load(), 10'000);
}

TEST_F(BadPeer, CursorsWithoutEndMeetALimit) {
    const Watchdog watchdog("endless cursors", seconds(600));
    auto client = meet("endless-cursor");
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools();
    ASSERT_FALSE(tools);
    EXPECT_EQ(tools.error().code(), ErrorCode::kLimit);
}

TEST_F(BadPeer, AProgramThatIsNotThereIsATypedError) {
    const Watchdog watchdog("no program", seconds(600));
    const auto client = connect({.server = StdioServer{.command = "/no/such/program", .args = {mark_}}});
    ASSERT_FALSE(client);
    EXPECT_TRUE(client.error().code() == ErrorCode::kNotFound || client.error().code() == ErrorCode::kConnection)
        << client.error().to_string();
}

}  // namespace
}  // namespace gantry::testing
