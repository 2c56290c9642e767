#include "io/file_watch.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "io/loop.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "gantry-watch-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~Folder() { fs::remove_all(path_); }
    fs::path operator/(const std::string& name) const { return path_ / name; }

private:
    fs::path path_;
};

void write(const fs::path& file, const std::string& text) {
    std::ofstream(file) << text;
}

Task<bool> notices(FileWatch* watch) {
    co_return (co_await watch->changed(Context::background().within(seconds(30)))).has_value();
}

/// No change is pending.
Task<bool> is_quiet(FileWatch* watch) {
    co_return !(co_await watch->changed(Context::background().within(milliseconds(1)))).has_value();
}

Task<void> writing_and_replacing() {
    const Folder folder;
    write(folder / "a.yaml", "1");
    auto watch = FileWatch::open(folder / "a.yaml");
    if (!watch) {
        ADD_FAILURE() << watch.error().message();
        co_return;
    }
    EXPECT_TRUE(co_await is_quiet(&*watch));
    write(folder / "a.yaml", "2");
    EXPECT_TRUE(co_await notices(&*watch));
    write(folder / "a.yaml.new", "3");
    fs::rename(folder / "a.yaml.new", folder / "a.yaml");
    EXPECT_TRUE(co_await notices(&*watch));
    fs::remove(folder / "a.yaml");
    EXPECT_TRUE(co_await notices(&*watch));
    write(folder / "a.yaml", "4");
    EXPECT_TRUE(co_await notices(&*watch));
}

TEST(FileWatch, NoticesWritingReplacingRemovingAndComingBack) {
    Loop loop;
    loop.run_until_done(writing_and_replacing());
}

Task<void> links() {
    const Folder folder;
    fs::create_directory(folder / "v1");
    fs::create_directory(folder / "v2");
    write(folder / "v1/a.yaml", "1");
    write(folder / "v2/a.yaml", "2");
    fs::create_directory_symlink("v1", folder / "data");
    fs::create_symlink("data/a.yaml", folder / "a.yaml");
    auto watch = FileWatch::open(folder / "a.yaml");
    if (!watch) {
        ADD_FAILURE() << watch.error().message();
        co_return;
    }
    fs::create_directory_symlink("v2", folder / "data.new");
    fs::rename(folder / "data.new", folder / "data");
    EXPECT_TRUE(co_await notices(&*watch));
    write(folder / "data/a.yaml", "3");
    EXPECT_TRUE(co_await notices(&*watch));
}

TEST(FileWatch, NoticesThatALinkOnTheWayLeadsElsewhere) {
    Loop loop;
    loop.run_until_done(links());
}

TEST(FileWatch, NamesTheFolderThatCannotBeWatched) {
    Loop loop;
    auto opened = loop.run_until_done([]() -> Task<std::string> {
        auto watch = FileWatch::open("/nowhere/at/all/a.yaml");
        co_return watch ? std::string() : watch.error().message();
    }());
    EXPECT_NE(opened.find("/nowhere/at/all"), std::string::npos) << opened;
}

}  // namespace
}  // namespace gantry
