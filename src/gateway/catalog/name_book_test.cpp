#include "gateway/catalog/name_book.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

constexpr auto kTool = ItemKind::kTool;

NameBook saved_and_loaded(const NameBook& book) {
    auto text = Json::parse(book.to_json().dump());
    EXPECT_TRUE(text);
    auto loaded = NameBook::from_json(*text);
    EXPECT_TRUE(loaded);
    return *std::move(loaded);
}

TEST(NameBook, RemembersAcrossARestart) {
    NameBook book;
    book.give(kTool, "a", "x", "a_x", "a_x");
    book.give(kTool, "b", "x", "a_x", "a_x_b");
    book.give(ItemKind::kPrompt, "b", "x", "a_x", "a_x");
    NameBook again = saved_and_loaded(book);
    EXPECT_EQ(again.size(), 3u);
    ASSERT_NE(again.given(kTool, "b", "x", "a_x"), nullptr);
    EXPECT_EQ(*again.given(kTool, "b", "x", "a_x"), "a_x_b");
    EXPECT_EQ(again.holder(kTool, "a_x"), "a");
    EXPECT_EQ(again.holder(ItemKind::kPrompt, "a_x"), "b");
    EXPECT_EQ(again.holder(ItemKind::kResource, "a_x"), "");
    EXPECT_EQ(again.to_json().dump(), book.to_json().dump());
    EXPECT_EQ(again.edition(), 0u) << "what was just read need not be saved";
}

TEST(NameBook, AnotherWishVoidsTheOldName) {
    NameBook book;
    book.give(kTool, "a", "x", "old_x", "old_x");
    EXPECT_EQ(book.given(kTool, "a", "x", "new_x"), nullptr);
    book.give(kTool, "a", "x", "new_x", "new_x");
    EXPECT_EQ(book.holder(kTool, "old_x"), "");
    EXPECT_EQ(book.size(), 1u);
}

TEST(NameBook, ANameHasOneHolder) {
    NameBook book;
    book.give(kTool, "a", "x", "n", "n");
    book.give(kTool, "b", "y", "n", "n");
    EXPECT_EQ(book.holder(kTool, "n"), "b");
    EXPECT_EQ(book.given(kTool, "a", "x", "n"), nullptr);
    EXPECT_EQ(book.size(), 1u);
}

TEST(NameBook, ForgetsWhatIsUnusedForLongestOnceThereIsNoRoom) {
    NameBook book(100);
    for (int round = 0; round < 3; ++round) {
        book.begin_round();
        for (int i = 0; i < 50; ++i) {
            const std::string name = "n" + std::to_string(round) + "_" + std::to_string(i);
            book.give(kTool, "s" + std::to_string(round), name, name, name);
        }
        book.end_round();
    }
    const auto kept = [&book](int round) {
        int count = 0;
        for (int i = 0; i < 50; ++i)
            count += !book.holder(kTool, "n" + std::to_string(round) + "_" + std::to_string(i)).empty();
        return count;
    };
    EXPECT_EQ(kept(2), 50) << "what is in use stays";
    EXPECT_EQ(kept(1), 40) << "room, and a tenth more";
    EXPECT_EQ(kept(0), 0) << "the oldest first";
    EXPECT_EQ(book.holder(kTool, "n1_9"), "s1") << "the same ones in every process: by name";
    EXPECT_EQ(book.holder(kTool, "n1_0"), "");
}

TEST(NameBook, KeepsWhatIsInUseEvenBeyondItsRoom) {
    NameBook book(10);
    book.begin_round();
    for (int i = 0; i < 50; ++i) {
        const std::string name = std::to_string(i);
        book.give(kTool, "s", name, name, name);
    }
    book.end_round();
    EXPECT_EQ(book.size(), 50u);
}

TEST(NameBook, KnowsAfterARestartWhatWasUnused) {
    NameBook book;
    book.give(kTool, "gone", "x", "x", "x");
    book.begin_round();
    book.give(kTool, "here", "y", "y", "y");
    auto loaded = NameBook::from_json(book.to_json(), 2);
    ASSERT_TRUE(loaded);
    loaded->begin_round();
    EXPECT_NE(loaded->given(kTool, "here", "y", "y"), nullptr);
    loaded->give(kTool, "new", "z", "z", "z");
    loaded->end_round();
    EXPECT_EQ(loaded->holder(kTool, "x"), "");
    EXPECT_EQ(loaded->holder(kTool, "y"), "here");
}

TEST(NameBook, RollsBackToWhatWasCommittedOrRead) {
    NameBook book;
    book.give(kTool, "a", "x", "x", "x");
    book.commit();
    book.give(kTool, "b", "y", "y", "y");
    NameBook loaded = saved_and_loaded(book);
    book.roll_back();
    EXPECT_EQ(book.holder(kTool, "x"), "a");
    EXPECT_EQ(book.holder(kTool, "y"), "");
    loaded.give(kTool, "c", "z", "z", "z");
    loaded.roll_back();
    EXPECT_EQ(loaded.size(), 2u) << "what was read counts as committed";
}

TEST(NameBook, RefusesWhatIsNoBookAndMendsDoubles) {
    for (const char* text : {"null", "[]", "{}", R"({"version":2,"groups":[]})", R"({"version":1})",
                             R"({"version":1,"groups":[{}]})", R"({"version":1,"groups":[{"kind":"x","source":"a"}]})",
                             R"({"version":1,"groups":[{"kind":"tool","source":"a","names":[]}]})",
                             R"({"version":1,"groups":[{"kind":"tool","source":"a","names":{"x":1}}]})",
                             R"({"version":1,"groups":[{"kind":"tool","source":"a","names":{"x":["y"]}}]})"}) {
        const auto book = NameBook::from_json(*Json::parse(text));
        ASSERT_FALSE(book) << text;
        EXPECT_EQ(book.error().code(), ErrorCode::kParse);
    }
    const auto doubles = NameBook::from_json(
        *Json::parse(R"({"version":1,"groups":[{"kind":"tool","source":"a","names":{"x":"n","y":"n"}}]})"));
    ASSERT_TRUE(doubles);
    EXPECT_EQ(doubles->size(), 1u);
}

}  // namespace
}  // namespace gantry::gateway
