// What clients are offered and how they are served by a server that does not treat all clients alike: the same as when
// connected directly.
//
// Regressions pinned here: a server of both eras was opened as a modern one for all clients, and refused the questions
// that legacy clients could answer; tools offered only to clients with certain capabilities were offered to none; tools
// that appeared on a client's own connection were never listed.

#include <algorithm>
#include <set>

#include "gateway/sources/mcp/test_rig.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::gateway::testing {
namespace {

ItemPtr item_of(const InventoryPtr& inventory, std::string_view name) {
    const auto found = std::ranges::find_if(inventory->items, [&](const ItemPtr& item) { return item->name == name; });
    return found == inventory->items.end() ? nullptr : *found;
}

bool offers(const InventoryPtr& inventory, std::string_view name) {
    return item_of(inventory, name) != nullptr;
}

Audience audience_of(const Caller& caller) {
    return {.principal = *caller.principal, .client = caller.traits, .reachable = caller.line.askable};
}

/// What the caller is offered, as the registry would request it.
InventoryPtr offered(Rig& rig, const Caller& caller) {
    if (auto own = rig.source->inventory_for(audience_of(caller))) return own;
    return rig.source->inventory();
}

Caller legacy_client(std::string id, std::string capabilities = kElicits, std::string session = {}) {
    Caller caller(std::move(id), kLegacy, std::move(capabilities), std::move(session));
    caller.line.askable = true;
    return caller;
}

Json definition(std::string name) {
    return JsonObject{{"name", std::move(name)}, {"inputSchema", JsonObject{{"type", "object"}}}};
}

/// Offers "form" to clients that support elicitation.
void offer_form_to_capable_clients(Rig& rig) {
    rig.server.tool("echo", echo);
    rig.server.more_tools = [](const Peer& peer) {
        const bool capable = peer.capabilities.is_object() && peer.capabilities.find("elicitation") != nullptr;
        return capable ? JsonArray{definition("form")} : JsonArray{};
    };
}

/// Its tool "unlock" makes the connection offer "hidden" and announce it.
class Unlocking {
public:
    explicit Unlocking(Rig& rig) {
        rig.server.capabilities.set("tools", JsonObject{{"listChanged", true}});
        rig.server.tools = {definition("unlock"), definition("slow")};
        rig.server.more_tools = [this](const Peer& peer) {
            return unlocked_.contains(peer.number) ? JsonArray{definition("hidden")} : JsonArray{};
        };
        rig.server.on("tools/call",
                      [this](PeerPtr peer, ReceivedRequest asked) { return run(std::move(peer), std::move(asked)); });
    }

    /// A client with a session has its connection offer "hidden".
    static Task<void> unlock(Rig& rig, Caller& caller) {
        co_await rig.source->survey(watchdog(), audience_of(caller));
        EXPECT_EQ(text_of(co_await rig.call(caller, "unlock")), "unlocked");
    }

private:
    Task<Script::Answer> run(PeerPtr peer, ReceivedRequest asked) {
        const std::string name = asked.text("/name");
        if (name == "slow") co_return co_await wait_for_gate(peer, std::move(asked));
        if (name == "hidden" && unlocked_.contains(peer->number)) co_return said("found");
        if (name != "unlock") co_return std::unexpected(mcp::invalid_params("unknown tool"));
        unlocked_.insert(peer->number);
        co_await peer->notify("notifications/tools/list_changed");
        co_return said("unlocked");
    }

    std::set<int> unlocked_;
};

TEST(Audiences, ALegacyClientThatCanBeAskedGetsALegacyConnectionToAServerOfBothEras) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.both_eras = true;
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada");
        EXPECT_EQ(text_of(co_await rig.call(ada, "greet")), "accept Ada");
        CO_ASSERT(rig.server.peers.size() == 2);
        EXPECT_EQ(rig.server.peers[1]->capabilities, parse(kElicits));

        Caller plain("bob", kLegacy);
        Caller modern("eve", kModern, kElicits);
        for (Caller* caller : {&plain, &modern})
            EXPECT_TRUE(text_of(co_await rig.call(*caller, "greet")).starts_with("refused"));
        EXPECT_EQ(rig.server.peers.size(), 2u) << "all others share the modern connection";
    });
}

TEST(Audiences, AServerConfiguredAsModernIsNotOpenedInTheLegacyWay) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.both_eras = true;
        rig.spec.era = EraWish::kModern;
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada");
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        EXPECT_EQ(rig.server.peers.size(), 1u);
    });
}

TEST(Audiences, ToolsForCapableClientsAreOfferedToThemAndToNobodyElse) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.both_eras = true;
            offer_form_to_capable_clients(rig);
            CO_ASSERT(co_await rig.start());
            Caller ada = legacy_client("ada");
            Caller bob = legacy_client("bob", R"({"sampling":{}})");
            Caller plain("eve", kLegacy);
            EXPECT_FALSE(rig.source->is_surveyed(audience_of(ada)));
            EXPECT_TRUE(rig.source->is_surveyed(audience_of(plain))) << "the shared connection has listed already";
            for (Caller* caller : {&ada, &bob, &plain}) {
                co_await rig.source->survey(watchdog(), audience_of(*caller));
                EXPECT_TRUE(rig.source->is_surveyed(audience_of(*caller)));
            }
            EXPECT_TRUE(offers(offered(rig, ada), "form"));
            EXPECT_TRUE(offers(offered(rig, ada), "echo"));
            EXPECT_FALSE(offers(offered(rig, bob), "form"));
            EXPECT_FALSE(offers(offered(rig, plain), "form"));
            EXPECT_EQ(rig.source->inventory_for(audience_of(bob)), nullptr) << "it is what all are offered";

            const std::size_t listings = rig.server.count("tools/list");
            Caller carol = legacy_client("carol");
            EXPECT_TRUE(offers(offered(rig, carol), "form")) << "known for every client that declares the same";
            EXPECT_EQ(rig.server.count("tools/list"), listings);
        });
    }
}

TEST(Audiences, TheConnectionThatListedServesTheCallsToo) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        offer_form_to_capable_clients(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada");
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
        EXPECT_EQ(rig.server.peers.size(), 2u);
    });
}

TEST(Audiences, AModernClientIsOfferedWhatALegacyServerOffersToCapableClients) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        offer_form_to_capable_clients(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_TRUE(offers(offered(rig, ada), "form"));
    });
}

TEST(Audiences, ASurveyThatFailsIsNotRepeatedByEveryList) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        offer_form_to_capable_clients(rig);
        CO_ASSERT(co_await rig.start());
        rig.server.refuse = -1;
        Caller ada = legacy_client("ada");
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_TRUE(rig.source->is_surveyed(audience_of(ada)));
        EXPECT_FALSE(offers(offered(rig, ada), "form"));
        EXPECT_TRUE(offers(offered(rig, ada), "echo")) << "what all are offered is still there";
    });
}

TEST(Audiences, WhatALanesServerComesToOfferReachesThatClientAlone) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        Unlocking unlocking(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada", R"({"roots":{}})", "session-1");
        Caller second = legacy_client("ada", R"({"roots":{}})", "session-2");
        for (Caller* caller : {&ada, &second}) co_await rig.source->survey(watchdog(), audience_of(*caller));
        EXPECT_EQ(text_of(co_await rig.call(ada, "unlock")), "unlocked");
        CO_ASSERT(co_await rig.until([&] { return offers(offered(rig, ada), "hidden"); }));
        EXPECT_FALSE(offers(offered(rig, second), "hidden"));
        EXPECT_FALSE(offers(rig.source->inventory(), "hidden"));

        const auto told = std::ranges::find_if(rig.changes, [](const SourceChange& change) {
            return change.kind == SourceChange::Kind::kAudience && change.announced_to;
        });
        CO_ASSERT(told != rig.changes.end());
        EXPECT_TRUE(told->kinds.test(static_cast<std::size_t>(ItemKind::kTool)));
        EXPECT_TRUE(told->announced_to(audience_of(ada)));
        EXPECT_FALSE(told->announced_to(audience_of(second)));

        rig.source->client_gone("session-1");
        EXPECT_FALSE(offers(offered(rig, ada), "hidden")) << "it went with the connection";
    });
}

TEST(Audiences, AListRightAfterTheCallWaitsForWhatTheServerSaidHasChanged) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        Unlocking unlocking(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada", R"({"roots":{}})", "session-1");
        co_await Unlocking::unlock(rig, ada);
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_TRUE(offers(offered(rig, ada), "hidden"));
    });
}

TEST(Audiences, ALongListThatKeepsChangingOnALaneIsReadLessOften) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        Unlocking unlocking(rig);
        for (int i = 0; i < 600; ++i) rig.server.tools.push_back(definition("t" + std::to_string(i)));
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada", R"({"roots":{}})", "session-1");
        co_await Unlocking::unlock(rig, ada);
        co_await rig.source->survey(watchdog(), audience_of(ada));
        const std::size_t listings = rig.server.count("tools/list");
        const TimePoint before = SteadyClock::now();
        // Announced when the last listing is over, so that nothing is stale in between.
        EXPECT_EQ(text_of(co_await rig.call(ada, "unlock")), "unlocked");
        CO_ASSERT(co_await rig.until([&] { return rig.server.count("tools/list") > listings; }));
        EXPECT_GE(SteadyClock::now() - before, milliseconds(300));
    });
}

TEST(Audiences, AToolThatOnlyOneConnectionOffersIsCalledThere) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        Unlocking unlocking(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada", R"({"roots":{}})", "session-1");
        co_await Unlocking::unlock(rig, ada);
        CO_ASSERT(co_await rig.until([&] { return offers(offered(rig, ada), "hidden"); }));

        // The connection with the tool is busy; no other one has it.
        const auto busy = rig.begin(ada, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 2; }));
        const auto hidden = rig.begin(ada, "hidden", {.item = item_of(offered(rig, ada), "hidden")});
        const auto other = rig.begin(ada, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 3; }));
        EXPECT_FALSE(hidden->output.has_value());
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&] { return busy->output && hidden->output && other->output; }));
        EXPECT_EQ(text_of(*hidden->output), "found");
    });
}

TEST(Audiences, AnotherListForAllMeansThatTheRestIsAskedForAgain) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        offer_form_to_capable_clients(rig);
        CO_ASSERT(co_await rig.start());
        Caller ada = legacy_client("ada");
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_TRUE(offers(offered(rig, ada), "form"));
        rig.server.tool("new", echo);
        CO_ASSERT(co_await rig.source->refresh(watchdog()));
        EXPECT_FALSE(rig.source->is_surveyed(audience_of(ada)));
        co_await rig.source->survey(watchdog(), audience_of(ada));
        EXPECT_TRUE(offers(offered(rig, ada), "form"));
        EXPECT_TRUE(offers(offered(rig, ada), "new"));
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
