#include "mcp/client/unsent_answers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "io/loop.hpp"
#include "io/scope.hpp"

namespace gantry::mcp {
namespace {

using Entry = UnsentAnswers::Entry;

Context patiently() {
    return Context::background().within(seconds(60));
}

TEST(UnsentAnswers, AreBoundedInNumberAndBytes) {
    UnsentAnswers unsent({.count = 3, .bytes = 100});
    std::vector<Entry> entries;
    for (int i = 0; i < 2; ++i) entries.emplace_back(unsent, 1);
    EXPECT_FALSE(unsent.full());
    entries.emplace_back(unsent, 1);
    EXPECT_TRUE(unsent.full());
    entries.pop_back();
    EXPECT_FALSE(unsent.full());
    entries.emplace_back(unsent, 98);
    EXPECT_TRUE(unsent.full());
    entries.clear();
    EXPECT_EQ(unsent.count(), 0u);
    EXPECT_EQ(unsent.bytes(), 0u);
}

TEST(UnsentAnswers, DoNotCountWhileAHandlerWorks) {
    UnsentAnswers unsent({.count = 1});
    Entry entry(unsent, 10);
    EXPECT_TRUE(unsent.full());
    entry.suspend();
    EXPECT_FALSE(unsent.full());
    EXPECT_EQ(unsent.bytes(), 0u);
    entry.resume(unsent, 25);
    EXPECT_EQ(unsent.bytes(), 25u);
    EXPECT_TRUE(unsent.full());
}

Task<void> take_one(std::vector<Entry>* entries) {
    co_await yield_now();
    entries->pop_back();
}
Task<void> reads_on() {
    UnsentAnswers unsent({.count = 2, .stall = seconds(30)});
    std::vector<Entry> entries;
    for (int i = 0; i < 2; ++i) entries.emplace_back(unsent, 1);
    Scope scope(patiently());
    scope.spawn(take_one(&entries));
    const auto room = co_await unsent.room(patiently());
    EXPECT_TRUE(room);
    co_await scope.join();
}
TEST(UnsentAnswers, ReadingGoesOnOnceThePeerHasTakenOne) {
    Loop().run_until_done(reads_on());
}

Task<void> stalls() {
    UnsentAnswers unsent({.count = 1, .stall = milliseconds(20)});
    const Entry entry(unsent, 1);
    const auto room = co_await unsent.room(patiently());
    EXPECT_FALSE(room);
    if (!room) EXPECT_EQ(room.error().code(), ErrorCode::kTimeout);
}
TEST(UnsentAnswers, APeerThatTakesNoneIsGivenUp) {
    Loop().run_until_done(stalls());
}

}  // namespace
}  // namespace gantry::mcp
