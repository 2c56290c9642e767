// Catalogs of callers to which a source offers items of their own, and notifications when those change.

#include <gtest/gtest.h>

#include <map>

#include "gateway/registry/test_talking_source.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

InventoryPtr one_tool(const std::string& tool) {
    auto inventory = std::make_shared<Inventory>();
    inventory->capabilities.tools.emplace();
    inventory->items.push_back(std::make_shared<const Item>(
        Item{.name = tool, .text = R"({"name":")" + tool + R"(","inputSchema":{"type":"object"}})"}));
    return inventory;
}

/// Offers single principals items of their own, which a survey finds out.
class PartialSource final : public TalkingSource {
public:
    using TalkingSource::TalkingSource;

    bool varies() const noexcept override { return !own.empty(); }
    InventoryPtr inventory_for(const Audience& audience) override {
        const auto found = own.find(audience.principal.id);
        return found == own.end() ? nullptr : found->second;
    }
    bool is_surveyed(const Audience& audience) override { return !on_survey.contains(audience.principal.id); }
    Task<void> survey(const Context&, const Audience& audience) override {
        own[audience.principal.id] = std::move(on_survey.extract(audience.principal.id).mapped());
        change({.kind = SourceChange::Kind::kAudience});
        co_return;
    }

    std::map<std::string, InventoryPtr> own;
    std::map<std::string, InventoryPtr> on_survey;
};

Viewer viewer(std::string id) {
    return {.principal = std::make_shared<const Principal>(Principal{.id = std::move(id)}),
            .client = {.session = "session of " + id}};
}

bool sees(Registry& registry, const Viewer& who, std::string_view tool) {
    return registry.snapshot_for(who.audience())->catalog->find(ItemKind::kTool, "", tool).has_value();
}

struct Shop {
    std::shared_ptr<PartialSource> source = std::make_shared<PartialSource>("shop");
    std::shared_ptr<TalkingSource> depot = std::make_shared<TalkingSource>("depot");
    Registry registry{{{.source = source}, {.source = depot, .prefix = "depot"}}, {.gather = milliseconds(1)}};
    Event heard;

    Task<void> open() {
        registry.start();
        EXPECT_TRUE(co_await registry.settled(Context::background().within(seconds(30))));
    }
};

Task<void> looked_at_by_three() {
    Shop shop;
    co_await shop.open();
    const Viewer ada = viewer("ada");
    const Viewer bob = viewer("bob");
    const Viewer eve = viewer("eve");
    EXPECT_EQ(shop.registry.snapshot_for(ada.audience())->catalog, shop.registry.catalog())
        << "nobody has anything of its own";
    shop.source->own["ada"] = shop.source->own["bob"] = one_tool("special");
    shop.source->change({.kind = SourceChange::Kind::kAudience});
    EXPECT_TRUE(sees(shop.registry, ada, "special"));
    EXPECT_FALSE(sees(shop.registry, ada, "first")) << "it is offered instead of what all are offered";
    EXPECT_TRUE(sees(shop.registry, ada, "depot_first")) << "other sources are as for all";
    EXPECT_EQ(shop.registry.snapshot_for(ada.audience())->catalog, shop.registry.snapshot_for(bob.audience())->catalog)
        << "callers that are offered the same share a catalog";
    EXPECT_EQ(shop.registry.snapshot_for(eve.audience())->catalog, shop.registry.catalog());
    EXPECT_FALSE(shop.registry.catalog()->find(ItemKind::kTool, "", "special"));

    shop.source->own.clear();
    shop.source->change({.kind = SourceChange::Kind::kAudience});
    EXPECT_EQ(shop.registry.snapshot_for(ada.audience())->catalog, shop.registry.catalog());
    co_await shop.registry.stop();
}

TEST(Views, CallersThatAreOfferedSomethingOfTheirOwnSeeItBesideTheRest) {
    Loop loop;
    loop.run_until_done(looked_at_by_three());
}

Task<void> changed_for_one() {
    Shop shop;
    co_await shop.open();
    Ear ada(shop.registry, "", shop.heard, viewer("ada"));
    Ear bob(shop.registry, "", shop.heard, viewer("bob"));
    Ear anyone(shop.registry, "", shop.heard);
    shop.source->own["ada"] = one_tool("special");
    shop.source->change({.kind = SourceChange::Kind::kAudience});
    co_await until(shop.heard, ada.tools, 1);

    // Announced by the server, while the list reads the same.
    Kinds tools;
    tools.set(static_cast<std::size_t>(ItemKind::kTool));
    shop.source->change({.kind = SourceChange::Kind::kAudience,
                         .announced_to = [](const Audience& audience) { return audience.principal.id == "ada"; },
                         .kinds = tools});
    co_await until(shop.heard, ada.tools, 2);

    // The common list has changed too; ada is offered something else instead and sees no difference.
    shop.source->offer("second");
    shop.source->publish();
    co_await until(shop.heard, bob.tools, 1);
    co_await until(shop.heard, anyone.tools, 1);
    EXPECT_EQ(ada.tools, 2);
    co_await shop.registry.stop();
}

TEST(Views, AChangeIsToldToThoseWhoseListDiffers) {
    Loop loop;
    loop.run_until_done(changed_for_one());
}

Task<void> surveyed() {
    Shop shop;
    co_await shop.open();
    const Viewer ada = viewer("ada");
    Ear ear(shop.registry, "", shop.heard, ada);
    shop.source->on_survey["ada"] = one_tool("special");
    EXPECT_FALSE(shop.registry.is_surveyed(ada.audience()));
    co_await shop.registry.survey(Context::background().within(seconds(30)), ada.audience());
    EXPECT_TRUE(shop.registry.is_surveyed(ada.audience()));
    EXPECT_TRUE(sees(shop.registry, ada, "special"));
    co_await shop.registry.catch_up(Context::background());
    EXPECT_EQ(ear.tools, 0) << "the list that was waited for says it already";
    co_await shop.registry.stop();
}

TEST(Views, ASurveyIsNoNewsForTheClientThatWaitedForIt) {
    Loop loop;
    loop.run_until_done(surveyed());
}

Task<void> many_callers() {
    Shop shop;
    co_await shop.open();
    for (int i = 0; i < 200; ++i) shop.source->own["p" + std::to_string(i)] = one_tool("t" + std::to_string(i));
    shop.source->change({.kind = SourceChange::Kind::kAudience});
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 200; ++i)
            EXPECT_TRUE(sees(shop.registry, viewer("p" + std::to_string(i)), "t" + std::to_string(i)));
        shop.source->change({.kind = SourceChange::Kind::kAudience});
    }
    EXPECT_LE(shop.registry.views(), 64u) << "what is not used gives way, and is made again when it is asked for";
    co_await shop.registry.stop();
}

TEST(Views, AreBoundedInNumber) {
    Loop loop;
    loop.run_until_done(many_callers());
}

}  // namespace
}  // namespace gantry::gateway
