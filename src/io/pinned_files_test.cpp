#include "io/pinned_files.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "io/fd.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLimit = 1000;

class PinnedFilesTest : public ::testing::Test {
protected:
    PinnedFilesTest() {
        std::string name = (fs::temp_directory_path() / "gantry-pins-XXXXXX").string();
        base = fs::canonical(::mkdtemp(name.data()));
        guarded = (base / "home/conf").string();
        fs::create_directories(base / "home/conf");
        write("home/conf/a.yaml", "first");
        files.guard_by([this](const std::string& folder) { return is_below(folder, guarded); });
    }
    ~PinnedFilesTest() override { fs::remove_all(base); }

    void write(const std::string& file, const std::string& text) const { std::ofstream(base / file) << text; }
    PinnedFiles::Content read(const std::string& file) {
        auto content = files.read(base / file, kLimit);
        if (content) return *std::move(content);
        return {.text = "error: " + content.error().message()};
    }
    /// The action of an attacker who may write to `home` but not to `conf`.
    void replace_folder() const {
        fs::rename(base / "home/conf", base / "home/moved");
        fs::create_directory(base / "home/conf");
        write("home/conf/a.yaml", "planted");
    }

    fs::path base;
    std::string guarded;
    PinnedFiles files;
};

TEST_F(PinnedFilesTest, AFileWrittenInPlaceOrReplacedInAGuardedFolderIsRead) {
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    write("home/conf/a.yaml", "second");
    EXPECT_EQ(read("home/conf/a.yaml").text, "second");
    write("home/conf/a.yaml.new", "third");
    fs::rename(base / "home/conf/a.yaml.new", base / "home/conf/a.yaml");
    const auto third = read("home/conf/a.yaml");
    EXPECT_EQ(third.text, "third");
    EXPECT_EQ(third.strayed, "");
    fs::remove(base / "home/conf/a.yaml");
    EXPECT_EQ(read("home/conf/a.yaml").text, std::nullopt);
    write("home/conf/a.yaml", "fourth");
    EXPECT_EQ(read("home/conf/a.yaml").text, "fourth");
    EXPECT_EQ(files.strayed(), "");
}

TEST_F(PinnedFilesTest, AReplacedFolderIsReportedAndNotRead) {
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    replace_folder();
    const auto after = read("home/conf/a.yaml");
    EXPECT_EQ(after.text, "first");
    EXPECT_NE(after.strayed.find((base / "home/conf").string()), std::string::npos) << after.strayed;
    EXPECT_NE(files.strayed(), "");
    files.forget();
    EXPECT_EQ(read("home/conf/a.yaml").text, "planted") << "an operator said that it is meant";
    EXPECT_EQ(files.strayed(), "");
}

TEST_F(PinnedFilesTest, ALinkInThePlaceOfAFolderIsReportedAndNotRead) {
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    replace_folder();
    fs::rename(base / "home/conf", base / "home/evil");
    fs::create_directory_symlink("evil", base / "home/conf");
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    EXPECT_NE(files.strayed(), "");
}

TEST_F(PinnedFilesTest, AFileReplacedInAnUnguardedFolderIsReportedAndNotRead) {
    guarded = "/nowhere";
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    write("home/conf/b", "planted");
    fs::rename(base / "home/conf/b", base / "home/conf/a.yaml");
    EXPECT_EQ(read("home/conf/a.yaml").text, "first");
    EXPECT_NE(read("home/conf/a.yaml").strayed, "");
}

TEST_F(PinnedFilesTest, WhatWasMissingIsNotBelievedWhenItComesToAnUnguardedFolder) {
    EXPECT_EQ(read("home/none/.env").text, std::nullopt);
    EXPECT_EQ(read("home/.env").text, std::nullopt);
    fs::create_directory(base / "home/none");
    write("home/none/.env", "planted");
    write("home/.env", "planted");
    EXPECT_EQ(read("home/none/.env").text, std::nullopt);
    EXPECT_EQ(read("home/.env").text, std::nullopt);
    EXPECT_NE(read("home/.env").strayed, "");
}

TEST_F(PinnedFilesTest, LinksOfAnOperatorWorkAndMayBeRelinkedInsideTheGuardedFolder) {
    // As orchestrators mount configuration.
    fs::create_directory(base / "home/conf/..v1");
    write("home/conf/..v1/c.yaml", "one");
    fs::create_directory_symlink("..v1", base / "home/conf/..data");
    fs::create_symlink("..data/c.yaml", base / "home/conf/c.yaml");
    EXPECT_EQ(read("home/conf/c.yaml").text, "one");
    fs::create_directory(base / "home/conf/..v2");
    write("home/conf/..v2/c.yaml", "two");
    fs::create_directory_symlink("..v2", base / "home/conf/..new");
    fs::rename(base / "home/conf/..new", base / "home/conf/..data");
    EXPECT_EQ(read("home/conf/c.yaml").text, "two");
    EXPECT_EQ(read("home/conf/c.yaml").strayed, "");

    write("home/elsewhere", "three");
    fs::create_symlink(base / "home/elsewhere", base / "home/conf/new");
    fs::rename(base / "home/conf/new", base / "home/conf/c.yaml");
    EXPECT_NE(read("home/conf/c.yaml").strayed, "") << "it leads to where others may write";
}

TEST_F(PinnedFilesTest, TellsWhichFoldersHoldWhatItReads) {
    fs::create_symlink("conf/a.yaml", base / "home/link.yaml");
    EXPECT_EQ(read("home/link.yaml").text, "first");
    EXPECT_EQ(files.folders(), (std::vector<std::string>{(base / "home").string(), (base / "home/conf").string()}));
    EXPECT_EQ(files.files(), std::vector<std::string>{(base / "home/conf/a.yaml").string()});
}

TEST_F(PinnedFilesTest, WhatIsNoFileIsRefusedAndAPipeIsReadPlainly) {
    EXPECT_NE(read("home/conf").text->find("no regular file"), std::string::npos);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const Fd from(ends[0]);
    Fd to(ends[1]);
    ASSERT_EQ(::write(to.get(), "piped", 5), 5);
    to.reset();
    const auto content = files.read("/proc/self/fd/" + std::to_string(from.get()), kLimit);
    ASSERT_TRUE(content) << content.error().message();
    EXPECT_EQ(content->text, "piped");
    EXPECT_NE(content->strayed, "");
}

}  // namespace
}  // namespace gantry
