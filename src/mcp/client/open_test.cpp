#include "mcp/client/open.hpp"

#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

Task<void> speaks_its_revision(Rig& rig) {
    EXPECT_EQ(rig.client->server().revision, rig.server.revision);
    EXPECT_EQ(rig.client->server().info.name, "test");
    EXPECT_EQ(rig.client->server().instructions, "be kind");
    EXPECT_EQ(rig.client->state(), ConnectionState::kConnected);
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));

    CO_ASSERT(!rig.server.heard.empty());
    EXPECT_EQ(rig.server.heard[0].method, "server/discover");
    EXPECT_EQ(rig.server.heard[0].text("/_meta/io.modelcontextprotocol~1protocolVersion"), "2026-07-28");
    EXPECT_EQ(rig.server.connects, 1);
    if (is_modern(rig.server.revision)) {
        EXPECT_EQ(rig.server.count("initialize"), 0u);
        EXPECT_EQ(rig.server.count("ping"), 0u);
        EXPECT_EQ(rig.server.count("server/discover"), 2u);
    } else {
        const Heard initialize = co_await rig.server.nth("initialize");
        EXPECT_EQ(initialize.text("/protocolVersion"), "2025-11-25");
        EXPECT_EQ(initialize.text("/clientInfo/name"), "gantry");
        EXPECT_EQ(initialize.params.at_pointer("/_meta"), nullptr);
        EXPECT_EQ(rig.server.count("notifications/initialized"), 1u);
        const Heard ping = co_await rig.server.nth("ping");
        EXPECT_EQ(ping.params.find("_meta"), nullptr) << "legacy requests carry no envelope";
    }
}
class Opening : public ::testing::TestWithParam<Revision> {};
TEST_P(Opening, SpeaksTheServersRevision) {
    run(GetParam(), speaks_its_revision);
}
INSTANTIATE_TEST_SUITE_P(EveryRevision, Opening, ::testing::ValuesIn(kAllRevisions), [](const auto& info) {
    std::string name(to_string(info.param));
    std::ranges::replace(name, '-', '_');
    return name;
});

Task<void> silence(Rig& rig) {
    rig.server.ignore("server/discover");
    rig.settings.probe_timeout = milliseconds(30);
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.client->server().revision, Revision::k2025_06_18);
    EXPECT_EQ(rig.server.count("notifications/cancelled"), 0u) << "a legacy server is told nothing about the probe";
    EXPECT_EQ(rig.server.connects, 1);
    const Heard probe = co_await rig.server.nth("server/discover");
    co_await rig.server.answer(*probe.id, JsonObject{});  // too late: ignored
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
    EXPECT_EQ(rig.oddities.size(), 1u);
}
TEST(Opening, SilenceOnTheProbeMeansLegacyOnTheSameConnection) {
    run(Revision::k2025_06_18, silence, false);
}

Task<void> slow_modern(Rig& rig) {
    int probes = 0;
    rig.server.on("server/discover", [&probes, &rig](const Heard&) -> std::optional<TestServer::Answer> {
        if (++probes == 1) return std::nullopt;
        return Json(JsonObject{{"resultType", "complete"},
                               {"supportedVersions", JsonArray{"2026-07-28"}},
                               {"capabilities", rig.server.capabilities},
                               {"ttlMs", 0},
                               {"cacheScope", "private"}});
    });
    rig.settings.probe_timeout = milliseconds(200);
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.client->server().revision, Revision::k2026_07_28);
    EXPECT_EQ(rig.server.count("initialize"), 1u);
}
TEST(Opening, AModernServerThatMissedTheProbeIsProbedAgainWhenItRefusesInitialize) {
    run(Revision::k2026_07_28, slow_modern, false);
}

Task<void> exits(Rig& rig) {
    rig.server.die_on("server/discover");
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.server.connects, 2);
    EXPECT_EQ(rig.server.count("server/discover"), 1u);
    EXPECT_EQ((co_await rig.server.nth("initialize")).connection, 2);
    EXPECT_TRUE(co_await rig.client->ping(watchdog()));
}
TEST(Opening, AServerThatExitsOnTheProbeIsStartedAgainAsLegacy) {
    run(Revision::k2024_11_05, exits, false);
}

Task<void> names_legacy(Rig& rig) {
    rig.server.reply_error("server/discover", -32022, "unsupported", R"({"supported":["2025-11-25"],"requested":"x"})");
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.client->server().revision, Revision::k2025_11_25);
}
TEST(Opening, ARefusedVersionThatNamesALegacyOneLeadsThere) {
    run(Revision::k2025_11_25, names_legacy, false);
}

Task<void> names_nothing(Rig& rig) {
    rig.server.reply_error("server/discover", -32022, "unsupported", R"({"supported":["2099-01-01"],"requested":"x"})");
    const auto connected = co_await rig.connect();
    CO_ASSERT(!connected);
    EXPECT_EQ(connected.error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(rig.server.count("initialize"), 0u);
    EXPECT_EQ(rig.client->state(), ConnectionState::kDisconnected);
}
TEST(Opening, NoCommonVersionIsUnsupported) {
    run(Revision::k2026_07_28, names_nothing, false);
}

Task<void> missing_capability(Rig& rig) {
    rig.server.reply_error("server/discover", -32021, "sampling needed", R"({"requiredCapabilities":{"sampling":{}}})");
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.client->server().revision, Revision::k2026_07_28);
    EXPECT_EQ(rig.server.count("initialize"), 0u);
}
TEST(Opening, AnErrorOnlyModernServersKnowMeansModern) {
    run(Revision::k2026_07_28, missing_capability, false);
}

Task<void> configured_legacy(Rig& rig) {
    rig.settings.era = EraChoice::kLegacy;
    rig.settings.newest_legacy = Revision::k2025_03_26;
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.server.heard[0].method, "initialize");
    EXPECT_EQ(rig.server.heard[0].text("/protocolVersion"), "2025-03-26");
}
TEST(Opening, AConfiguredLegacyServerIsNotProbed) {
    run(Revision::k2025_03_26, configured_legacy, false);
}

Task<void> configured_modern(Rig& rig) {
    rig.settings.era = EraChoice::kModern;
    const auto connected = co_await rig.connect();
    CO_ASSERT(!connected);
    EXPECT_EQ(connected.error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(rig.server.count("initialize"), 0u);
}
TEST(Opening, AConfiguredModernServerIsNeverInitialized) {
    run(Revision::k2025_11_25, configured_modern, false);
}

Task<void> insists(Rig& rig) {
    rig.server.reply("initialize", parse(R"({"protocolVersion":"1999-01-01","capabilities":{},
        "serverInfo":{"name":"x","version":"1"}})"));
    const auto connected = co_await rig.connect();
    CO_ASSERT(!connected);
    EXPECT_EQ(connected.error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(rig.server.count("notifications/initialized"), 0u);
}
TEST(Opening, AnUnknownVersionInTheHandshakeEndsIt) {
    run(Revision::k2025_11_25, insists, false);
}

struct Clock {
    EraCache::Clock::time_point now = EraCache::Clock::now();
};

Task<void> remembers(Rig& rig) {
    Clock clock;
    auto cache = std::make_shared<EraCache>([&clock] { return clock.now; });
    rig.settings.era_cache = cache;
    const ClientSettings settings = rig.settings;
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.server.count("server/discover"), 1u);
    EXPECT_EQ(cache->find("test server"), Revision::k2025_11_25);

    co_await rig.client->close();
    rig.settings = settings;
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.server.count("server/discover"), 1u) << "a fresh verdict saves the probe";

    clock.now += EraCache::kFresh;
    co_await rig.client->close();
    rig.settings = settings;
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.server.count("server/discover"), 2u) << "after a day the server is asked again";
}
TEST(Opening, ALegacyVerdictCountsForADay) {
    run(Revision::k2025_11_25, remembers, false);
}

Task<void> forgets(Rig& rig) {
    auto cache = std::make_shared<EraCache>();
    cache->remember("test server", Revision::k2025_11_25);
    rig.settings.era_cache = cache;
    rig.server.reply_error("initialize", -32603, "what is that");
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ(rig.client->server().revision, Revision::k2026_07_28);
    EXPECT_EQ(cache->find("test server"), Revision::k2026_07_28);
}
TEST(Opening, AWrongLegacyVerdictIsForgottenAtOnce) {
    run(Revision::k2026_07_28, forgets, false);
}

Task<void> no_handshake(Rig& rig) {
    rig.server.ignore("initialize");
    rig.settings.connect_timeout = milliseconds(50);
    const auto connected = co_await rig.connect();
    CO_ASSERT(!connected);
    EXPECT_EQ(connected.error().code(), ErrorCode::kTimeout);
    co_await rig.server.until([&rig] { return rig.states.size() == 2; });
    EXPECT_EQ(rig.server.count("notifications/cancelled"), 0u) << "initialize is never cancelled";
    EXPECT_EQ(rig.states, (std::vector{ConnectionState::kConnecting, ConnectionState::kDisconnected}));
}
TEST(Opening, AnUnansweredInitializeTimesOutAndIsNeverCancelled) {
    run(Revision::k2025_11_25, no_handshake, false);
}

Task<void> log_level(Rig& rig) {
    rig.server.capabilities.set("logging", JsonObject{});
    rig.server.reply("logging/setLevel", JsonObject{});
    rig.settings.log_level = LogLevel::kWarning;
    CO_ASSERT(co_await rig.connect());
    EXPECT_EQ((co_await rig.server.nth("logging/setLevel")).text("/level"), "warning");
}
TEST(Opening, TheLogLevelIsAskedForOnceInTheLegacyEra) {
    run(Revision::k2025_06_18, log_level, false);
}

Task<void> modern_log_level(Rig& rig) {
    rig.server.reply("tools/call", said("x"));
    CO_ASSERT(co_await rig.client->set_log_level(watchdog(), LogLevel::kError));
    CO_ASSERT(co_await rig.client->call_tool(watchdog(), "t", {}));
    EXPECT_EQ(rig.server.count("logging/setLevel"), 0u);
    const Heard call = co_await rig.server.nth("tools/call");
    EXPECT_EQ(call.text("/_meta/io.modelcontextprotocol~1logLevel"), "error");
    EXPECT_EQ(call.text("/_meta/io.modelcontextprotocol~1clientInfo/name"), "gantry");
    EXPECT_NE(call.params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities"), nullptr);
}
TEST(Opening, TheLogLevelTravelsWithEveryModernRequest) {
    run(Revision::k2026_07_28, modern_log_level);
}

}  // namespace
}  // namespace gantry::mcp
