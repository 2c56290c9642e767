// The bookkeeping of lists, without a server.
#include "gateway/sources/mcp/source_lists.hpp"

#include <gmock/gmock.h>

namespace gantry::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SourceListsState : public ::testing::Test {
protected:
    SourceListsState() {
        options.on_problem = [this](const std::string&, const std::string& what) { reported.push_back(what); };
    }

    static SourceLists::Reading reading(std::uint64_t number, InventoryPtr inventory) {
        return {.number = number, .kinds = Kinds().set(), .inventory = std::move(inventory)};
    }
    static InventoryPtr instructed(std::string text) {
        auto inventory = std::make_shared<Inventory>();
        inventory->instructions = std::move(text);
        return inventory;
    }

    McpServerSpec spec;
    McpSourceOptions options;
    SourceStatus status{spec, options};
    SourceLists lists{spec, options, status};
    std::vector<std::string> reported;
};

TEST_F(SourceListsState, OnlyADifferentInventoryReplacesTheOldOne) {
    EXPECT_FALSE(lists.replace(SourceLists::nothing()));
    const InventoryPtr first = instructed("be kind");
    EXPECT_TRUE(lists.replace(first));
    EXPECT_FALSE(lists.replace(instructed("be kind")));
    EXPECT_EQ(lists.inventory(), first) << "a holder of it sees no change";
    EXPECT_TRUE(lists.replace(instructed("be brief")));
}

TEST_F(SourceListsState, WhatWasNotReadIsStillStaleAndStillAnnounced) {
    EXPECT_FALSE(lists.stale());
    lists.on_connected();
    EXPECT_TRUE(lists.stale());
    SourceLists fresh(spec, options, status);
    fresh.put_back({.kinds = kinds_of(mcp::ListKind::kTools), .announced = kinds_of(mcp::ListKind::kTools)});
    EXPECT_TRUE(fresh.stale());
}

TEST_F(SourceListsState, AFinishedReadingCountsForThisConnection) {
    EXPECT_FALSE(lists.read_here());
    SourceLists::Reading first = reading(1, SourceLists::nothing());
    lists.accept(first);
    EXPECT_TRUE(lists.read_here());
    EXPECT_TRUE(lists.finished_after(0));
    EXPECT_FALSE(lists.finished_after(1));
    lists.on_closed();
    EXPECT_FALSE(lists.read_here());
}

TEST_F(SourceListsState, AProblemIsReportedWhenItIsNew) {
    SourceLists::Reading one = reading(1, SourceLists::nothing());
    one.problems = {"a", "b"};
    lists.accept(one);
    SourceLists::Reading two = reading(2, SourceLists::nothing());
    two.problems = {"b", "c"};
    lists.accept(two);
    EXPECT_THAT(reported, ElementsAre("a", "b", "c"));
    EXPECT_THAT(lists.problems(), ElementsAre("b", "c"));
}

TEST_F(SourceListsState, TroubleNamesTheListsThatCouldNotBeReadUntilTheyCan) {
    SourceLists::Reading bad = reading(1, SourceLists::nothing());
    bad.failed[static_cast<std::size_t>(ItemKind::kTool)] = "tools/list failed: no";
    bad.failed[static_cast<std::size_t>(ItemKind::kPrompt)] = "prompts/list failed: no";
    lists.accept(bad);
    EXPECT_EQ(lists.trouble(), "tools/list failed: no; prompts/list failed: no");
    SourceLists::Reading better = reading(2, SourceLists::nothing());
    better.kinds = kinds_of(mcp::ListKind::kTools);
    lists.accept(better);
    EXPECT_EQ(lists.trouble(), "prompts/list failed: no") << "the other list was not read";
}

TEST(ListKinds, ResourcesIncludeTheirTemplates) {
    EXPECT_EQ(kinds_of(mcp::ListKind::kTools).count(), 1u);
    EXPECT_EQ(kinds_of(mcp::ListKind::kPrompts).count(), 1u);
    EXPECT_EQ(kinds_of(mcp::ListKind::kResources).count(), 2u);
    EXPECT_TRUE(kinds_of(mcp::ListKind::kResources).test(static_cast<std::size_t>(ItemKind::kTemplate)));
}

}  // namespace
}  // namespace gantry::gateway
