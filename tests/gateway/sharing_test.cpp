// Which clients share a legacy child: real processes that report their pid and what they received.
#include <sys/stat.h>

#include <filesystem>
#include <iomanip>
#include <sstream>

#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

using ::testing::Each;

/// Unlike that of any other test that runs at the same time.
const std::string kKid = "kid" + std::to_string(::getpid());

/// The process that answered, the connection it was asked over, and what it knows about the client.
struct Who {
    std::int64_t pid = 0;
    std::int64_t session = 0;
    std::string capabilities;
};
Who read_who(const std::string& text) {
    const auto json = Json::parse(text);
    if (!json || json->find("pid") == nullptr) {
        ADD_FAILURE() << text;
        return {};
    }
    return {.pid = *json->find("pid")->as_int(),
            .session = *json->find("session")->as_int(),
            .capabilities = json->find("capabilities")->dump()};
}
Who who(Ear& ear) {
    return read_who(ear.say(kKid + "_who"));
}

ConnectOptions askable(ConnectOptions options) {
    options.handlers.elicit = [](const mcp::ElicitParams&) {
        return Result<mcp::ElicitResult>(mcp::ElicitResult{.action = mcp::ElicitAction::kCancel});
    };
    return options;
}
ConnectOptions with_root(ConnectOptions options, const std::string& uri) {
    options.handlers.roots = [uri] {
        mcp::Root root;
        root.uri = uri;
        return Result<std::vector<mcp::Root>>(std::vector{root});
    };
    return options;
}

std::vector<int> kids() {
    return processes_with("watched_server.mjs " + kKid + " stdio");
}

class SharingTest : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
    static std::string config(const std::string& sharing, const std::string& more = {}) {
        // The pids the server reports are compared with those seen from outside, so it must not run in a pid namespace.
        return "servers:\n" +
               Watched(kKid, Reached::kStdioLegacy).entry("    isolation: off\n    sharing: " + sharing + "\n" + more);
    }
};

TEST_F(SharingTest, SharedIsOneChildThatIsToldNothing) {
    Gateway gateway(config("shared"));
    Ear plain(over_http(gateway, Era::kModern));
    Ear legacy(askable(over_http(gateway, Era::kLegacy)));
    Ear modern(askable(over_http(gateway, Era::kModern)));
    const Who first = who(plain);
    for (Ear* ear : {&legacy, &modern}) {
        const Who other = who(*ear);
        EXPECT_EQ(other.pid, first.pid);
        EXPECT_EQ(other.session, first.session);
        EXPECT_EQ(other.capabilities, "{}");
    }
}

TEST_F(SharingTest, AutoGivesClientsThatCanBeAskedChildrenOfTheirCapabilitySet) {
    Gateway gateway(config("auto"));
    Ear plain(over_http(gateway, Era::kModern));
    Ear old(over_sse(gateway));
    Ear asks(askable(over_http(gateway, Era::kLegacy)));
    Ear asks_too(askable(over_http(gateway, Era::kLegacy)));
    const Who shared = who(plain);
    EXPECT_EQ(who(old).pid, shared.pid) << "calls that need nothing back share the child";
    EXPECT_EQ(shared.capabilities, "{}");
    const Who lane = who(asks);
    EXPECT_NE(lane.pid, shared.pid);
    EXPECT_THAT(lane.capabilities, ::testing::HasSubstr("elicitation"));
    EXPECT_EQ(who(asks_too).pid, lane.pid) << "the same principal and the same set";
}

TEST_F(SharingTest, PerClientChildrenEndWithTheirClients) {
    Gateway gateway(config("per-client"));
    Ear first(over_http(gateway, Era::kLegacy));
    Ear second(over_http(gateway, Era::kLegacy));
    const Who mine = who(first);
    EXPECT_EQ(who(first).pid, mine.pid);
    EXPECT_NE(who(second).pid, mine.pid);
    ASSERT_THAT(kids(), ::testing::Contains(static_cast<int>(mine.pid)));
    first.client().close();
    EXPECT_TRUE(eventually([&] { return std::ranges::count(kids(), static_cast<int>(mine.pid)) == 0; }));
    EXPECT_THAT(kids(), ::testing::Contains(static_cast<int>(who(second).pid)));
}

TEST_F(SharingTest, PerCallChildrenLiveForOneCall) {
    Gateway gateway(config("per-call"));
    Ear ear(over_http(gateway, Era::kModern));
    const std::set<std::int64_t> pids{who(ear).pid, who(ear).pid, who(ear).pid};
    EXPECT_EQ(pids.size(), 3u);
    // The process used for listing stays.
    EXPECT_TRUE(eventually([&] { return kids().size() == 1; }));
}

TEST_F(SharingTest, PerPrincipalIsOneStartHoweverManyWaitForIt) {
    Gateway gateway(config("per-principal"));
    Ear ear(over_http(gateway, Era::kModern));
    std::vector<Pending<mcp::CallToolResult>> calls;
    for (int i = 0; i < 12; ++i) calls.push_back(ear.client().call_async(kKid + "_who"));
    std::set<std::int64_t> pids;
    for (auto& call : calls) {
        const auto result = call.get();
        ASSERT_TRUE(result) << result.error().to_string();
        pids.insert(read_who(result->text()).pid);
    }
    EXPECT_EQ(pids.size(), 1u);
    EXPECT_EQ(kids().size(), 2u) << "the one that lists and the principal's";
}

TEST_F(SharingTest, AnIdleChildIsClosedAndStartedAgainOnDemand) {
    Gateway gateway(config("auto", "    idle_close: 1s\n"));
    Ear ear(askable(over_http(gateway, Era::kLegacy)));
    const Who before = who(ear);
    EXPECT_TRUE(eventually([&] { return std::ranges::count(kids(), static_cast<int>(before.pid)) == 0; }));
    EXPECT_EQ(kids().size(), 1u);
    EXPECT_NE(who(ear).pid, before.pid);
}

/// Connections to this port of this machine, open or closed a moment ago.
std::size_t connections_to(int port) {
    std::ostringstream remote;  // "0100007F:1F9A"
    remote << "0100007F:" << std::hex << std::uppercase << std::setw(4) << std::setfill('0') << port;
    std::ifstream table("/proc/net/tcp");
    std::size_t count = 0;
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string slot, local, peer;
        words >> slot >> local >> peer;
        if (peer == remote.str()) ++count;
    }
    return count;
}

class PooledConnectionTest : public ::testing::TestWithParam<Reached> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
    static bool is_child() { return GetParam() == Reached::kStdioLegacy || GetParam() == Reached::kStdioModern; }
    /// A modern HTTP server has no sessions: its package counts requests instead.
    static bool has_sessions() { return GetParam() != Reached::kHttpModern; }
};

TEST_P(PooledConnectionTest, IsMadeByACallOnlyWhereNoneIsOpen) {
    const std::string name = kKid + "-pooled";
    std::optional<Watched> server(std::in_place, name, GetParam());
    Gateway gateway("servers:\n" + server->entry(is_child() ? "    isolation: off\n" : ""));
    Ear ear(over_http(gateway, Era::kModern));
    const auto ask = [&] { return read_who(ear.say(name + "_who")); };
    const auto expect_one_connection = [&](const Who& first) {
        const std::size_t connections = connections_to(server->port());
        EXPECT_EQ(connections == 0, is_child()) << "the table of connections cannot be read";
        for (int i = 0; i < 10; ++i) {
            const Who again = ask();
            EXPECT_EQ(again.pid, first.pid);
            if (has_sessions()) EXPECT_EQ(again.session, first.session);
        }
        // A result on an event stream is there before the exchange that brought it has ended: over HTTP+SSE it may
        // overtake the 202 of its own POST, and a legacy POST's stream is read to its end afterwards. A call made in
        // between needs a second socket, for the same session.
        const bool streams = GetParam() == Reached::kSse || GetParam() == Reached::kHttpLegacy;
        EXPECT_LE(connections_to(server->port()), connections + (streams ? 1 : 0));
    };
    const Who first = ask();
    expect_one_connection(first);

    // Lost: the next calls make another one, and share it like the first.
    if (is_child()) {
        ASSERT_EQ(::kill(static_cast<int>(first.pid), SIGKILL), 0);
    } else {
        const int port = server->port();
        server.reset();
        server.emplace(name, GetParam(), port);
    }
    const auto is_back = [&] {
        const auto text = ear.say(name + "_who");
        return text.starts_with("{") && read_who(text).pid != first.pid;
    };
    ASSERT_TRUE(eventually(is_back));
    expect_one_connection(ask());
}

INSTANTIATE_TEST_SUITE_P(EveryTransport, PooledConnectionTest, ::testing::ValuesIn(kAllReached),
                         [](const auto& info) { return to_string(info.param); });

TEST_F(SharingTest, RootsOfTwoClientsAreKeptApartAndTheirChangesReachTheServer) {
    Gateway gateway(config("auto"));
    Ear left(with_root(over_http(gateway, Era::kLegacy), "file:///left"));
    Ear right(with_root(over_sse(gateway), "file:///right"));
    EXPECT_NE(who(left).pid, who(right).pid) << "a server remembers the roots it was told";
    EXPECT_EQ(left.say(kKid + "_roots"), R"({"heard":0,"roots":[{"uri":"file:///left"}]})");
    EXPECT_EQ(right.say(kKid + "_roots"), R"({"heard":0,"roots":[{"uri":"file:///right"}]})");
    mcp::Root moved;
    moved.uri = "file:///elsewhere";
    ASSERT_TRUE(left.client().set_roots({moved}));
    EXPECT_TRUE(eventually([&] { return left.say(kKid + "_roots").contains(R"("heard":1)"); }));
    EXPECT_EQ(left.say(kKid + "_roots"), R"({"heard":1,"roots":[{"uri":"file:///elsewhere"}]})");
    EXPECT_EQ(right.say(kKid + "_roots"), R"({"heard":0,"roots":[{"uri":"file:///right"}]})");
}

TEST_F(SharingTest, TheStateFolderIsPrivate) {
    const TempDir folder;
    const std::string state = folder.path() + "/state";
    const auto mode = [](const std::string& path) {
        struct stat info{};
        EXPECT_EQ(::stat(path.c_str(), &info), 0) << path;
        return info.st_mode & 07777u;
    };
    std::set<std::string> names;
    for (int twice = 0; twice < 2; ++twice) {
        Gateway gateway(config("auto"), state);
        EXPECT_EQ(mode(state), 0700u);
        for (const auto& entry : std::filesystem::directory_iterator(state)) {
            EXPECT_EQ(mode(entry.path()), entry.is_directory() ? 0700u : 0600u) << entry.path();
            names.insert(entry.path().filename());
        }
    }
    EXPECT_THAT(names, ::testing::Contains(::testing::HasSubstr("key")));
}

}  // namespace
}  // namespace gantry::testing
