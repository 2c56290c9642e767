#include "mcp/client/notification_stream.hpp"

#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

const char* const kUri = "demo://clock";

Json about(const RequestId& subscription, JsonObject params) {
    params.set("_meta", JsonObject{{"io.modelcontextprotocol/subscriptionId", to_json(subscription)}});
    return params;
}

struct Watched {
    std::vector<std::string> updated;
    std::vector<ListKind> changed;
};
void watch(Rig& rig, Watched& watched) {
    rig.server.capabilities.set("resources", JsonObject{{"subscribe", true}, {"listChanged", true}});
    rig.settings.handlers.on_resource_updated = [&](const std::string& uri) {
        watched.updated.push_back(uri);
        rig.server.wake();
    };
}

Task<void> legacy(Rig& rig) {
    Watched watched;
    watch(rig, watched);
    rig.server.reply("resources/subscribe", JsonObject{});
    rig.server.reply("resources/unsubscribe", JsonObject{});
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->subscribe(watchdog(), kUri));
    EXPECT_EQ((co_await rig.server.nth("resources/subscribe")).text("/uri"), kUri);
    co_await rig.server.notify("notifications/resources/updated", JsonObject{{"uri", kUri}});
    CO_ASSERT(co_await rig.server.until([&] { return !watched.updated.empty(); }));
    EXPECT_EQ(watched.updated[0], kUri);

    co_await rig.server.hang_up();
    EXPECT_EQ((co_await rig.server.nth("resources/subscribe", 1)).connection, 2) << "kept across reconnects";
    CO_ASSERT(co_await rig.client->unsubscribe(watchdog(), kUri));
    EXPECT_EQ((co_await rig.server.nth("resources/unsubscribe")).text("/uri"), kUri);
}
TEST(Subscriptions, LegacyOnesAreRequestsRenewedAfterAReconnect) {
    run(Revision::k2025_11_25, legacy, false);
}

Task<void> modern(Rig& rig) {
    Watched watched;
    watch(rig, watched);
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->subscribe(watchdog(), kUri));
    const Heard listen = co_await rig.server.nth("subscriptions/listen");
    EXPECT_EQ(listen.text("/notifications/resourceSubscriptions/0"), kUri);
    EXPECT_EQ(rig.server.count("resources/subscribe"), 0u);
    co_await rig.server.notify("notifications/resources/updated", about(*listen.id, {{"uri", kUri}}));
    CO_ASSERT(co_await rig.server.until([&] { return !watched.updated.empty(); }));

    CO_ASSERT(co_await rig.client->subscribe(watchdog(), "demo://other"));
    const Heard wider = co_await rig.server.nth("subscriptions/listen", 1);
    EXPECT_EQ(wider.params.at_pointer("/notifications/resourceSubscriptions")->if_array()->size(), 2u);
    const Heard dropped = co_await rig.server.nth("notifications/cancelled");
    EXPECT_EQ(*dropped.params.find("requestId"), to_json(*listen.id)) << "the old stream ends once the new one stands";

    CO_ASSERT(co_await rig.client->unsubscribe(watchdog(), kUri));
    CO_ASSERT(co_await rig.client->unsubscribe(watchdog(), "demo://other"));
    EXPECT_EQ(rig.server.count("subscriptions/listen"), 3u);
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.server.count("notifications/cancelled") == 3; }));
}
TEST(Subscriptions, ModernOnesAreOneStreamWithAGrowingFilter) {
    run(Revision::k2026_07_28, modern, false);
}

Task<void> not_honoured(Rig& rig) {
    Watched watched;
    watch(rig, watched);
    rig.server.on("subscriptions/listen", [&rig](const Heard& heard) -> std::optional<TestServer::Answer> {
        rig.server.later(rig.server.notify("notifications/subscriptions/acknowledged",
                                           about(*heard.id, {{"notifications", JsonObject{}}})));
        return std::nullopt;
    });
    CO_ASSERT(co_await rig.connect());
    const auto refused = co_await rig.client->subscribe(watchdog(), kUri);
    CO_ASSERT(!refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnsupported);
}
TEST(Subscriptions, WhatTheServerDoesNotHonourIsAnError) {
    run(Revision::k2026_07_28, not_honoured, false);
}

Task<void> refused(Rig& rig) {
    Watched watched;
    watch(rig, watched);
    rig.server.reply_error("subscriptions/listen", -32601, "no such method");
    CO_ASSERT(co_await rig.connect());
    const auto answer = co_await rig.client->subscribe(watchdog(), kUri);
    CO_ASSERT(!answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kRpc);
    EXPECT_EQ(rig.server.count("subscriptions/listen"), 1u);
}
TEST(Subscriptions, ARefusedStreamIsNotTriedAgain) {
    run(Revision::k2026_07_28, refused, false);
}

Task<void> modern_lists(Rig& rig) {
    std::vector<ListKind> changed;
    rig.server.capabilities.set("tools", JsonObject{{"listChanged", true}});
    rig.settings.handlers.on_list_changed = [&](ListKind kind) {
        changed.push_back(kind);
        rig.server.wake();
    };
    std::vector<ListKind> announced;
    rig.settings.handlers.on_list_announced = [&](ListKind kind) { announced.push_back(kind); };
    rig.server.reply("tools/list", parse(R"({"tools":[],"ttlMs":3600000,"cacheScope":"private"})"));
    CO_ASSERT(co_await rig.connect());
    const Heard listen = co_await rig.server.nth("subscriptions/listen");
    EXPECT_EQ(*listen.params.find("notifications"), parse(R"({"toolsListChanged":true})"));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    co_await rig.server.notify("notifications/tools/list_changed", about(*listen.id, {}));
    CO_ASSERT(co_await rig.server.until([&changed] { return !changed.empty(); }));
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    EXPECT_EQ(rig.server.count("tools/list"), 2u) << "a change ends the ttl";

    // The server ends the stream: it is reopened, and changes in between are assumed possible.
    changed.clear();
    co_await rig.server.answer(*listen.id, parse(R"({"resultType":"complete"})"));
    co_await rig.server.nth("subscriptions/listen", 1);
    CO_ASSERT(co_await rig.server.until([&changed] { return changed.size() == 3; }));
    EXPECT_EQ(announced, std::vector{ListKind::kTools}) << "what may have been missed is nothing the server said";
}
TEST(Subscriptions, ModernListChangesArriveOnAStreamThatIsRenewed) {
    run(Revision::k2026_07_28, modern_lists, false);
}

}  // namespace
}  // namespace gantry::mcp
