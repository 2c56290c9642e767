#include "io/context.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

namespace gantry {
namespace {

TEST(CancelSource, RunsCallbacksNewestFirstAndOnlyOnce) {
    CancelSource source;
    std::vector<int> order;
    CancelCallback one(source.token(), [&] { order.push_back(1); });
    CancelCallback two(source.token(), [&] { order.push_back(2); });
    source.cancel();
    source.cancel();
    EXPECT_EQ(order, (std::vector<int>{2, 1}));
    EXPECT_TRUE(source.token().cancelled());
}

TEST(CancelCallback, IsSilentOnceDestroyed) {
    CancelSource source;
    bool called = false;
    std::optional<CancelCallback> kept;
    {
        CancelCallback gone(source.token(), [&] { called = true; });
        kept.emplace(source.token(), [] {});
    }
    source.cancel();
    EXPECT_FALSE(called);
}

TEST(CancelCallback, RunsInTheConstructorWhenAlreadyCancelled) {
    CancelSource source;
    source.cancel();
    bool called = false;
    CancelCallback late(source.token(), [&] { called = true; });
    EXPECT_TRUE(called);
}

TEST(CancelCallback, MayDestroyItselfAndOthersWhileRunning) {
    CancelSource source;
    bool other_called = false;
    std::optional<CancelCallback> other, self;
    other.emplace(source.token(), [&] { other_called = true; });
    self.emplace(source.token(), [&] {
        other.reset();
        self.reset();
    });
    source.cancel();
    EXPECT_FALSE(other_called);
    EXPECT_FALSE(self.has_value());
}

TEST(CancelCallback, MayDropTheLastSource) {
    auto source = std::make_unique<CancelSource>();
    CancelCallback callback(source->token(), [&] { source.reset(); });
    source->cancel();
    EXPECT_EQ(source, nullptr);
}

TEST(CancelSource, FollowsItsParentButNotTheOtherWayRound) {
    CancelSource parent;
    CancelSource first(parent.token());
    CancelSource second(parent.token());
    first.cancel();
    EXPECT_FALSE(parent.cancelled());
    EXPECT_FALSE(second.cancelled());
    parent.cancel();
    EXPECT_TRUE(second.cancelled());
    CancelSource late(parent.token());
    EXPECT_TRUE(late.cancelled());
}

TEST(CancelSource, MayDieBeforeItsParentCancels) {
    CancelSource parent;
    { CancelSource child(parent.token()); }
    parent.cancel();
}

TEST(CancelToken, OfNobodyIsNeverCancelled) {
    const CancelToken token;
    EXPECT_FALSE(token.can_cancel());
    EXPECT_FALSE(token.cancelled());
    bool called = false;
    {
        CancelCallback callback(token, [&] { called = true; });
    }
    EXPECT_FALSE(called);
}

TEST(Context, TellsCancellationBeforeTimeout) {
    CancelSource source;
    const Context ctx(Deadline(TimePoint::min()), source.token());
    EXPECT_EQ(ctx.check().error().code(), ErrorCode::kTimeout);
    source.cancel();
    EXPECT_EQ(ctx.check().error().code(), ErrorCode::kCancelled);
    EXPECT_TRUE(Context::background().check());
}

TEST(Context, KeepsTheEarlierDeadline) {
    const Deadline early(TimePoint(seconds(1))), late(TimePoint(seconds(2)));
    EXPECT_EQ(Context(early, {}).until(late).deadline(), early);
    EXPECT_EQ(Context(late, {}).until(early).deadline(), early);
    EXPECT_EQ(Context::background().within(Duration::max()).deadline(), Deadline::never());
}

}  // namespace
}  // namespace gantry
