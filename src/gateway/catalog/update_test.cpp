#include "gateway/catalog/update.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "gateway/catalog/test_sources.hpp"

namespace gantry::gateway {
namespace {

using namespace test;
using testing::ElementsAre;

const CatalogRules kRules{.page_size = 7, .self = {.name = "g"}};

/// A tool whose definition depends on `edition`.
ItemPtr edition_of(const std::string& name, unsigned edition) {
    return item(ItemKind::kTool, name,
                Json(JsonObject{{"name", name}, {"description", "edition " + std::to_string(edition)}}).dump());
}

InventoryPtr inventory(std::vector<ItemPtr> items) {
    return source("s", std::move(items)).inventory;
}

/// Everything a client can see of a catalog.
std::string shown(const Catalog& catalog) {
    std::string all;
    for (const std::string& scope : catalog.scopes()) {
        for (const auto kind : {ItemKind::kTool, ItemKind::kPrompt, ItemKind::kResource, ItemKind::kTemplate}) {
            for (const auto revision : {mcp::kLatestRevision, mcp::Revision::k2025_06_18}) {
                std::optional<std::string> cursor;
                do {
                    const auto text = catalog.list(kind, scope, revision, cursor);
                    const Json page = *Json::parse(**text);
                    all += scope + ": " + page.dump() + "\n";
                    cursor.reset();
                    if (const Json* next = page.find("nextCursor")) cursor = *next->if_string();
                } while (cursor);
            }
            all += std::to_string(catalog.digest(kind, scope)) + "\n";
        }
        all += *catalog.plain_tools(scope) + (catalog.capabilities(scope).tools ? "\ntools\n" : "\n-\n");
        all += catalog.instructions(scope).value_or("-") + "\n";
    }
    return all;
}

NameBook copy_of(const NameBook& book) {
    return *NameBook::from_json(book.to_json());
}

class CatalogUpdateTest : public testing::Test {
protected:
    void start(std::vector<SourceEntry> sources, std::vector<GroupSpec> groups = {}) {
        plan_ = plan_of(sources, std::move(groups), kRules);
        now_ = inventories_of(sources);
        catalog_ = Catalog::build(plan_, now_, book_);
    }
    /// Updates, and expects what a build from scratch gives.
    void change(std::size_t number, InventoryPtr to) {
        now_[number] = std::move(to);
        NameBook other = copy_of(book_);
        const CatalogPtr afresh = Catalog::build(plan_, now_, other);
        const CatalogPtr updated = Catalog::build(plan_, now_, book_, catalog_.get());
        EXPECT_EQ(shown(*updated), shown(*afresh));
        for (const std::string_view name : updated->names(ItemKind::kTool, "", mcp::kLatestRevision, 100'000)) {
            const auto here = updated->find(ItemKind::kTool, "", name);
            const auto there = afresh->find(ItemKind::kTool, "", name);
            ASSERT_TRUE(here && there) << name;
            EXPECT_EQ(here->item, there->item) << name;
            EXPECT_EQ(here->source, there->source) << name;
        }
        catalog_ = updated;
    }

    NameBook book_;
    CatalogPlanPtr plan_;
    std::vector<InventoryPtr> now_;
    CatalogPtr catalog_;
};

TEST_F(CatalogUpdateTest, AChangedToolIsReplacedAndListsItIsNotInKeepTheirPages) {
    start({source("a", {edition_of("x", 1), tool("y")}), source("b", {tool("z")})},
          {{.name = "of_b", .servers = {"b"}}});
    const auto of_b = *catalog_->list(ItemKind::kTool, "servers/b", mcp::kLatestRevision, {});
    const auto group = *catalog_->list(ItemKind::kTool, "groups/of_b", mcp::kLatestRevision, {});
    change(0, inventory({edition_of("x", 2), now_[0]->items[1]}));
    EXPECT_EQ(*catalog_->list(ItemKind::kTool, "servers/b", mcp::kLatestRevision, {}), of_b) << "the same bytes";
    EXPECT_EQ(*catalog_->list(ItemKind::kTool, "groups/of_b", mcp::kLatestRevision, {}), group);
    EXPECT_NE(page(*catalog_, ItemKind::kTool).dump().find("edition 2"), std::string::npos);
}

TEST_F(CatalogUpdateTest, ToolsComeGoAndChangePlaces) {
    start({source("a", {tool("x"), tool("y"), prompt("p")}), source("b", {tool("z")})},
          {{.name = "some", .servers = {"b"}, .tools = {"a_?"}}});
    const auto a = now_[0]->items;
    change(0, inventory({a[1], a[0], a[2]}));
    change(0, inventory({a[1], tool("w"), a[0], a[2], prompt("q")}));
    EXPECT_THAT(tools_of(*catalog_, "groups/some"), ElementsAre("a_w", "a_x", "a_y", "b_z"));
    change(0, inventory({a[1], a[2]}));
    EXPECT_THAT(tools_of(*catalog_, "servers/a"), ElementsAre("y"));
    change(0, inventory({}));
    change(0, inventory({a[0], a[1], a[2]}));
    EXPECT_THAT(tools_of(*catalog_), ElementsAre("a_x", "a_y", "b_z"));
}

TEST_F(CatalogUpdateTest, AGroupOfPatternsWithoutAnyToolGetsTheFirstOne) {
    start({source("a", {})}, {{.name = "some", .tools = {"a_*"}}});
    change(0, inventory({tool("x")}));
    EXPECT_THAT(tools_of(*catalog_, "groups/some"), ElementsAre("a_x"));
}

TEST_F(CatalogUpdateTest, ContestedNamesAndHiddenItemsAreSettledAsEver) {
    start({bare("a", {tool("x")}), bare("b", {tool("y")})});
    change(1, inventory({tool("y"), tool("x")}));
    EXPECT_THAT(tools_of(*catalog_), ElementsAre("x", "x_b", "y"));
    change(0, inventory({}));
    change(0, inventory({tool("x")}));
    EXPECT_THAT(tools_of(*catalog_), ElementsAre("x", "x_b", "y"));
    change(0, inventory({tool("x"), tool("x")}));
    EXPECT_EQ(catalog_->problems().size(), 1u);
    change(0, inventory({tool("x")}));
}

TEST_F(CatalogUpdateTest, ItemsTheRulesRefuseStayOut) {
    SourceEntry guarded = source("a", {tool("get_x"), tool("put_x")});
    guarded.deny = {"put_*"};
    start({guarded});
    change(0, inventory({now_[0]->items[0], now_[0]->items[1], tool("put_y"), tool("get_y")}));
    EXPECT_THAT(tools_of(*catalog_), ElementsAre("a_get_x", "a_get_y"));
}

TEST_F(CatalogUpdateTest, WhatAPageSaysAboutItselfFollowsTheSource) {
    start({source("a", {tool("x")}), source("b", {tool("y")})});
    Inventory public_list = *now_[0];
    public_list.is_public = true;
    public_list.ttl_ms = 5000;
    change(0, std::make_shared<const Inventory>(public_list));
    EXPECT_EQ(page(*catalog_, ItemKind::kTool, "servers/a").find("ttlMs")->as_int(), 5000);
}

TEST_F(CatalogUpdateTest, AnySequenceOfChangesGivesWhatABuildFromScratchGives) {
    std::mt19937 random(20'260'728);
    const auto below = [&random](unsigned limit) { return std::uniform_int_distribution(0u, limit - 1)(random); };
    const std::vector<std::string> words{"get", "put", "list", "find", "drop", "a.b", "a/b", "näher"};
    std::vector<SourceEntry> sources{source("one", {}), bare("two", {}), bare("three", {}), source("one_get", {})};
    sources[2].deny = {"drop"};
    start(sources,
          {{.name = "g", .servers = {"two"}, .tools = {"*get*", "one_p*"}}, {.name = "h", .servers = {"one"}}});
    for (int step = 0; step < 300; ++step) {
        const std::size_t number = below(4);
        std::vector<ItemPtr> items = now_[number]->items;
        for (unsigned edits = below(3) + 1; edits > 0; --edits) {
            const unsigned what = below(4);
            if (what == 0 && !items.empty()) {
                items.erase(items.begin() + below(static_cast<unsigned>(items.size())));
            } else if (what == 1 && !items.empty()) {
                ItemPtr& one = items[below(static_cast<unsigned>(items.size()))];
                if (one->kind == ItemKind::kTool) one = edition_of(one->name, below(3));
            } else if (what == 2 && items.size() > 1) {
                std::swap(items.front(), items[below(static_cast<unsigned>(items.size()))]);
            } else {
                const std::string& word = words[below(static_cast<unsigned>(words.size()))];
                const bool known = std::ranges::any_of(items, [&](const ItemPtr& one) { return one->name == word; });
                if (!known) items.push_back(below(5) == 0 ? resource("x://" + word) : edition_of(word, below(3)));
            }
        }
        change(number, inventory(std::move(items)));
        ASSERT_FALSE(HasFailure()) << "step " << step;
    }
}

}  // namespace
}  // namespace gantry::gateway
