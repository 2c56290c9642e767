#include "gateway/registry/summary.hpp"

#include <gmock/gmock.h>

namespace gantry::gateway {
namespace {

using ::testing::HasSubstr;

class Shown final : public Source {
public:
    Shown(std::string name, SourceState state, std::vector<Item> items = {}, std::optional<std::string> says = {})
        : name_(std::move(name)), state_(state) {
        auto inventory = std::make_shared<Inventory>();
        for (Item& item : items) inventory->items.push_back(std::make_shared<const Item>(std::move(item)));
        inventory->instructions = std::move(says);
        inventory_ = std::move(inventory);
    }
    const std::string& name() const noexcept override { return name_; }
    SourceState state() const noexcept override { return state_; }
    std::string trouble() const override { return "token abc was refused"; }
    void start() override {}
    Task<void> stop() override { co_return; }
    InventoryPtr inventory() const override { return inventory_; }
    Task<Result<Output>> execute(const Context&, const AdmittedCall&, ReplyLine&) override {
        co_return fail(ErrorCode::kUnsupported, "nothing runs here");
    }
    Task<std::set<std::string>> follow(const Context&, std::set<std::string> uris) override { co_return uris; }
    void client_gone(const std::string&) override {}
    void watch(std::function<void(const SourceChange&)>) override {}

private:
    std::string name_;
    SourceState state_;
    InventoryPtr inventory_;
};

std::vector<Registered> registered(std::vector<std::shared_ptr<Source>> sources) {
    std::vector<Registered> out;
    for (auto& source : sources) out.push_back({.source = std::move(source)});
    return out;
}

TEST(CapabilitySummary, SaysWhatIsConnectedAndWhatItIsGoodFor) {
    const auto sources = registered(
        {std::make_shared<Shown>(
             "files", SourceState::kReady,
             std::vector<Item>{{.name = "read"}, {.name = "write"}, {.kind = ItemKind::kPrompt, .name = "p"}},
             "Reads and writes files. Never deletes any."),
         std::make_shared<Shown>("docs", SourceState::kDown), std::make_shared<Shown>("slow", SourceState::kStarting)});
    EXPECT_EQ(capability_summary(sources),
              "1 of 3 servers can be used:\n"
              "- files (Reads and writes files) offers 2 tools, 1 prompt: read, write.\n"
              "- docs cannot be used at the moment.\n"
              "- slow is still starting.");
}

TEST(CapabilitySummary, IsShortWhateverAServerSays) {
    std::vector<Item> items;
    for (int i = 0; i < 1000; ++i) items.push_back({.name = "tool" + std::to_string(i)});
    items.front().name = std::string(5000, 'n');
    std::string says;
    for (int i = 0; i < 5000; ++i) says += "ä";
    const auto sources =
        registered({std::make_shared<Shown>("big", SourceState::kReady, std::move(items), says + "\x1b[31m")});
    const std::string summary = capability_summary(sources);
    EXPECT_LT(summary.size(), 1000u);
    EXPECT_THAT(summary, HasSubstr("and 988 more"));
    EXPECT_THAT(summary, Not(HasSubstr("\x1b")));
}

TEST(CapabilitySummary, WithoutServersThereIsNothingToSay) {
    EXPECT_EQ(capability_summary({}), "No servers are connected.");
}

}  // namespace
}  // namespace gantry::gateway
