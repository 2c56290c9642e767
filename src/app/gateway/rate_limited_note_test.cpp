#include "app/gateway/rate_limited_note.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gantry::app {
namespace {

TEST(RateLimitedNote, TellsOnceAndCountsTheRest) {
    std::vector<std::string> told;
    RateLimitedNote note([&told](std::string_view text) { told.emplace_back(text); }, seconds(60));
    const TimePoint start = SteadyClock::now();
    for (int i = 0; i < 5; ++i) note("refused", start + seconds(i));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0], "refused");
    note("refused", start + seconds(61));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[1], "refused (4 more like this since the last report)");
}

}  // namespace
}  // namespace gantry::app
