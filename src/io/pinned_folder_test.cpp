#include "io/pinned_folder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

namespace gantry {
namespace {

namespace fs = std::filesystem;

TEST(PinnedFolder, StaysTheSameFolderWhenAFolderAboveIsReplaced) {
    std::string made = (fs::temp_directory_path() / "gantry-pinned-XXXXXX").string();
    const fs::path base = fs::canonical(::mkdtemp(made.data()));
    fs::create_directories(base / "above/state");
    auto folder = PinnedFolder::open(base / "above/state/");
    ASSERT_TRUE(folder) << folder.error().message();
    EXPECT_EQ(folder->name(), base / "above/state");
    EXPECT_TRUE(folder->check());

    fs::rename(base / "above", base / "moved");
    EXPECT_FALSE(folder->check());
    fs::create_directories(base / "above/state");
    const auto checked = folder->check();
    ASSERT_FALSE(checked);
    EXPECT_NE(checked.error().message().find((base / "above/state").string()), std::string::npos);
    std::ofstream(folder->path() / "file") << "kept";
    EXPECT_TRUE(fs::exists(base / "moved/state/file"));
    EXPECT_FALSE(fs::exists(base / "above/state/file"));
    fs::remove_all(base);
}

TEST(PinnedFolder, SpellsItsPathAsPeopleKnowIt) {
    auto folder = PinnedFolder::open("/usr");
    ASSERT_TRUE(folder);
    const std::string path = folder->path().string();
    EXPECT_EQ(folder->shown(path + "/a and " + path + ": gone"), "/usr/a and /usr: gone");
    EXPECT_EQ(folder->shown(path + "9/a"), path + "9/a") << "another descriptor";
}

}  // namespace
}  // namespace gantry
