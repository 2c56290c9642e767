// A server that tries to put its own files under names the gateway reads: every path that is opened after the start, by
// every way there is, at both levels. As root everything runs a second time as an ordinary user: see the end of
// sandbox_test.cpp.

#include <sys/socket.h>
#include <sys/un.h>

#include "gateway/sandbox/kernel.hpp"
#include "gateway/sandbox/test_box.hpp"
#include "io/path_walk.hpp"

namespace gantry::gateway::sandbox {
namespace {

namespace fs = std::filesystem;
using testing::Box;

bool refused(const std::string& answer) {
    return answer.starts_with("refused: ");
}

std::string hidden(const std::string& path) {
    return "path:" + path;
}

class Swap : public ::testing::TestWithParam<IsolationLevel> {
protected:
    void SetUp() override {
        for (const Offer& part : {kernel().namespaces, kernel().landlock, kernel().filter})
            if (!part.available) GTEST_SKIP() << part.name << ": " << part.why;
        for (const char* folder : {"/home/conf/data", "/home/deep/secret", "/state/approvals"})
            fs::create_directories(box.base + folder);
        for (const std::string& file : files_) box.put(file, "the operator's");
        for (const std::string& file : {std::string("/home/conf/gantry.yaml"), std::string("/home/deep/secret/token")})
            box.options.places.secrets.push_back(box.base + file);
        box.options.places.locked = {box.base + "/home/conf", box.base + "/home/deep/secret"};
        isolate();
    }
    void isolate() {
        box.wish() = {.level = GetParam(), .network = NetworkAccess::kOpen};
        box.sandbox.reset();
    }
    void leave_open() {
        box.wish() = {.level = IsolationLevel::kOff};
        box.sandbox.reset();
    }
    std::string at(const std::string& path) const { return box.base + path; }
    std::string attack(const std::string& mode, const std::string& way, const std::string& path) {
        return box.say({mode, way, hidden(at(path)), hidden(at("/home/project/mine"))});
    }
    /// Everything the gateway would read is unchanged.
    void expect_untouched() {
        for (const std::string& file : files_) {
            std::ifstream in(at(file));
            EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "the operator's") << file;
        }
        EXPECT_FALSE(fs::exists(at("/home/conf/.env")));
        fs::remove_all(at("/home/project/mine"));
    }

    Box box;
    /// Configuration, files it refers to, keys, an approval.
    const std::vector<std::string> files_ = {"/home/conf/gantry.yaml", "/home/deep/secret/token", "/state/seal.keys",
                                             "/state/approvals/a.json"};
    /// These files and every folder above them that is not a system folder.
    const std::vector<std::string> names_ = {"",
                                             "/home",
                                             "/home/conf",
                                             "/home/conf/gantry.yaml",
                                             "/home/deep",
                                             "/home/deep/secret",
                                             "/home/deep/secret/token",
                                             "/state",
                                             "/state/approvals",
                                             "/state/seal.keys"};
};
INSTANTIATE_TEST_SUITE_P(Isolation, Swap, ::testing::Values(IsolationLevel::kStandard, IsolationLevel::kStrict),
                         testing::level_name);

TEST_P(Swap, NoNameOnTheWayIsGivenAway) {
    for (const std::string& name : names_) {
        for (const char* way : {"rename", "exchange", "remove", "symlink", "bind", "unmount"}) {
            if (std::string_view(way) == "exchange") fs::create_directories(at("/home/project/mine"));
            EXPECT_TRUE(refused(attack("swap", way, name))) << way << " " << name;
            EXPECT_TRUE(refused(attack("swap-with-rights", way, name))) << "with rights: " << way << " " << name;
            expect_untouched();
        }
    }
    leave_open();
    EXPECT_EQ(attack("swap", "rename", "/home/conf"), "done") << "the attack itself works";
    fs::rename(at("/home/project/mine"), at("/home/conf"));
    EXPECT_EQ(attack("swap", "rename", "/home/deep"), "done");
    fs::rename(at("/home/project/mine"), at("/home/deep"));
    EXPECT_EQ(attack("swap", "symlink", "/home/conf/gantry.yaml"), "done");
}

TEST_P(Swap, NothingIsWrittenWhereTheGatewayReads) {
    for (const std::string& file : files_) {
        box.say({"write", at(file)});  // perhaps to a cover, or in strict to a private /tmp
        EXPECT_TRUE(refused(box.say({"hard-link", hidden(at(file)), hidden(at("/home/project/mine"))}))) << file;
        expect_untouched();
    }
    EXPECT_TRUE(refused(box.say({"write", at("/home/conf/.env")})));
    EXPECT_TRUE(refused(box.say({"write", at("/home/deep/secret/new")})));
    expect_untouched();
    leave_open();
    EXPECT_EQ(box.say({"hard-link", hidden(at(files_[0])), hidden(at("/home/project/mine"))}), "done");
    EXPECT_EQ(box.say({"write", at("/home/conf/.env")}), "done") << "the attack itself works";
}

TEST_P(Swap, AFileThatAnEditorReplacedWhileTheServerRunsIsNotItsToWrite) {
    // The cover of the old file disappears with it, in every namespace; the lock on the folder stays.
    auto process = box.start({"stay"});
    ASSERT_TRUE(process) << process.error().to_string();
    box.put("/home/conf/gantry.yaml.new", "the operator's");
    fs::rename(at("/home/conf/gantry.yaml.new"), at("/home/conf/gantry.yaml"));
    const std::string inside = "/proc/" + std::to_string((*process)->pid()) + "/root" + at("/home/conf/gantry.yaml");
    const Fd fd(::open(inside.c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_FALSE(fd) << "the same way the server would";
    EXPECT_EQ(errno, GetParam() == IsolationLevel::kStandard ? EROFS : ENOENT);
    box.loop.run_until_done((*process)->stop());
}

TEST_P(Swap, WatchingTheFolderGivesNoWayIn) {
    EXPECT_TRUE(refused(box.say({"lie-in-wait", hidden(at("/home/conf")), hidden(at("/home/project/mine"))})));
    expect_untouched();
    leave_open();
    EXPECT_EQ(box.say({"lie-in-wait", hidden(at("/home/conf")), hidden(at("/home/project/mine"))}), "done");
}

TEST_P(Swap, AFolderThatIsNamedIsWrittenAndStillNotMoved) {
    box.wish().write = {at("/home")};
    EXPECT_EQ(box.say({"write", at("/home/conf/new")}), "done");
    ASSERT_TRUE(box.sandbox);
    for (const char* name : {"/home", "/home/conf", "/home/conf/gantry.yaml", "/home/deep", "/home/deep/secret/token"})
        EXPECT_TRUE(refused(attack("swap", "rename", name))) << name;
    expect_untouched();
    EXPECT_EQ(box.sandbox->guard()->writer_of(at("/home/conf")), "") << "it has ended";
    auto process = box.start({"stay"});
    ASSERT_TRUE(process) << process.error().to_string();
    EXPECT_EQ(box.sandbox->guard()->writer_of(at("/home/conf")), "evil");
    box.loop.run_until_done((*process)->stop());
}

TEST_P(Swap, FoldersInsideALockedOneStayWritable) {
    if (GetParam() == IsolationLevel::kStrict) box.wish().write = {at("/home/conf/data")};
    EXPECT_EQ(box.say({"write", at("/home/conf/data/new")}), "done");
    EXPECT_TRUE(fs::exists(at("/home/conf/data/new")));
    auto process = box.start({"stay"});
    ASSERT_TRUE(process) << process.error().to_string();
    EXPECT_EQ(box.sandbox->guard()->writer_of(at("/home/conf")), "");
    box.loop.run_until_done((*process)->stop());
}

TEST_P(Swap, AServersOwnHomeStaysWritableInALockedHome) {
    fs::create_directories(at("/home/.state"));
    box.put("/home/gantry.yaml", "the operator's");
    box.options.places.locked = {at("/home")};
    box.options.places.state = at("/home/.state");
    box.options.places.homes = at("/home/.state/homes");
    EXPECT_EQ(box.say({"write", at("/home/.state/homes/evil/new")}), "done");
    EXPECT_TRUE(fs::exists(at("/home/.state/homes/evil/new")));
    box.say({"write", at("/home/new")});  // in strict perhaps to a private /tmp
    EXPECT_FALSE(fs::exists(at("/home/new")));
    if (GetParam() == IsolationLevel::kStandard) EXPECT_EQ(box.say({"write", at("/home/project/new")}), "done");
    EXPECT_EQ(box.notes, std::vector<std::string>());
}

TEST_P(Swap, TheStateFolderIsItsToWriteOnlyInItsOwnHome) {
    auto process = box.start({"stay"});
    ASSERT_TRUE(process) << process.error().to_string();
    const Places& places = box.options.places;
    EXPECT_EQ(box.sandbox->guard()->writer_of(places.state + "/.local/share/gantry"), "");
    EXPECT_EQ(box.sandbox->guard()->writer_of(places.homes + "/other"), "");
    EXPECT_EQ(box.sandbox->guard()->writer_of(places.homes + "/evil/notes"), "evil");
    box.loop.run_until_done((*process)->stop());
}

TEST_P(Swap, NoServerStartsWhileAPlaceIsNotWhatItWas) {
    box.options.check_places = [] { return fail(ErrorCode::kDenied, "the state folder was moved"); };
    const auto started = box.start({"stay"});
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message(), "the state folder was moved");
}

TEST(SwapWithoutNamespaces, EveryFolderCountsAsWritable) {
    Kernel without = kernel();
    without.namespaces = {.name = "namespaces", .available = false, .why = "taken away by a test"};
    Box box;
    box.options.kernel = &without;
    box.options.places.locked = {box.base + "/home"};
    auto process = box.start({"stay"});
    ASSERT_TRUE(process) << process.error().to_string();
    EXPECT_EQ(box.sandbox->guard()->writer_of(box.base + "/home"), "evil");
    box.loop.run_until_done((*process)->stop());
}

}  // namespace
}  // namespace gantry::gateway::sandbox
