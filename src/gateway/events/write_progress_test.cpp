#include "gateway/events/write_progress.hpp"

#include <gmock/gmock.h>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::gateway::events {
namespace {

using State = WriteProgress::State;

const Error kLocked(ErrorCode::kTimeout, "database is locked");

TEST(WriteProgress, ATicketIsStoredLateOrPending) {
    WriteProgress progress;
    for (Recorder::Ticket expected = 1; expected <= 3; ++expected) EXPECT_EQ(progress.take(), expected);
    EXPECT_EQ(progress.state_of(1), State::kPending);
    EXPECT_FALSE(progress.on_stored(1));
    EXPECT_EQ(progress.state_of(1), State::kStored);
    EXPECT_EQ(progress.state_of(2), State::kPending);

    EXPECT_TRUE(progress.on_failed(kLocked)) << "it worked until now";
    EXPECT_FALSE(progress.on_failed(kLocked));
    EXPECT_EQ(progress.state_of(1), State::kStored);
    EXPECT_EQ(progress.state_of(3), State::kLate);
    EXPECT_EQ(progress.state_of(progress.take()), State::kPending) << "made after the failure";

    EXPECT_TRUE(progress.on_stored(3));
    EXPECT_EQ(progress.state_of(3), State::kStored) << "late, but stored";
    EXPECT_FALSE(progress.on_stored(2)) << "an older report";
    EXPECT_EQ(progress.state_of(3), State::kStored);
}

TEST(WriteProgress, TheTroubleNamesItsCauseAndEndsWithTheRecovery) {
    WriteProgress progress;
    EXPECT_EQ(progress.trouble(), nullptr);
    progress.on_failed(kLocked);
    ASSERT_NE(progress.trouble(), nullptr);
    EXPECT_THAT(progress.trouble()->message(), ::testing::HasSubstr("database is locked"));
    EXPECT_TRUE(progress.trouble()->retryable());
    progress.on_stored(0);
    EXPECT_EQ(progress.trouble(), nullptr);
    EXPECT_EQ(progress.changes(), 2u);
}

Task<void> wait_for(WriteProgress* progress, Recorder::Ticket ticket, std::vector<State>* out) {
    const auto state = co_await progress->settled(Context::background(), ticket);
    if (state) out->push_back(*state);
}

Task<void> settle_three(WriteProgress& progress, std::vector<State>& out) {
    Scope scope(Context::background());
    for (int i = 0; i < 3; ++i) scope.spawn(wait_for(&progress, progress.take(), &out));
    co_await yield_now();
    progress.on_stored(1);
    co_await yield_now();
    progress.on_failed(kLocked);
    co_await scope.join();
}

TEST(WriteProgress, WaitersReturnOnceTheirTicketIsSettled) {
    Loop loop;
    WriteProgress progress;
    progress.open();
    std::vector<State> out;
    loop.run_until_done(settle_three(progress, out));
    EXPECT_THAT(out, ::testing::ElementsAre(State::kStored, State::kLate, State::kLate));
}

TEST(WriteProgress, ThereIsNoWaitingWhileItIsClosed) {
    Loop loop;
    WriteProgress progress;
    const auto before = loop.run_until_done(progress.settled(Context::background(), progress.take()));
    EXPECT_EQ(before.value(), State::kPending);
    progress.open();
    progress.close();
    const auto after = loop.run_until_done(progress.settled(Context::background(), progress.take()));
    EXPECT_EQ(after.value(), State::kPending);
}

}  // namespace
}  // namespace gantry::gateway::events
