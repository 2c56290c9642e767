#include "gateway/state/tool_pins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

InventoryPtr offering(const std::string& description) {
    auto inventory = std::make_shared<Inventory>();
    for (const std::string name : {"a", "b"}) {
        inventory->items.push_back(
            std::make_shared<const Item>(Item{.name = name, .text = name == "a" ? description : "the same"}));
    }
    return inventory;
}

/// Keeps what is flagged.
struct Heard {
    std::vector<std::string> said;

    ToolPins::Options options(std::set<std::string> quarantine) {
        return {.quarantine = std::move(quarantine),
                .flagged = [this](const std::string&, const std::string& tool, const std::string&, bool hidden) {
                    said.push_back(tool + (hidden ? " hidden" : " told"));
                }};
    }
};

TEST(ToolPins, AChangedToolIsToldAndHiddenOnlyWhereWanted) {
    Heard heard;
    ToolPins pins(heard.options({"strict"}));
    for (const std::string source : {"strict", "open"})
        EXPECT_EQ(pins.inspect(source, offering("one"))->items.size(), 2u);
    EXPECT_THAT(heard.said, IsEmpty());
    EXPECT_EQ(pins.inspect("open", offering("other"))->items.size(), 2u);
    const auto shown = pins.inspect("strict", offering("other"));
    ASSERT_EQ(shown->items.size(), 1u);
    EXPECT_EQ(shown->items[0]->name, "b");
    EXPECT_THAT(heard.said, ElementsAre("a told", "a hidden"));
    EXPECT_TRUE(pins.accept("strict", "a").has_value());
    EXPECT_EQ(pins.inspect("strict", offering("other"))->items.size(), 2u);
}

TEST(ToolPins, WhatChangedWhileTheGatewayWasAwayIsNoticed) {
    const TemporaryFolder folder;
    {
        ToolPins before({});
        ASSERT_TRUE(before.open(folder.path()).has_value());
        before.inspect("s", offering("one"));
    }
    Heard heard;
    ToolPins after(heard.options({"s"}));
    ASSERT_TRUE(after.open(folder.path()).has_value());
    EXPECT_EQ(after.inspect("s", offering("other"))->items.size(), 1u);
    EXPECT_THAT(heard.said, ElementsAre("a hidden"));
    std::ofstream(std::filesystem::path(folder.path()) / "pins.json", std::ios::trunc) << "{}";
    EXPECT_FALSE(ToolPins({}).open(folder.path()).has_value()) << "a damaged file is not taken for an empty one";
}

std::string content_of(const TemporaryFolder& folder, const char* name) {
    std::ifstream file(std::filesystem::path(folder.path()) / name);
    return {std::istreambuf_iterator<char>(file), {}};
}

InventoryPtr many(std::size_t count, std::size_t changed) {
    auto inventory = std::make_shared<Inventory>();
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = "tool" + std::to_string(i);
        inventory->items.push_back(
            std::make_shared<const Item>(Item{.name = name, .text = name + (i < changed ? " changed" : "")}));
    }
    return inventory;
}

TEST(ToolPins, AFewChangesOfManyToolsAreLinesOfALog) {
    const TemporaryFolder folder;
    {
        ToolPins pins({});
        ASSERT_TRUE(pins.open(folder.path()).has_value());
        pins.inspect("s", many(2000, 0));
        const std::string all = content_of(folder, "pins.json");
        EXPECT_GT(all.size(), 2000u * 40);
        pins.inspect("s", many(2000, 3));
        EXPECT_EQ(content_of(folder, "pins.json"), all) << "not written again";
        const std::string log = content_of(folder, "pins.log");
        EXPECT_EQ(std::ranges::count(log, '\n'), 3);
        EXPECT_TRUE(pins.accept("s", "tool1").has_value());
    }
    Heard heard;
    ToolPins after(heard.options({}));
    ASSERT_TRUE(after.open(folder.path()).has_value());
    EXPECT_EQ(after.changed().size(), 2u) << "one of the three was accepted";
    EXPECT_EQ(content_of(folder, "pins.log"), "") << "the log has become part of pins.json";
    after.inspect("s", many(2000, 3));
    EXPECT_THAT(heard.said, IsEmpty()) << "the changes were seen and reported before";
}

TEST(ToolPins, ALineThatACrashCutOffIsForgotten) {
    const TemporaryFolder folder;
    {
        ToolPins pins({});
        ASSERT_TRUE(pins.open(folder.path()).has_value());
        pins.inspect("s", many(3, 0));
        pins.inspect("s", many(3, 1));
    }
    const auto log = std::filesystem::path(folder.path()) / "pins.log";
    std::ofstream(log, std::ios::app) << R"(["s","tool2","half)";
    {
        ToolPins after({});
        ASSERT_TRUE(after.open(folder.path()).has_value());
        EXPECT_EQ(after.changed().size(), 1u);
        after.inspect("s", many(3, 2));
    }
    ToolPins again({});
    ASSERT_TRUE(again.open(folder.path()).has_value()) << "nothing was appended to the half line";
    EXPECT_EQ(again.changed().size(), 2u);
    std::ofstream(log, std::ios::trunc) << "[1]\n";
    EXPECT_FALSE(ToolPins({}).open(folder.path()).has_value()) << "a damaged log is reported";
}

TEST(ToolPins, TheSameInventoryStaysTheSame) {
    ToolPins pins({.quarantine = {"s"}});
    const auto first = offering("one");
    EXPECT_EQ(pins.inspect("s", first), first);
    const auto changed = offering("other");
    EXPECT_EQ(pins.inspect("s", changed), pins.inspect("s", changed));
}

}  // namespace
}  // namespace gantry::gateway
