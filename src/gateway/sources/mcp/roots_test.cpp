// Roots belong to one client: a legacy server never uses one client's roots for another, and is notified when they
// change.

#include <algorithm>

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

const std::string kRoots = R"({"roots":{"listChanged":true}})";
constexpr const char* kChanged = "notifications/roots/list_changed";

Caller client(const std::string& session, const std::string& capabilities = kRoots) {
    Caller caller("ada", kLegacy, capabilities, session);
    caller.line.askable = true;
    caller.line.answer = R"({"roots":[{"uri":"file:///of/)" + session + R"("}]})";
    return caller;
}

/// A server that requests the roots once, and again after a notification that they changed.
Task<Script::Answer> where(PeerPtr peer, ReceivedRequest) {
    const auto changes = std::ranges::count(peer->heard, kChanged);
    if (peer->asked <= changes) {
        auto roots = co_await peer->ask("roots/list", JsonObject{});
        co_return said(roots ? std::string(*roots->at_pointer("/roots/0/uri")->if_string()) : "refused");
    }
    co_return said("as before");
}
std::size_t heard_change(const PeerPtr& peer) {
    return static_cast<std::size_t>(std::ranges::count(peer->heard, kChanged));
}

TEST(Roots, TwoClientsOfOnePrincipalNeverMeetOnOneSession) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("where", where);
        CO_ASSERT(co_await rig.start());
        Caller first = client("one");
        Caller second = client("two");
        EXPECT_EQ(text_of(co_await rig.call(first, "where")), "file:///of/one");
        EXPECT_EQ(text_of(co_await rig.call(second, "where")), "file:///of/two");
        EXPECT_EQ(text_of(co_await rig.call(first, "where")), "as before");
        EXPECT_EQ(rig.server.peers.size(), 3u);
        EXPECT_EQ(rig.server.peers[1]->capabilities, parse(kRoots));
        rig.source->client_gone("one");
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->lanes() == 1; }));
    });
}

TEST(Roots, AChangeIsToldBeforeTheNextCallSoThatTheServerCanAsk) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("where", where);
        CO_ASSERT(co_await rig.start());
        Caller first = client("one");
        Caller second = client("two");
        EXPECT_EQ(text_of(co_await rig.call(first, "where")), "file:///of/one");
        EXPECT_EQ(text_of(co_await rig.call(second, "where")), "file:///of/two");
        first.line.answer = R"({"roots":[{"uri":"file:///elsewhere"}]})";
        rig.source->roots_changed(*first.principal, first.traits);
        EXPECT_EQ(text_of(co_await rig.call(second, "where")), "as before");
        EXPECT_EQ(text_of(co_await rig.call(first, "where")), "file:///elsewhere");
        EXPECT_EQ(text_of(co_await rig.call(first, "where")), "as before");
        EXPECT_EQ(heard_change(rig.server.peers[0]), 0u) << "the shared connection promised nothing";
        EXPECT_EQ(heard_change(rig.server.peers[1]), 1u);
        EXPECT_EQ(heard_change(rig.server.peers[2]), 0u);
    });
}

TEST(Roots, AChangeIsToldAtOnceWhileACallIsInFlight) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("wait", wait_for_gate);
        CO_ASSERT(co_await rig.start());
        Caller first = client("one");
        const auto running = rig.begin(first, "wait");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 1; }));
        for (int many = 0; many < 100; ++many) rig.source->roots_changed(*first.principal, first.traits);
        CO_ASSERT(co_await rig.until([&rig] { return heard_change(rig.server.peers[1]) > 0; }));
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        EXPECT_EQ(text_of(*running->output), "through");
        EXPECT_LE(heard_change(rig.server.peers[1]), 2u) << "what is said many times at once is said on once";
    });
}

TEST(Roots, WhoCannotTellPromisesNothing) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("where", where);
        CO_ASSERT(co_await rig.start());
        Caller quiet = client("quiet", R"({"roots":{}})");
        EXPECT_EQ(text_of(co_await rig.call(quiet, "where")), "file:///of/quiet");
        rig.source->roots_changed(*quiet.principal, quiet.traits);
        Caller stateless = client("");
        EXPECT_EQ(text_of(co_await rig.call(stateless, "where")), "file:///of/");
        EXPECT_EQ(text_of(co_await rig.call(quiet, "where")), "as before");
        for (const PeerPtr& peer : rig.server.peers) {
            EXPECT_EQ(peer->capabilities.at_pointer("/roots/listChanged"), nullptr) << peer->capabilities.dump();
            EXPECT_EQ(heard_change(peer), 0u);
        }
    });
}

TEST(Roots, AModernServerHearsNothingOfIt) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        Caller first = client("one");
        EXPECT_EQ(text_of(co_await rig.call(first, "echo", {.arguments = R"({"word":"hi"})"})), "hi");
        EXPECT_EQ(rig.server.last.at("tools/call")
                      .params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities/roots")
                      ->dump(),
                  "{}");
        rig.source->roots_changed(*first.principal, first.traits);
        EXPECT_EQ(text_of(co_await rig.call(first, "echo", {.arguments = R"({"word":"ho"})"})), "ho");
        EXPECT_EQ(rig.server.count(kChanged), 0u);
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
