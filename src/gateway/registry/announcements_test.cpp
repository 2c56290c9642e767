// What callers hear when a source says that its lists changed.

#include <gtest/gtest.h>

#include "gateway/registry/registry.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

/// Offers one tool; says what the test lets it say.
class TalkingSource final : public Source {
public:
    explicit TalkingSource(std::string name) : name_(std::move(name)) { offer("first"); }

    const std::string& name() const noexcept override { return name_; }
    SourceState state() const noexcept override { return SourceState::kReady; }
    std::string trouble() const override { return {}; }
    void start() override { tell_({.kind = SourceChange::Kind::kInventory}); }
    Task<void> stop() override { co_return; }
    InventoryPtr inventory() const override { return inventory_; }
    Task<Result<Output>> execute(const Context&, const AdmittedCall&, ReplyLine&) override {
        co_return fail(ErrorCode::kUnsupported, "nothing is called here");
    }
    Task<std::set<std::string>> follow(const Context&, std::set<std::string>) override {
        co_return std::set<std::string>();
    }
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)> tell) override { tell_ = std::move(tell); }

    void offer(const std::string& tool) {
        auto inventory = std::make_shared<Inventory>();
        inventory->capabilities.tools.emplace();
        inventory->items.push_back(std::make_shared<const Item>(
            Item{.name = tool, .text = R"({"name":")" + tool + R"(","inputSchema":{"type":"object"}})"}));
        inventory_ = std::move(inventory);
    }
    void announce(ItemKind kind) {
        Kinds kinds;
        kinds.set(static_cast<std::size_t>(kind));
        tell_({.kind = SourceChange::Kind::kAnnounced, .kinds = kinds});
    }
    void publish() { tell_({.kind = SourceChange::Kind::kInventory}); }

private:
    std::string name_;
    InventoryPtr inventory_;
    std::function<void(const SourceChange&)> tell_;
};

/// How often one scope's watcher was told of tools and of prompts.
struct Ear {
    Ear(Registry& registry, std::string scope, Event& heard)
        : watch(registry, std::move(scope), [this, &heard](const CatalogChange& change) {
              ++(change.kind == CatalogChange::Kind::kTools ? tools : others);
              heard.pulse();
          }) {}
    int tools = 0;
    int others = 0;
    Registry::Watch watch;
};

Task<void> until(Event& heard, const int& count, int wanted) {
    while (count < wanted) {
        if (!co_await heard.wait(Context::background().within(seconds(30)))) co_return;
    }
}

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

    // Said and seen is told once; what nobody offers a list of is not told at all.
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
