// Notifications to clients when a source announces changed lists.

#include <gtest/gtest.h>

#include "gateway/registry/test_talking_source.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

Task<void> listen() {
    const auto shop = std::make_shared<TalkingSource>("shop");
    const auto depot = std::make_shared<TalkingSource>("depot");
    Registry registry({{.source = shop}, {.source = depot, .prefix = "depot"}}, {.gather = milliseconds(1)});
    registry.start();
    EXPECT_TRUE(co_await registry.settled(Context::background().within(seconds(30))));
    Event heard;
    Ear all(registry, "", heard);
    Ear in_shop(registry, "servers/shop", heard);
    Ear in_depot(registry, "servers/depot", heard);

    shop->announce(ItemKind::kTool);
    co_await until(heard, in_shop.tools, 1);
    EXPECT_EQ(all.tools, 1) << "the list reads the same, and still the server said so";
    EXPECT_EQ(in_shop.tools, 1);

    // A change that is both announced and visible is reported once; announcements about lists to which the source
    // contributes nothing are not reported.
    shop->offer("second");
    shop->publish();
    shop->announce(ItemKind::kTool);
    shop->announce(ItemKind::kPrompt);
    co_await until(heard, in_shop.tools, 2);
    depot->announce(ItemKind::kTool);
    co_await until(heard, in_depot.tools, 1);
    EXPECT_EQ(in_shop.tools, 2);
    EXPECT_EQ(all.tools, 3);
    EXPECT_EQ(in_depot.tools, 1);
    EXPECT_EQ(all.others + in_shop.others + in_depot.others, 0);
    co_await registry.stop();
}

TEST(Announcements, ReachWhoeverSeesTheSourcesListAndNobodyElse) {
    Loop loop;
    loop.run_until_done(listen());
}

}  // namespace
}  // namespace gantry::gateway
