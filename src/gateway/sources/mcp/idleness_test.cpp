#include "gateway/sources/mcp/idleness.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

Idleness idle_after(Duration limit, Connect connect = Connect::kLazy) {
    McpServerSpec spec;
    spec.connect = connect;
    spec.idle_close = limit;
    return Idleness(spec);
}

TEST(Idleness, IsOverOnceTheLimitHasPassedSinceTheLastUse) {
    const TimePoint now = coarse_now();
    const Duration limit = (now - TimePoint{}) / 2;  // half of the time since the machine was started
    Idleness idleness = idle_after(limit);
    EXPECT_TRUE(idleness.lazy());
    idleness.begin(now);
    EXPECT_FALSE(idleness.over());
    EXPECT_EQ(idleness.timeout().at(), now + limit);
    idleness.begin(TimePoint{});
    EXPECT_TRUE(idleness.over());
    { const Idleness::InUse use(idleness); }
    EXPECT_FALSE(idleness.over()) << "the call was a use";
}

TEST(Idleness, ALaterUseTakesBackThePermissionToIdleAtOnce) {
    Idleness idleness = idle_after(std::chrono::hours(1));
    idleness.begin(coarse_now());
    idleness.may_idle_at_once();
    EXPECT_TRUE(idleness.over());
    {
        const Idleness::InUse use(idleness);
        EXPECT_TRUE(idleness.in_use());
    }
    EXPECT_FALSE(idleness.in_use());
    EXPECT_FALSE(idleness.over());
    idleness.may_idle_at_once();
    idleness.begin(coarse_now());
    EXPECT_FALSE(idleness.over()) << "a new connection";
}

TEST(Idleness, UsesAreCountedWhileTheyOverlap) {
    Idleness idleness = idle_after(std::chrono::hours(1), Connect::kEager);
    EXPECT_FALSE(idleness.lazy());
    const Idleness::InUse first(idleness);
    { const Idleness::InUse second(idleness); }
    EXPECT_TRUE(idleness.in_use());
}

}  // namespace
}  // namespace gantry::gateway
