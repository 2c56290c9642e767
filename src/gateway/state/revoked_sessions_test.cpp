#include "gateway/state/revoked_sessions.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include "io/test_temporary_folder.hpp"
#include "mcp/server/session_id.hpp"

namespace gantry::gateway {
namespace {

using mcp::digest_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::size_t kLine = 35;

std::int64_t in_an_hour() {
    return mcp::unix_now() + 3600;
}

class RevokedSessionsTest : public ::testing::Test {
protected:
    std::unique_ptr<RevokedSessions> instance(std::size_t most = 100'000) {
        auto made = std::make_unique<RevokedSessions>(RevokedSessions::Options{
            .note = [this](std::string_view text) { notes.emplace_back(text); }, .most = most});
        const auto opened = made->open(state());
        EXPECT_TRUE(opened.has_value()) << opened.error().message();
        return made;
    }
    std::filesystem::path state() const { return folder_.path() / "state"; }
    std::filesystem::path file() const { return state() / "revoked.sessions"; }
    std::string content() const {
        std::ifstream in(file());
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void add(std::string_view text) const { std::ofstream(file(), std::ios::app) << text; }
    bool knows(RevokedSessions& sessions, std::string_view name) const { return sessions.revoked(digest_of(name)); }

    std::vector<std::string> notes;
    TemporaryFolder folder_;
};

TEST_F(RevokedSessionsTest, OutlivesTheInstanceAndNeverHoldsTheName) {
    {
        const auto first = instance();
        first->revoke(digest_of("alice's"), in_an_hour());
        EXPECT_TRUE(knows(*first, "alice's"));
        EXPECT_FALSE(knows(*first, "bob's"));
    }
    const auto second = instance();
    EXPECT_TRUE(knows(*second, "alice's"));
    EXPECT_FALSE(knows(*second, "bob's"));
    EXPECT_FALSE(folder_.contains("alice"));
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(RevokedSessionsTest, IsOnFileAtOnceAndForNobodyElseToRead) {
    const auto sessions = instance();
    sessions->revoke(digest_of("a"), in_an_hour());
    EXPECT_THAT(content(), SizeIs(kLine));
    sessions->revoke(digest_of("a"), in_an_hour());
    EXPECT_THAT(content(), SizeIs(kLine)) << "once is enough";
    struct stat info{};
    ASSERT_EQ(::stat(file().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(RevokedSessionsTest, AnotherInstanceHearsOfItOnce) {
    const auto here = instance();
    const auto there = instance();
    here->revoke(digest_of("a"), in_an_hour());
    here->revoke(digest_of("b"), in_an_hour());
    EXPECT_FALSE(knows(*there, "a")) << "it has not looked yet";
    EXPECT_THAT(there->news(), ElementsAre(digest_of("a"), digest_of("b")));
    EXPECT_TRUE(knows(*there, "a"));
    EXPECT_THAT(there->news(), IsEmpty());
    EXPECT_THAT(here->news(), IsEmpty()) << "what one did oneself is no news";
}

TEST_F(RevokedSessionsTest, WhatOneSeesWhileWritingIsStillNews) {
    const auto here = instance();
    const auto there = instance();
    here->revoke(digest_of("a"), in_an_hour());
    there->revoke(digest_of("b"), in_an_hour());
    EXPECT_THAT(there->news(), ElementsAre(digest_of("a")));
    EXPECT_THAT(here->news(), ElementsAre(digest_of("b")));
    EXPECT_THAT(content(), SizeIs(2 * kLine));
}

TEST_F(RevokedSessionsTest, BothMayWriteWhileOneWritesTheFileAnew) {
    const auto here = instance(16);
    const auto there = instance(16);
    for (int i = 0; i < 100; ++i) {
        (i % 2 == 0 ? here : there)->revoke(digest_of(std::to_string(i)), in_an_hour() + i);
        EXPECT_LE(content().size(), 16 * kLine);
    }
    here->news();
    there->news();
    for (int i = 90; i < 100; ++i) {
        EXPECT_TRUE(knows(*here, std::to_string(i))) << i;
        EXPECT_TRUE(knows(*there, std::to_string(i))) << i;
        EXPECT_TRUE(knows(*instance(16), std::to_string(i))) << i;
    }
}

TEST_F(RevokedSessionsTest, NothingIsLostWhileAnotherWritesTheFileAnew) {
    constexpr std::size_t kSmall = 64;
    constexpr int kKept = 30;
    const auto here = instance();
    std::atomic<bool> done = false;
    {
        const std::jthread other([&] {
            // Only expired entries, so that the file fills up repeatedly and none of the tested entries has to go.
            RevokedSessions sessions({.most = kSmall});
            if (!sessions.open(state())) {
                ADD_FAILURE() << "the other cannot open it";
                done = true;
            }
            for (int i = 0; !done; ++i) sessions.revoke(digest_of("over" + std::to_string(i)), mcp::unix_now() - 1);
        });
        for (int i = 0; i < kKept; ++i) {
            // The moment at which a line could be lost: the new file is being written, the old one still in place.
            while (!done && !std::filesystem::exists(state() / "revoked.sessions.new")) std::this_thread::yield();
            here->revoke(digest_of(std::to_string(i)), in_an_hour());
        }
        done = true;
    }
    const auto restarted = instance();
    for (int i = 0; i < kKept; ++i) EXPECT_TRUE(knows(*restarted, std::to_string(i))) << i;
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(RevokedSessionsTest, ExpiredLinesGoAtTheStart) {
    {
        const auto sessions = instance();
        sessions->revoke(digest_of("kept"), in_an_hour());
        sessions->revoke(digest_of("over"), mcp::unix_now() - 1);
        EXPECT_THAT(content(), SizeIs(2 * kLine));
    }
    const auto sessions = instance();
    EXPECT_THAT(content(), SizeIs(kLine));
    EXPECT_TRUE(knows(*sessions, "kept"));
    EXPECT_FALSE(knows(*sessions, "over"));
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(RevokedSessionsTest, DamagedLinesAreSkippedAndTold) {
    instance()->revoke(digest_of("before"), in_an_hour());
    const std::string good = content();
    add("\nwhat is this\n" + good.substr(0, 22) + " 0000000000x\n" + good.substr(0, 22) + " -0000000001\n" +
        std::string(22, '!') + good.substr(22) + good.substr(1) + std::string(5000, 'x') + "\n");
    const auto running = instance();
    EXPECT_THAT(notes, ElementsAre("revoked.sessions: damaged lines skipped: 7"));
    EXPECT_TRUE(knows(*running, "before"));
    EXPECT_EQ(content(), good) << "and they are gone";
    notes.clear();
    add("meanwhile\n");
    EXPECT_THAT(running->news(), IsEmpty());
    EXPECT_THAT(notes, ElementsAre("revoked.sessions: damaged lines skipped: 1"));
    running->revoke(digest_of("after"), in_an_hour());
    const auto restarted = instance();
    EXPECT_TRUE(knows(*restarted, "before"));
    EXPECT_TRUE(knows(*restarted, "after"));
}

TEST_F(RevokedSessionsTest, ALineThatBrokeOffSpoilsNoOther) {
    const auto here = instance();
    const auto there = instance();
    here->revoke(digest_of("a"), in_an_hour());
    const std::string line = content();
    add(std::string_view(line).substr(0, 30));
    EXPECT_THAT(there->news(), ElementsAre(digest_of("a")));
    EXPECT_THAT(notes, IsEmpty()) << "it may still become whole";
    here->revoke(digest_of("b"), in_an_hour());
    EXPECT_THAT(there->news(), ElementsAre(digest_of("b")));
    EXPECT_TRUE(knows(*instance(), "b"));
}

TEST_F(RevokedSessionsTest, WhenFullTheSoonestToExpireGoAndThatIsToldOnce) {
    const auto sessions = instance(80);
    const std::int64_t then = in_an_hour();
    for (int i = 0; i < 300; ++i) {
        sessions->revoke(digest_of(std::to_string(i)), then + (i * 7) % 300);
        ASSERT_TRUE(knows(*sessions, std::to_string(i))) << "the newest always stays";
        ASSERT_LE(content().size(), 80 * kLine);
    }
    const auto restarted = instance(80);
    std::size_t kept = 0;
    for (int i = 0; i < 300; ++i) {
        if (knows(*restarted, std::to_string(i))) ++kept;
        if ((i * 7) % 300 >= 240) EXPECT_TRUE(knows(*restarted, std::to_string(i))) << i;
    }
    EXPECT_LE(kept, 80u);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("revoked.sessions: full")));
}

TEST_F(RevokedSessionsTest, ExpiredOnesMakeRoomWithoutALoss) {
    const auto sessions = instance(16);
    sessions->revoke(digest_of("kept"), in_an_hour());
    for (int i = 0; i < 100; ++i) sessions->revoke(digest_of(std::to_string(i)), mcp::unix_now() - 1);
    EXPECT_TRUE(knows(*sessions, "kept"));
    EXPECT_TRUE(knows(*instance(16), "kept"));
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(RevokedSessionsTest, AFileThatIsNotOursIsRefused) {
    const auto refusal = [&] {
        RevokedSessions sessions({});
        const auto opened = sessions.open(state());
        EXPECT_FALSE(opened.has_value());
        sessions.revoke(digest_of("a"), in_an_hour());
        EXPECT_TRUE(knows(sessions, "a")) << "in memory";
        if (opened) return ErrorCode::kInternal;
        EXPECT_THAT(opened.error().message(), HasSubstr("revoked.sessions"));
        return opened.error().code();
    };
    instance()->revoke(digest_of("a"), in_an_hour());
    ASSERT_EQ(::chmod(file().c_str(), 0640), 0);
    EXPECT_EQ(refusal(), ErrorCode::kDenied);
    std::filesystem::rename(file(), state() / "elsewhere");
    std::filesystem::create_symlink("elsewhere", file());
    EXPECT_EQ(refusal(), ErrorCode::kDenied);
    std::filesystem::remove(file());
    instance();
    std::filesystem::resize_file(file(), 2 * 100'000 * kLine + 2 * kLine);
    EXPECT_EQ(refusal(), ErrorCode::kLimit);
}

TEST_F(RevokedSessionsTest, WhatCannotBeWrittenHoldsInMemoryAndIsWrittenLater) {
    const auto sessions = instance();
    sessions->revoke(digest_of("before"), in_an_hour());
    // Another file in its place, which must not be written to.
    std::filesystem::rename(file(), state() / "elsewhere");
    std::filesystem::create_symlink("elsewhere", file());
    sessions->revoke(digest_of("a"), in_an_hour());
    sessions->revoke(digest_of("b"), in_an_hour());
    EXPECT_THAT(notes, ElementsAre(HasSubstr("revoked.sessions: could not be written"))) << "told once";
    EXPECT_TRUE(knows(*sessions, "a"));
    std::filesystem::rename(state() / "elsewhere", file());
    sessions->revoke(digest_of("c"), in_an_hour());
    const auto restarted = instance();
    for (const char* name : {"before", "a", "b", "c"}) EXPECT_TRUE(knows(*restarted, name)) << name;
}

TEST_F(RevokedSessionsTest, AFileThatIsEmptiedOrRemovedIsMadeAgainFromMemory) {
    const auto sessions = instance();
    sessions->revoke(digest_of("a"), in_an_hour());
    const auto other = instance();
    std::filesystem::resize_file(file(), 0);
    EXPECT_THAT(sessions->news(), IsEmpty());
    EXPECT_TRUE(knows(*sessions, "a"));
    sessions->revoke(digest_of("b"), in_an_hour());
    EXPECT_THAT(content(), SizeIs(2 * kLine));
    EXPECT_THAT(other->news(), ElementsAre(digest_of("b")));
    std::filesystem::remove(file());
    EXPECT_THAT(sessions->news(), IsEmpty());
    sessions->revoke(digest_of("c"), in_an_hour());
    EXPECT_THAT(other->news(), ElementsAre(digest_of("c"))) << "in another, larger file";
    EXPECT_THAT(content(), SizeIs(3 * kLine));
    EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace gantry::gateway
