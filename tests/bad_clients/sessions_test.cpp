// Legacy sessions through the real process: who owns them, what ends them, what survives a restart or is valid at
// another instance, and forged ids.
#include <sys/stat.h>

#include "auth/seal/sealer.hpp"
#include "bad_clients/rig.hpp"
#include "mcp/server/session_id.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SessionsTest : public BadClientTest {
protected:
    void SetUp() override { start(kConfig, state()); }

    std::string state() const { return folder_.path() + "/state"; }

    RawReply ping(const std::string& session, const std::string& path = "/mcp") const {
        return post(legacy("1", "ping"), {{"Mcp-Session-Id", session}}, path);
    }
    void expect_gone(const std::string& session, const std::string& why, const std::string& path = "/mcp") const {
        const Fields fields{{"Mcp-Session-Id", session}};
        const RawReply called = post(legacy("7", "tools/list"), fields, path);
        EXPECT_EQ(called.status, 404) << why;
        EXPECT_EQ(called.code(), -32600) << why;
        EXPECT_EQ(called.id(), "7") << why;
        EXPECT_EQ(say(request("GET", path, "", fields)).status, 404) << why;
        EXPECT_EQ(say(request("DELETE", path, "", fields)).status, 404) << why;
        EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", fields, path).status, 404) << why;
        EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":1,"result":{}})", fields, path).status, 404) << why;
    }

    /// How often `text` occurs in a session's stream before the first change made by this test.
    static std::size_t count(const std::string& in, std::string_view text) {
        std::size_t found = 0;
        for (std::size_t at = in.find(text); at != std::string::npos; at = in.find(text, at + 1)) ++found;
        return found;
    }

private:
    TempDir folder_;
};

TEST_F(SessionsTest, IdsNobodyWasGivenAreUnknownOnEveryRequest) {
    const std::string good = initialize();
    ASSERT_EQ(ping(good).status, 200);
    std::string flipped = good;
    flipped[good.size() / 2] = flipped[good.size() / 2] == 'A' ? 'B' : 'A';
    std::string foreign;
    {
        const TempDir elsewhere;
        auto sealer = auth::Sealer::from_folder(elsewhere.path() + "/state");
        ASSERT_TRUE(sealer.has_value());
        foreign = mcp::seal_session(*sealer, "session",
                                    {.id = "x", .path = "/mcp", .identity = "local", .expires = mcp::unix_now() + 600});
    }
    for (const std::string& bad : {std::string("x"), std::string("0"), flipped, good + "A", good.substr(1),
                                   good.substr(0, good.size() - 1), good + good, foreign, std::string(20'000, 'A')})
        expect_gone(bad, bad.substr(0, 40));
    EXPECT_EQ(ping(good).status, 200);
    EXPECT_EQ(post(legacy("1", "ping")).status, 400) << "none at all";
    EXPECT_EQ(post(legacy("1", "ping"), {{"Mcp-Session-Id", good}, {"mcp-session-id", good}}).status, 400) << "twice";
}

TEST_F(SessionsTest, ASealedIdThatExpiredOrServesAnotherPurposeOpensNothing) {
    const std::string good = initialize();
    // Sealed with this installation's own keys, like a stolen old id.
    auto sealer = auth::Sealer::from_folder(state());
    ASSERT_TRUE(sealer.has_value());
    auto opened = mcp::open_session(*sealer, "session", good);
    ASSERT_TRUE(opened.has_value());
    const auto with = [&](auto change) {
        mcp::SessionFacts facts = *opened;
        facts.id = "another";
        change(facts);
        return mcp::seal_session(*sealer, "session", facts);
    };
    EXPECT_EQ(ping(with([](auto&) {})).status, 200) << "what is right about it is accepted";
    expect_gone(with([](auto& facts) { facts.expires = mcp::unix_now() - 1; }), "expired");
    expect_gone(with([](auto& facts) { facts.identity = "somebody else"; }), "another principal's");
    expect_gone(with([](auto& facts) { facts.path = "/mcp/servers/every"; }), "another path's");
    expect_gone(with([](auto& facts) { facts.capabilities = "{"; }), "damaged capabilities");
    expect_gone(mcp::seal_session(*sealer, "state", *opened), "another purpose");
    expect_gone(sealer->seal("session", "junk"), "no session inside");
}

TEST_F(SessionsTest, ASessionBelongsToThePathItWasOpenedOn) {
    const std::string all = initialize();
    const std::string one = initialize("/mcp/servers/every");
    EXPECT_EQ(ping(one, "/mcp/servers/every").status, 200);
    expect_gone(all, "of all", "/mcp/servers/every");
    expect_gone(one, "of one");
}

TEST_F(SessionsTest, DeletedMeansGoneForThatSessionAlone) {
    const std::string kept = initialize();
    const std::string deleted = initialize();
    RawClient stream = connect();
    stream.send(request("GET", "/mcp", "", {{"Mcp-Session-Id", deleted}}));
    ASSERT_TRUE(stream.see("\r\n\r\n"));
    EXPECT_EQ(say(request("DELETE", "/mcp", "", {{"Mcp-Session-Id", deleted}})).status, 204);
    EXPECT_TRUE(stream.see("\r\n0\r\n\r\n")) << "its stream ends";
    expect_gone(deleted, "deleted");
    EXPECT_EQ(ping(kept).status, 200);
    EXPECT_EQ(
        post(legacy("0", "initialize",
                    R"("protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"})"),
             {{"Mcp-Session-Id", deleted}})
            .status,
        200)
        << "a stale id does not keep a client from a new session";
}

TEST_F(SessionsTest, ARestartKeepsSessionsAndTellsOnceThatListsMayHaveChanged) {
    const std::string session = initialize();
    ASSERT_EQ(post(legacy("1", "logging/setLevel", R"("level":"info")"), {{"Mcp-Session-Id", session}}).status, 200);
    start(kConfig, state());
    EXPECT_EQ(ping(session).status, 200);
    const RawReply listed = post(legacy("2", "tools/list"), {{"Mcp-Session-Id", session}});
    EXPECT_THAT(listed.body, HasSubstr("demo_echo"));
    const auto told = [&] {
        RawClient stream = connect();
        stream.send(request("GET", "/mcp", "", {{"Mcp-Session-Id", session}}));
        // A second stream replaces the first, which has already delivered everything.
        EXPECT_TRUE(stream.see("\r\n\r\n"));
        return stream;
    };
    RawClient first = told();
    for (const char* type : {"tools", "prompts", "resources"})
        ASSERT_TRUE(first.see("notifications/" + std::string(type) + "/list_changed")) << type;
    RawClient second = told();
    ASSERT_TRUE(first.see("\r\n0\r\n\r\n"));
    for (const char* type : {"tools", "prompts", "resources"})
        EXPECT_EQ(count(first.seen(), "notifications/" + std::string(type) + "/list_changed"), 1u) << type;
    RawClient third = told();
    ASSERT_TRUE(second.see("\r\n0\r\n\r\n"));
    EXPECT_THAT(second.seen(), Not(HasSubstr("list_changed"))) << "told again";
}

TEST_F(SessionsTest, AnotherInstanceWithTheSameStateTakesASessionUp) {
    const std::string session = initialize();
    Gateway other(kConfig, state());
    const auto ping_other = [&] {
        RawClient client(other.port());
        client.send(request("POST", "/mcp", legacy("1", "ping"), {{"Mcp-Session-Id", session}}));
        return client.reply().status;
    };
    EXPECT_EQ(ping_other(), 200);
    EXPECT_EQ(ping(session).status, 200) << "and it is still ours";

    const TempDir apart;
    Gateway stranger(kConfig, apart.path() + "/state");
    RawClient client(stranger.port());
    client.send(request("POST", "/mcp", legacy("1", "ping"), {{"Mcp-Session-Id", session}}));
    EXPECT_EQ(client.reply().status, 404) << "another installation";
}

TEST_F(SessionsTest, DeletedMeansGoneAfterARestart) {
    const std::string kept = initialize();
    const std::string deleted = initialize();
    EXPECT_EQ(say(request("DELETE", "/mcp", "", {{"Mcp-Session-Id", deleted}})).status, 204);
    for (int restarts = 0; restarts < 2; ++restarts) {
        start(kConfig, state());
        expect_gone(deleted, "deleted before the restart");
        EXPECT_EQ(ping(kept).status, 200);
    }
}

TEST_F(SessionsTest, DeletedMeansGoneEvenIfTheGatewayIsKilledTheMomentItSaidSo) {
    const std::string deleted = initialize();
    EXPECT_EQ(say(request("DELETE", "/mcp", "", {{"Mcp-Session-Id", deleted}})).status, 204);
    ASSERT_EQ(::kill(pid(), SIGKILL), 0);
    start(kConfig, state());
    expect_gone(deleted, "deleted before the end");
}

TEST_F(SessionsTest, DeletedOnOneInstanceMeansGoneOnTheOthers) {
    const std::string session = initialize();
    const std::string kept = initialize();
    const Fields fields{{"Mcp-Session-Id", session}};
    Gateway knows(kConfig, state());
    Gateway sees_first(kConfig, state());
    const auto ping_at = [](const Gateway& gateway, const std::string& id) {
        RawClient client(gateway.port());
        client.send(request("POST", "/mcp", legacy("1", "ping"), {{"Mcp-Session-Id", id}}));
        return client.reply().status;
    };
    ASSERT_EQ(ping_at(knows, session), 200);
    ASSERT_EQ(ping_at(knows, kept), 200);
    RawClient stream(knows.port());
    stream.send(request("GET", "/mcp", "", fields));
    ASSERT_TRUE(stream.see("\r\n\r\n"));

    EXPECT_EQ(say(request("DELETE", "/mcp", "", fields)).status, 204);
    EXPECT_EQ(ping_at(sees_first, session), 404) << "at once where it was never seen";
    EXPECT_TRUE(eventually([&] { return ping_at(knows, session) == 404; }));
    EXPECT_TRUE(stream.see("\r\n0\r\n\r\n")) << "its stream ends there too";
    for (const Gateway* other : {&knows, &sees_first}) EXPECT_EQ(ping_at(*other, kept), 200);
}

TEST_F(SessionsTest, TheKeysArePrivateAndAGatewayWithoutPrivateKeysDoesNotStart) {
    struct stat info{};
    ASSERT_EQ(::stat(state().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    for (const auto& entry : std::filesystem::directory_iterator(state())) {
        ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 0777, S_ISDIR(info.st_mode) ? 0700u : 0600u) << entry.path();
    }
    ASSERT_EQ(::chmod((state() + "/seal.keys").c_str(), 0644), 0);
    Child refused({.command = {gantry_program(), "serve", "--demo", "--listen", "127.0.0.1:0", "--state-dir", state()},
                   .env = {}});
    const auto code = refused.wait();
    ASSERT_TRUE(code.has_value()) << "it runs";
    EXPECT_NE(*code, 0);
    EXPECT_THAT(refused.err(), HasSubstr("seal.keys"));
}

TEST_F(SessionsTest, AKeyThatWasRotatedOutStillOpensWhatItSealed) {
    const std::string session = initialize();
    // Pretend that the key is old: the next start creates its successor.
    const std::string file = state() + "/seal.keys";
    std::string text((std::istreambuf_iterator<char>(*std::make_unique<std::ifstream>(file))), {});
    auto keys = Json::parse(text);
    ASSERT_TRUE(keys.has_value()) << text;
    Json& key = keys->if_object()->find("keys")->if_array()->front();
    const std::string old = key.find("id")->dump();
    key.if_object()->set("made", mcp::unix_now() - 31 * 24 * 3600);
    std::ofstream(file, std::ios::trunc) << keys->dump();
    start(kConfig, state());
    EXPECT_EQ(ping(session).status, 200);
    const std::string fresh = initialize();
    EXPECT_NE(fresh.substr(0, 5), session.substr(0, 5)) << "the same key still seals";
    EXPECT_EQ(ping(fresh).status, 200);
}

}  // namespace
}  // namespace gantry::testing
