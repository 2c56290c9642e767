// Ended legacy sessions: what an endpoint publishes to other instances, and what it learns from them.
#include "mcp/server/revocations.hpp"

#include "mcp/server/session_id.hpp"
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";

/// The state shared by all instances, and the revocations by others.
struct Shared final : Revocations {
    void revoke(const SessionDigest& session, std::int64_t expires) override {
        known.add(session, expires);
        heard.push_back(session);
    }
    bool revoked(const SessionDigest& session) const noexcept override { return known.contains(session); }
    std::vector<SessionDigest> news() override {
        for (const SessionDigest& session : others) known.add(session, unix_now() + 60);
        return std::exchange(others, {});
    }

    RevokedSet known{100};
    std::vector<SessionDigest> heard;
    std::vector<SessionDigest> others;
};

HttpEndpointOptions with(Shared& shared) {
    HttpEndpointOptions options;
    options.revocations = &shared;
    options.keep_alive = std::chrono::minutes(10);  // a stream that does not end goes silent, and the test fails
    return options;
}

Shared& shared_of(Rig& rig) {
    return static_cast<Shared&>(*rig.options.revocations);
}

SessionDigest digest_in(Rig& rig) {
    return digest_of(open_session(rig.sealer, "session", rig.session)->id);
}

TEST(RevocationsTest, DeleteIsToldToOthersAndHoldsAfterARestart) {
    Shared shared;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 204);
            EXPECT_THAT(shared_of(rig).heard, ElementsAre(digest_in(rig)));
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            co_await rig.restart();
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 404);
            EXPECT_THAT(shared_of(rig).heard, SizeIs(1));
        },
        with(shared));
}

TEST(RevocationsTest, ASessionSeenForTheFirstTimeIsNotTakenUpBeforeTheNewsAreKnown) {
    Shared shared;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            co_await rig.restart();
            shared_of(rig).others = {digest_in(rig)};
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            EXPECT_EQ(rig.endpoint->counts().sessions, 0u);
        },
        with(shared));
}

TEST(RevocationsTest, AKnownSessionThatOthersEndedEndsHereWithItsStream) {
    Shared shared;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            const std::string kept = rig.session;
            CO_ASSERT(co_await rig.initialize());
            auto stream = co_await rig.open("GET", "", rig.session_headers());
            CO_ASSERT(stream && stream->status() == 200);
            shared_of(rig).others = {digest_of("nobody's"), digest_in(rig)};
            while (co_await stream->next()) {}
            EXPECT_FALSE(stream->broken()) << "it ends in good order";
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            EXPECT_THAT(rig.backend.ended, SizeIs(1));
            EXPECT_THAT(shared_of(rig).heard, IsEmpty()) << "they know";
            rig.session = kept;
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 200);
        },
        with(shared));
}

TEST(RevocationsTest, NotUsedForTooLongHereIsNoReasonToEndItElsewhere) {
    Shared shared;
    HttpEndpointOptions options = with(shared);
    options.session_idle = Duration::zero();
    run_rig(
        [](Rig& rig) -> Task<void> {
            (void)co_await rig.initialize();  // ends before initialized is sent
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
            EXPECT_THAT(rig.backend.ended, SizeIs(1));
            EXPECT_THAT(shared_of(rig).heard, IsEmpty());
        },
        options);
}

TEST(RevocationsTest, ASessionThatGaveWayAndCameBackIsStillFound) {
    Shared shared;
    HttpEndpointOptions options = with(shared);
    options.max_sessions = 1;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            const std::string first = rig.session;
            CO_ASSERT(co_await rig.initialize());
            rig.session = first;
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 200);
            auto stream = co_await rig.open("GET", "", rig.session_headers());
            CO_ASSERT(stream && stream->status() == 200);
            shared_of(rig).others = {digest_in(rig)};
            while (co_await stream->next()) {}
            EXPECT_EQ((co_await rig.legacy(kPing)).status, 404);
        },
        options);
}

TEST(RevokedSetTest, ForgetsTheExpiredBeforeTheSoonestToExpire) {
    const std::int64_t now = unix_now();
    RevokedSet set(8);
    for (int i = 0; i < 4; ++i) set.add(digest_of("over" + std::to_string(i)), now);
    for (int i = 0; i < 4; ++i) set.add(digest_of("good" + std::to_string(i)), now + 1000 + i);
    EXPECT_FALSE(set.add(digest_of("good0"), now + 5000)) << "known";
    EXPECT_TRUE(set.add(digest_of("one more"), now + 1));
    EXPECT_EQ(set.size(), 5u);
    EXPECT_EQ(set.lost(), 0u);
    for (int i = 0; i < 4; ++i) set.add(digest_of("late" + std::to_string(i)), now + 2000);
    EXPECT_EQ(set.size(), 8u);
    EXPECT_EQ(set.lost(), 1u);
    EXPECT_FALSE(set.contains(digest_of("one more")));
    EXPECT_TRUE(set.contains(digest_of("good0")));
}

TEST(RevokedSetTest, OfOneExpiryAsManyGoAsMust) {
    RevokedSet set(80);
    for (int i = 0; i < 81; ++i) set.add(digest_of(std::to_string(i)), unix_now() + 1000);
    EXPECT_EQ(set.size(), 71u);
    EXPECT_EQ(set.lost(), 10u);
    RevokedSet none(0);
    EXPECT_TRUE(none.add(digest_of("a"), unix_now() + 1000)) << "the newest always stays";
    EXPECT_TRUE(none.contains(digest_of("a")));
}

}  // namespace
}  // namespace gantry::mcp::testing
