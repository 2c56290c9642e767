#include "io/temp_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace gantry {
namespace {

TEST(TempFile, GivesBackWhatWasPutInAndHasNoName) {
    const auto folder = std::filesystem::temp_directory_path() / "gantry-temp-file-test";
    std::filesystem::create_directory(folder);
    ::setenv("TMPDIR", folder.c_str(), 1);
    {
        auto made = TempFile::create();
        ASSERT_TRUE(made) << made.error().to_string();
        TempFile file = *std::move(made);
        EXPECT_TRUE(std::filesystem::is_empty(folder));
        ASSERT_TRUE(file.append("0123456789"));
        ASSERT_TRUE(file.append("abc"));
        EXPECT_EQ(file.size(), 13u);
        std::array<char, 8> buffer{};
        ASSERT_EQ(file.read(7, buffer), 6u);
        EXPECT_EQ(std::string(buffer.data(), 6), "789abc");
        EXPECT_EQ(file.read(13, buffer), 0u);
    }
    ::setenv("TMPDIR", "/nonexistent/folder", 1);
    const auto none = TempFile::create();
    ::unsetenv("TMPDIR");
    ASSERT_FALSE(none);
    EXPECT_TRUE(none.error().message().contains("no temporary file")) << none.error().message();
    std::filesystem::remove(folder);
}

}  // namespace
}  // namespace gantry
