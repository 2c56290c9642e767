#pragma once
// For tests: a source that announces what the test wants, and a watch that counts notifications.

#include <functional>
#include <memory>
#include <string>

#include "gateway/registry/registry.hpp"

namespace gantry::gateway {

/// Offers one tool, and sends the changes the test chooses.
class TalkingSource : public Source {
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
    Task<std::set<std::string>> follow(const Context&, std::set<std::string> uris) override {
        followed = uris;
        co_return uris;
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
    /// The URIs of the last follow().
    std::set<std::string> followed;

    void offer_resource(const std::string& uri) {
        auto inventory = std::make_shared<Inventory>(*inventory_);
        inventory->capabilities.resources.emplace();
        inventory->items.push_back(std::make_shared<const Item>(
            Item{.kind = ItemKind::kResource, .name = uri, .text = R"({"name":"r","uri":")" + uri + R"("})"}));
        inventory_ = std::move(inventory);
    }
    void publish() {
        if (tell_) tell_({.kind = SourceChange::Kind::kInventory});
    }
    void change(SourceChange change) { tell_(std::move(change)); }
    bool is_heard() const noexcept { return tell_ != nullptr; }

private:
    std::string name_;
    InventoryPtr inventory_;
    std::function<void(const SourceChange&)> tell_;
};

/// Counts one scope's notifications: those about tools, and all others.
struct Ear {
    Ear(Registry& registry, std::string scope, Event& heard, std::optional<Viewer> viewer = std::nullopt)
        : watch(
              registry, std::move(scope),
              [this, &heard](const CatalogChange& change) {
                  ++(change.kind == CatalogChange::Kind::kTools ? tools : others);
                  heard.pulse();
              },
              std::move(viewer)) {}
    int tools = 0;
    int others = 0;
    Registry::Watch watch;
};

inline Task<void> until(Event& heard, const int& count, int wanted) {
    while (count < wanted) {
        if (!co_await heard.wait(Context::background().within(seconds(30)))) co_return;
    }
}

}  // namespace gantry::gateway
