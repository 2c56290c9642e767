#include "gateway/state/inventory_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/test_temporary_folder.hpp"

namespace gantry::gateway {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Rig {
    explicit Rig(InventoryFiles::Limits limits = {})
        : lists(folder.path() / "lists", [this](std::string_view text) { notes.emplace_back(text); }, limits) {}

    std::vector<fs::path> files() const {
        std::vector<fs::path> all;
        for (const auto& entry : fs::directory_iterator(folder.path() / "lists")) all.push_back(entry.path());
        return all;
    }
    TemporaryFolder folder;
    std::vector<std::string> notes;
    InventoryFiles lists;
};

McpServerSpec child(std::string name, std::string argument = "x") {
    return {.name = std::move(name), .command = "run", .args = {std::move(argument)}, .env = {{"TOKEN", "one"}}};
}

TEST(InventoryFiles, AreThereForTheNextRunAndForNobodyElse) {
    const Rig rig;
    InventoryFiles first(rig.folder.path() / "lists", {});
    EXPECT_EQ(first.recall(child("a")), std::nullopt);
    first.keep(child("a"), "what a offers");
    InventoryFiles second(rig.folder.path() / "lists", {});
    EXPECT_EQ(second.recall(child("a")), "what a offers");
    EXPECT_EQ(second.recall(child("b")), std::nullopt);
    ASSERT_EQ(rig.files().size(), 1u);
    struct stat status{};
    ASSERT_EQ(::stat(rig.files()[0].c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(InventoryFiles, AServerThatIsReachedDifferentlyIsAnotherOne) {
    Rig rig;
    const McpServerSpec spec = child("a");
    rig.lists.keep(spec, "list");
    McpServerSpec other = spec;
    other.args = {"y"};
    EXPECT_EQ(rig.lists.recall(other), std::nullopt);
    other = spec;
    other.env = {{"TOKEN", "one"}, {"MORE", ""}};
    EXPECT_EQ(rig.lists.recall(other), std::nullopt);
    other = spec;
    other.command = "walk";
    EXPECT_EQ(rig.lists.recall(other), std::nullopt);
    other = {.name = "a", .url = "http://127.0.0.1/mcp"};
    EXPECT_EQ(rig.lists.recall(other), std::nullopt);
    other = spec;
    other.env = {{"TOKEN", "two"}};
    other.timeout = seconds(1);
    EXPECT_EQ(rig.lists.recall(other), "list") << "another password is the same server";
}

TEST(InventoryFiles, WhatCannotBeReadIsToldAndIgnored) {
    Rig rig;
    rig.lists.keep(child("a"), "list");
    ASSERT_EQ(rig.files().size(), 1u);
    ASSERT_EQ(::chmod(rig.files()[0].c_str(), 0644), 0);
    EXPECT_EQ(rig.lists.recall(child("a")), std::nullopt);
    EXPECT_THAT(rig.notes, ElementsAre(HasSubstr("a: its stored inventory cannot be read")));
}

TEST(InventoryFiles, AListThatIsTooLongIsForgottenAndToldOnce) {
    Rig rig({.bytes = 10});
    rig.lists.keep(child("a"), "short");
    rig.lists.keep(child("a"), "far too long");
    rig.lists.keep(child("a"), "far too long");
    EXPECT_EQ(rig.lists.recall(child("a")), std::nullopt);
    EXPECT_THAT(rig.notes, ElementsAre(HasSubstr("too large")));
    EXPECT_THAT(rig.files(), IsEmpty());
}

TEST(InventoryFiles, ThoseUnusedForLongestGoFirst) {
    Rig rig({.files = 2});
    rig.lists.keep(child("old"), "list");
    rig.lists.keep(child("used"), "list");
    for (const fs::path& file : rig.files()) fs::last_write_time(file, fs::file_time_type::clock::now() - seconds(60));
    EXPECT_EQ(rig.lists.recall(child("used")), "list");
    rig.lists.keep(child("new"), "list");
    EXPECT_EQ(rig.files().size(), 2u);
    EXPECT_EQ(rig.lists.recall(child("old")), std::nullopt);
    EXPECT_EQ(rig.lists.recall(child("used")), "list");
    EXPECT_EQ(rig.lists.recall(child("new")), "list");
    EXPECT_THAT(rig.notes, IsEmpty());
}

}  // namespace
}  // namespace gantry::gateway
