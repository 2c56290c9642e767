#include "app/process/last_resort.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gantry::app {
namespace {

TEST(LastResortDeathTest, EndsAProcessThatHangsAtTheEarliestTimeItWasTold) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            LastResort last(7);
            last.arm(std::chrono::hours(1));
            last.arm(milliseconds(1));
            last.arm(std::chrono::hours(1));
            for (;;) ::pause();
        },
        ::testing::ExitedWithCode(7), "did not end in time");
}

TEST(LastResort, LeavesAloneWhatEndsByItself) {
    const LastResort unused(7);
    LastResort last(7);
    last.arm(std::chrono::hours(1));
}

}  // namespace
}  // namespace gantry::app
