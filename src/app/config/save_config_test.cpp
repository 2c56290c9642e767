#include "app/config/save_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/test_temporary_folder.hpp"

namespace gantry::app {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void write(const fs::path& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
}
std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(SaveConfig, KeepsModeAndSymbolicLink) {
    const TemporaryFolder folder;
    const fs::path real = folder.path() / "real" / "gantry.yaml";
    fs::create_directories(real.parent_path());
    write(real, "servers: []\n");
    ASSERT_EQ(::chmod(real.c_str(), 0640), 0);
    const fs::path link = folder.path() / "gantry.yaml";
    fs::create_symlink(real, link);
    ASSERT_TRUE(save_config(link, "servers: []\n", "servers: {}\n"));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read(real), "servers: {}\n");
    struct stat status{};
    ASSERT_EQ(::stat(real.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0640U);
    EXPECT_EQ(files_in(real.parent_path()), 1U) << "nothing is left beside it";
}

TEST(SaveConfig, NeverWritesAnInvalidConfiguration) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "gantry.yaml";
    write(file, "servers: []\n");
    for (const std::string_view bad :
         {"servers: [\n", "servers: [{name: a}]\n", "server: []\n", "listen: ${NOT_SET_ANYWHERE}\n"}) {
        const auto saved = save_config(file, "servers: []\n", bad);
        ASSERT_FALSE(saved) << bad;
        EXPECT_THAT(saved.error().message(), HasSubstr("would be invalid"));
    }
    EXPECT_EQ(read(file), "servers: []\n");
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(SaveConfig, LeavesWhatAnotherProgramWroteMeanwhile) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "gantry.yaml";
    write(file, "servers: {} # theirs\n");
    const auto saved = save_config(file, "servers: []\n", "path: /x\n");
    ASSERT_FALSE(saved);
    EXPECT_THAT(saved.error().message(), HasSubstr("changed by another program"));
    EXPECT_EQ(read(file), "servers: {} # theirs\n");
    EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(SaveConfig, MakesAFileForThisUserAlone) {
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "gantry.yaml";
    ASSERT_TRUE(save_config(file, "", "servers: []\n"));
    struct stat status{};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    EXPECT_FALSE(save_config(folder.path() / "none" / "gantry.yaml", "", "servers: []\n"));
}

}  // namespace
}  // namespace gantry::app
