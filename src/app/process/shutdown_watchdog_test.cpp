#include "app/process/shutdown_watchdog.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gantry::app {
namespace {

TEST(ShutdownWatchdogDeathTest, EndsAProcessThatHangsAtTheEarliestTimeItWasTold) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            ShutdownWatchdog last(7);
            last.arm(std::chrono::hours(1));
            last.arm(milliseconds(1));
            last.arm(std::chrono::hours(1));
            for (;;) ::pause();
        },
        ::testing::ExitedWithCode(7), "shutdown timed out");
}

TEST(ShutdownWatchdog, LeavesAloneWhatEndsByItself) {
    const ShutdownWatchdog unused(7);
    ShutdownWatchdog last(7);
    last.arm(std::chrono::hours(1));
}

}  // namespace
}  // namespace gantry::app
