// A store that cannot be written.
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recording/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

/// Changes the gateway's file size limit while it runs.
void let_files_grow_to(const Gateway& gateway, rlim_t bytes, int pid) {
    static_cast<void>(gateway);
    rlimit limit{};
    ASSERT_EQ(::prlimit(pid, RLIMIT_FSIZE, nullptr, &limit), 0);
    limit.rlim_cur = bytes;
    ASSERT_EQ(::prlimit(pid, RLIMIT_FSIZE, &limit, nullptr), 0);
}

TEST(StoreTrouble, AFileThatMayNotGrowIsToldAndCallsGoOn) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    Gateway gateway("demo_tools: true\naudit: {gather: 5ms}\n", state);
    const int pid = gateway.child().pid();
    RawClient client(gateway.port());
    let_files_grow_to(gateway, 100'000, pid);
    for (int i = 0; i < 3000; ++i) ASSERT_TRUE(echo(client, std::to_string(i)).has_value()) << i;
    ASSERT_TRUE(gateway.child().wait_for_output("cannot be recorded"));
    let_files_grow_to(gateway, RLIM_INFINITY, pid);
    ASSERT_TRUE(gateway.child().wait_for_output("is recorded again"));
    ::kill(pid, SIGTERM);
    EXPECT_EQ(gateway.child().wait(), 0);
    const Ran verdict = verify(state);
    EXPECT_EQ(verdict.code, 0) << verdict.out << verdict.err;
    EXPECT_EQ(entries(state, "tool.called").size(), 3000u) << "what could not be written waited";
}

TEST(StoreTrouble, WhereThatWasAskedForNothingRunsUnrecorded) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    Gateway gateway("demo_tools: true\naudit: {mode: before-answer, on_failure: refuse, arguments: values}\n", state);
    const int pid = gateway.child().pid();
    RawClient client(gateway.port());
    let_files_grow_to(gateway, 200'000, pid);
    std::set<std::string> answered;
    RawReply refusal;
    for (int i = 0; refusal.status == 0; ++i) {
        ASSERT_LT(i, 10'000) << "nothing was refused";
        ASSERT_TRUE(client.send(echo_request(std::to_string(i))));
        const RawReply reply = client.reply();
        if (reply.code() == 0) {
            answered.insert(reply.text());
        } else {
            refusal = reply;
        }
    }
    EXPECT_THAT(refusal.body, HasSubstr("recorded"));
    let_files_grow_to(gateway, RLIM_INFINITY, pid);
    ASSERT_TRUE(gateway.child().wait_for_output("is recorded again"));
    EXPECT_EQ(echo(client, "after"), "after");
    EXPECT_EQ(verify(state).code, 0);
    const auto recorded = recorded_messages(state);
    for (const std::string& message : answered) EXPECT_EQ(recorded.count(message), 1u) << message;
    EXPECT_EQ(recorded.count("after"), 1u);
}

TEST(StoreTrouble, AFullDiskIsSurvivedAndTold) {
    if (::geteuid() != 0) GTEST_SKIP() << "a small disk needs root";
    const TempDir folder;
    const std::string disk = folder.path() + "/disk";
    std::filesystem::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m,mode=700") != 0)
        GTEST_SKIP() << "nothing may be mounted here";
    const struct Unmount {
        const std::string& disk;
        ~Unmount() { ::umount2(disk.c_str(), MNT_DETACH); }
    } unmount{disk};
    const std::string state = disk + "/state";
    Gateway gateway("demo_tools: true\naudit: {gather: 5ms}\n", state);
    const std::string filler = disk + "/filler";
    std::ofstream(filler) << std::string(2 << 20, 'x');  // fills the rest of the disk
    RawClient client(gateway.port());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(echo(client, std::to_string(i)).has_value()) << i;
    ASSERT_TRUE(gateway.child().wait_for_output("make room on the disk")) << gateway.child().err();
    std::filesystem::remove(filler);
    ASSERT_TRUE(gateway.child().wait_for_output("is recorded again"));
    EXPECT_EQ(echo(client, "after"), "after");
    ::kill(gateway.child().pid(), SIGTERM);
    EXPECT_EQ(gateway.child().wait(), 0);
    const Ran verdict = verify(state);
    EXPECT_EQ(verdict.code, 0) << verdict.out << verdict.err;
    EXPECT_EQ(entries(state, "tool.called").size(), 1001u);
}

TEST(StoreTrouble, OnAFullDiskNothingIsAnsweredThatIsNotRecorded) {
    if (::geteuid() != 0) GTEST_SKIP() << "a small disk needs root";
    const TempDir folder;
    const std::string disk = folder.path() + "/disk";
    std::filesystem::create_directories(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m,mode=700") != 0)
        GTEST_SKIP() << "nothing may be mounted here";
    const struct Unmount {
        const std::string& disk;
        ~Unmount() { ::umount2(disk.c_str(), MNT_DETACH); }
    } unmount{disk};
    const std::string state = disk + "/state";
    Gateway gateway("demo_tools: true\naudit: {mode: before-answer, on_failure: refuse, arguments: values}\n", state);
    RawClient client(gateway.port());
    ASSERT_EQ(echo(client, "before"), "before");
    const std::string filler = disk + "/filler";
    std::ofstream(filler) << std::string(2 << 20, 'x');  // fills the rest of the disk
    std::set<std::string> answered{"before"};
    RawReply refusal;
    for (int i = 0; refusal.status == 0; ++i) {
        ASSERT_LT(i, 10'000) << "nothing was refused";
        ASSERT_TRUE(client.send(echo_request(std::to_string(i))));
        const RawReply reply = client.reply();
        if (reply.code() == 0) {
            answered.insert(reply.text());
        } else {
            refusal = reply;
        }
    }
    EXPECT_THAT(refusal.body, HasSubstr("recorded"));
    ASSERT_TRUE(gateway.child().wait_for_output("make room on the disk")) << gateway.child().err();
    std::filesystem::remove(filler);
    ASSERT_TRUE(gateway.child().wait_for_output("is recorded again"));
    EXPECT_EQ(echo(client, "after"), "after");
    ::kill(gateway.child().pid(), SIGTERM);
    EXPECT_EQ(gateway.child().wait(), 0);
    EXPECT_EQ(verify(state).code, 0);
    const auto recorded = recorded_messages(state);
    for (const std::string& message : answered) EXPECT_EQ(recorded.count(message), 1u) << message;
}

TEST(StoreTrouble, ATruncatedJournalIsFoundByTheCommandLineAndStaysFound) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    const auto session = [&] {
        Gateway gateway("demo_tools: true\n", state);
        RawClient client(gateway.port());
        for (int i = 0; i < 5; ++i) ASSERT_TRUE(echo(client, "x").has_value());
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    };
    session();
    ASSERT_EQ(verify(state).code, 0);
    const Ran cut =
        run({"/usr/bin/sqlite3", state + "/events.db", "DROP TRIGGER events_last; DELETE FROM events WHERE seq > 3;"});
    ASSERT_EQ(cut.code, 0) << cut.err;
    Ran verdict = verify(state);
    EXPECT_EQ(verdict.code, 1);
    EXPECT_THAT(verdict.out, HasSubstr("the end is missing"));
    session();
    verdict = verify(state);
    EXPECT_EQ(verdict.code, 1) << "what was added hides it from nobody";
    EXPECT_THAT(verdict.out, HasSubstr("entries were lost"));
}

}  // namespace
}  // namespace gantry::testing
