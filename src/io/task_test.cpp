#include "io/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/loop.hpp"
#include "io/root.hpp"

namespace gantry {
namespace {

Task<int> at_once(int value) {
    co_return value;
}

Task<int> sum_at_once(int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += co_await at_once(1);
    co_return sum;
}

TEST(Task, AwaitingWhatEndsAtOnceDoesNotDeepenTheStack) {
    Loop loop;
    // A megabyte of stack would suffice for some ten thousand.
    EXPECT_EQ(loop.run_until_done(sum_at_once(1'000'000)), 1'000'000);
}

Task<int> nested(int depth) {
    if (depth == 0) {
        co_await yield_now();
        co_return 0;
    }
    co_return 1 + co_await nested(depth - 1);
}

TEST(Task, EndsOfALongChainDoNotDeepenTheStack) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(nested(100'000)), 100'000);
}

Task<void> note(std::vector<std::string>* notes, std::string text) {
    notes->push_back(std::move(text));
    co_return;
}

Task<void> lazy_case(std::vector<std::string>* notes) {
    auto later = note(notes, "later");
    notes->push_back("first");
    co_await std::move(later);
    const auto never = note(notes, "never");
}

TEST(Task, RunsWhenAwaitedAndNotBefore) {
    Loop loop;
    std::vector<std::string> notes;
    loop.run_until_done(lazy_case(&notes));
    EXPECT_EQ(notes, (std::vector<std::string>{"first", "later"}));
}

Task<std::unique_ptr<int>> move_only() {
    co_return std::make_unique<int>(7);
}

Task<int> throws_inside() {
    co_await yield_now();
    throw std::runtime_error("inside");
}

Task<std::string> catches() {
    const auto seven = co_await move_only();
    try {
        (void)co_await throws_inside();
    } catch (const std::runtime_error& error) {
        co_return error.what() + std::to_string(*seven);
    }
    co_return "not thrown";
}

TEST(Task, PassesOnValuesAndExceptions) {
    Loop loop;
    EXPECT_EQ(loop.run_until_done(catches()), "inside7");
}

struct Gone {
    explicit Gone(int* counter) : count(counter) {}
    Gone(const Gone&) = delete;
    Gone& operator=(const Gone&) = delete;
    ~Gone() { ++*count; }
    int* count;
};

Root root_case(Loop&, int* started, int* gone, bool hang) {
    ++*started;
    const Gone guard(gone);
    if (hang) (void)co_await sleep_for(Context::background(), seconds(3600));
}

TEST(Root, BeginsOnTheNextTurnAndEndsByItselfOrWithTheLoop) {
    int started = 0;
    int gone = 0;
    {
        Loop loop;
        root_case(loop, &started, &gone, false);
        root_case(loop, &started, &gone, true);
        EXPECT_EQ(started, 0);
        loop.run_until_done(one_turn());
        EXPECT_EQ(started, 2);
        EXPECT_EQ(gone, 1);
        root_case(loop, &started, &gone, true);  // never starts
    }
    EXPECT_EQ(started, 2);
    EXPECT_EQ(gone, 2);
}

}  // namespace
}  // namespace gantry
