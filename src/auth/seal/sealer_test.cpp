#include "auth/seal/sealer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "io/test_temporary_folder.hpp"

namespace gantry::auth {
namespace {

using namespace std::chrono_literals;

/// A clock controlled by the test.
struct TestTime {
    WallClock::time_point now = WallClock::time_point(std::chrono::days(20000));
    Rotation rotation() {
        return {.rotate_after = std::chrono::days(30), .keep_for = std::chrono::days(8), .now = [this] { return now; }};
    }
};

TEST(SealerTest, OpensWhatItSealedAndNothingElse) {
    Sealer sealer = *Sealer::ephemeral();
    const std::string token = sealer.seal("session", "alice");
    EXPECT_EQ(*sealer.open("session", token), "alice");
    EXPECT_EQ(sealer.open("state", token).error().code(), ErrorCode::kDenied);
    EXPECT_EQ(sealer.open("session", "").error().code(), ErrorCode::kDenied);
    EXPECT_EQ(sealer.open("session", token + "A").error().code(), ErrorCode::kDenied);
    for (std::size_t i = 0; i < token.size(); ++i) {
        std::string altered = token;
        altered[i] = altered[i] == 'A' ? 'B' : 'A';
        EXPECT_FALSE(sealer.open("session", altered).has_value()) << i;
    }
}

TEST(SealerTest, TwoTokensOfTheSameValueDiffer) {
    Sealer sealer = *Sealer::ephemeral();
    EXPECT_NE(sealer.seal("session", "x"), sealer.seal("session", "x"));
}

TEST(SealerTest, AnotherInstallationOpensNothing) {
    Sealer ours = *Sealer::ephemeral();
    Sealer theirs = *Sealer::ephemeral();
    EXPECT_FALSE(theirs.open("session", ours.seal("session", "x")).has_value());
}

TEST(SealerTest, SurvivesARestartThroughItsFolderWhichIsPrivate) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    std::string token;
    {
        Sealer sealer = *Sealer::from_folder(state);
        token = sealer.seal("session", "alice");
    }
    Sealer sealer = *Sealer::from_folder(state);
    EXPECT_EQ(*sealer.open("session", token), "alice");

    struct stat info{};
    ASSERT_EQ(::stat(state.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    ASSERT_EQ(::stat((state / "seal.keys").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(SealerTest, RefusesAKeyFileOthersMayRead) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    ASSERT_TRUE(Sealer::from_folder(state).has_value());
    ASSERT_EQ(::chmod((state / "seal.keys").c_str(), 0644), 0);
    auto refused = Sealer::from_folder(state);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code(), ErrorCode::kDenied);
}

TEST(SealerTest, RefusesADamagedKeyFileInsteadOfMakingNewKeys) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    ASSERT_TRUE(Sealer::from_folder(state).has_value());
    std::ofstream(state / "seal.keys", std::ios::trunc) << R"({"version":1,"keys":[{"id":"AA","key":"AA","made":1}]})";
    EXPECT_FALSE(Sealer::from_folder(state).has_value());
}

TEST(SealerTest, RotationKeepsThePreviousKeyUntilWhatItSealedHasExpired) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    TestTime time;
    Sealer sealer = *Sealer::from_folder(state, time.rotation());
    const std::string old_token = sealer.seal("session", "old");

    time.now += std::chrono::days(31);
    const std::string new_token = sealer.seal("session", "new");
    EXPECT_NE(old_token.substr(0, 5), new_token.substr(0, 5)) << "the same key still seals";
    EXPECT_EQ(*sealer.open("session", old_token), "old");

    time.now += std::chrono::days(9);
    Sealer restarted = *Sealer::from_folder(state, time.rotation());
    EXPECT_EQ(*restarted.open("session", new_token), "new");
    EXPECT_FALSE(restarted.open("session", old_token).has_value());
}

TEST(SealerTest, FindsTheKeyAnotherProcessRotatedIn) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    TestTime time;
    Sealer first = *Sealer::from_folder(state, time.rotation());
    time.now += std::chrono::days(31);
    Sealer second = *Sealer::from_folder(state, time.rotation());
    const std::string token = second.seal("session", "x");
    EXPECT_EQ(*first.open("session", token), "x");
}

TEST(SealerTest, FindsTheKeyAnotherProcessRotatedInAfterTheClockWasSetBack) {
    const TemporaryFolder folder;
    const auto state = folder.path() / "state";
    TestTime time;
    Sealer first = *Sealer::from_folder(state, time.rotation());
    const std::string before = first.seal("session", "old");
    time.now += std::chrono::days(31);
    Sealer second = *Sealer::from_folder(state, time.rotation());
    const std::string token = second.seal("session", "x");
    time.now -= std::chrono::days(400);
    ASSERT_TRUE(first.open("session", token).has_value());
    EXPECT_EQ(*first.open("session", before), "old");
}

}  // namespace
}  // namespace gantry::auth
