// Replacing sources while calls are running.

#include <gtest/gtest.h>

#include "gateway/registry/test_talking_source.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

bool offers(const Registry& registry, const std::string& tool) {
    return registry.catalog()->find(ItemKind::kTool, "", tool).has_value();
}

Task<void> exchange() {
    const auto kept = std::make_shared<TalkingSource>("kept");
    const auto old = std::make_shared<TalkingSource>("moved");
    const auto gone = std::make_shared<TalkingSource>("gone");
    Registry registry(
        {{.source = kept, .prefix = "kept"}, {.source = old, .prefix = "moved"}, {.source = gone, .prefix = "gone"}},
        {.gather = milliseconds(1)});
    registry.start();
    EXPECT_TRUE(co_await registry.settled(Context::background().within(seconds(30))));
    Event heard;
    Ear all(registry, "", heard);
    Ear in_kept(registry, "servers/kept", heard);
    const CatalogPtr before = registry.catalog();

    const auto moved = std::make_shared<TalkingSource>("moved");
    moved->offer("second");
    const auto came = std::make_shared<TalkingSource>("came");
    auto prepared =
        co_await registry.prepare(Context::background(), {.sources = {{.source = came, .prefix = "came"},
                                                                      {.source = kept, .prefix = "kept"},
                                                                      {.source = moved, .prefix = "moved"}},
                                                          .groups = {{.name = "both", .servers = {"kept", "came"}}}});
    EXPECT_EQ(registry.catalog(), before) << "nothing changes before it is committed";
    const auto left = registry.commit(*std::move(prepared));
    // At once, without the debounce: a client notified of the reload finds it completed.
    EXPECT_EQ(left, (std::vector<std::shared_ptr<Source>>{old, gone}));
    EXPECT_TRUE(offers(registry, "kept_first") && offers(registry, "came_first") && offers(registry, "moved_second"));
    EXPECT_FALSE(offers(registry, "moved_first") || offers(registry, "gone_first"));
    EXPECT_TRUE(registry.catalog()->has_scope("groups/both"));
    EXPECT_EQ(registry.find("moved"), moved);
    EXPECT_EQ(registry.find("gone"), nullptr);
    EXPECT_EQ(all.tools, 1);
    EXPECT_EQ(in_kept.tools, 0) << "nothing changed there";
    EXPECT_TRUE(before->find(ItemKind::kTool, "", "gone_first").has_value()) << "whoever has the old catalog keeps it";

    // Removed sources are no longer watched, the others are.
    EXPECT_FALSE(old->is_heard() || gone->is_heard());
    came->offer("third");
    came->publish();
    co_await until(heard, all.tools, 2);
    EXPECT_TRUE(offers(registry, "came_third"));
    co_await registry.stop();
}

TEST(Replace, SwapsSourcesAtOnceAndLeavesTheOthersAlone) {
    Loop loop;
    loop.run_until_done(exchange());
}

Task<void> followed() {
    const auto old = std::make_shared<TalkingSource>("shop");
    old->offer_resource("file:///a");
    Registry registry({{.source = old, .prefix = "shop"}}, {.gather = milliseconds(1)});
    registry.start();
    EXPECT_TRUE(co_await registry.settled(Context::background().within(seconds(30))));
    Event heard;
    Ear ear(registry, "", heard);
    EXPECT_TRUE(co_await ear.watch.follow(Context::background().within(seconds(30)), "file:///a"));
    EXPECT_EQ(old->followed, std::set<std::string>{"file:///a"});

    const auto next = std::make_shared<TalkingSource>("shop");
    next->offer_resource("file:///a");
    auto prepared = co_await registry.prepare(Context::background(), {.sources = {{.source = next, .prefix = "shop"}}});
    EXPECT_EQ(registry.commit(*std::move(prepared)).size(), 1u);
    for (int i = 0; i < 10'000 && next->followed.empty(); ++i)
        co_await sleep_for(Context::background(), milliseconds(1));
    EXPECT_EQ(next->followed, std::set<std::string>{"file:///a"});
    co_await registry.stop();
}

TEST(Replace, TellsANewcomerWhatIsFollowed) {
    Loop loop;
    loop.run_until_done(followed());
}

}  // namespace
}  // namespace gantry::gateway
