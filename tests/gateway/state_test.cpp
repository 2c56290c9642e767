// A state folder that is damaged, full or read-only: the start reports which file, what is wrong and what to do.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gateway/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Ended {
    std::optional<int> code;
    std::string err;
};

Ended serve(const std::string& state) {
    const TempDir folder;
    std::ofstream(folder.path() + "/gantry.yaml") << "demo_tools: true\n";
    Child child({.command = {gantry_program(), "serve", "--config", folder.path() + "/gantry.yaml", "--listen",
                             "127.0.0.1:0", "--state-dir", state},
                 .env = {}});
    if (child.wait_for_output("Ctrl-C stops it", std::chrono::seconds(20))) ::kill(child.pid(), SIGTERM);
    const auto code = child.wait();
    return {code, child.err()};
}

std::string content_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return (std::ostringstream() << in.rdbuf()).str();
}

TEST(StateTest, ADamagedFileIsNamedWithWhatToDoAndLeftAlone) {
    for (const auto& [name, lost] :
         {std::pair("names.json", "names are then assigned again"), std::pair("pins.json", "counts as accepted"),
          std::pair("seal.keys", "are then invalid")}) {
        const TempDir folder;
        const std::string state = folder.path() + "/state";
        const std::string file = state + "/" + name;
        ASSERT_EQ(::mkdir(state.c_str(), 0700), 0);
        std::ofstream(file) << "{\"cut off";
        ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
        const Ended refused = serve(state);
        EXPECT_EQ(refused.code, 2) << name << refused.err;
        EXPECT_THAT(refused.err, AllOf(HasSubstr(file + " is damaged"), HasSubstr("restore it from a backup"),
                                       HasSubstr("mv '" + file + "'"), HasSubstr(lost)));
        EXPECT_EQ(content_of(file), "{\"cut off") << "it may be the only copy";
        // Following the advice works.
        std::filesystem::rename(file, file + ".damaged");
        EXPECT_EQ(serve(state).code, 0) << name;
    }
}

/// A small file system of its own; empty where mounting is not permitted.
class Disk {
public:
    Disk() {
        if (::geteuid() == 0 && ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=256k,mode=700") == 0)
            mounted_ = true;
    }
    ~Disk() {
        if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    explicit operator bool() const noexcept { return mounted_; }
    const std::string& path() const noexcept { return folder_.path(); }
    bool make_read_only() const {
        return ::mount("tmpfs", path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=256k,mode=700") == 0;
    }

private:
    TempDir folder_;
    bool mounted_ = false;
};

TEST(StateTest, AFullDiskIsReportedAtTheStart) {
    const Disk disk;
    if (!disk) GTEST_SKIP() << "a small disk needs root";
    std::ofstream(disk.path() + "/filler") << std::string(1 << 20, 'x');
    const Ended refused = serve(disk.path() + "/state");
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr(disk.path() + "/state"), HasSubstr("No space left"), HasSubstr("--state-dir")));
}

TEST(StateTest, AReadOnlyStateFolderIsReportedAtTheStart) {
    const Disk disk;
    if (!disk) GTEST_SKIP() << "a disk of its own needs root";
    ASSERT_EQ(serve(disk.path() + "/state").code, 0);
    ASSERT_TRUE(disk.make_read_only());
    const Ended refused = serve(disk.path() + "/state");
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot write to state folder " + disk.path() + "/state"),
                                   HasSubstr("Read-only file system"), HasSubstr("--state-dir")));
}

}  // namespace
}  // namespace gantry::testing
