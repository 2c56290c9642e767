// The rules of the table in the README, one row each.
#include "gateway/sources/mcp/sharing_rules.hpp"

#include <gtest/gtest.h>

namespace gantry::gateway {
namespace {

ClientTraits client(mcp::Revision revision, std::string session = {}) {
    ClientTraits traits;
    traits.revision = revision;
    traits.session = std::move(session);
    return traits;
}

const ClientTraits kLegacyClient = client(mcp::Revision::k2025_11_25, "s1");
const ClientTraits kModernClient = client(mcp::Revision::k2026_07_28);

ForwardedCapabilities asked_by(bool elicitation, bool roots = false) {
    ForwardedCapabilities forwarded;
    if (elicitation) forwarded.asked.elicitation.emplace();
    if (roots) forwarded.asked.roots.emplace();
    forwarded.asked_text = R"({"asked":1})";
    forwarded.offered_text = R"({"offered":1})";
    return forwarded;
}

McpServerSpec child(Sharing sharing = Sharing::kAuto, EraWish era = EraWish::kAuto) {
    McpServerSpec spec;
    spec.command = "server";
    spec.sharing = sharing;
    spec.era = era;
    return spec;
}
McpServerSpec remote(Sharing sharing = Sharing::kAuto) {
    McpServerSpec spec;
    spec.url = "https://mcp.example/mcp";
    spec.sharing = sharing;
    return spec;
}

constexpr ServerTraits kLegacyServer{};
constexpr ServerTraits kModernServer{.modern = true};
constexpr ServerTraits kModernOnly{.modern = true, .modern_only = true};

TEST(SharingRules, AServerMayAskWhomItCanReachInTheLegacyWay) {
    struct Row {
        const char* name;
        ServerTraits server;
        const ClientTraits& client;
        EraWish era;
        bool elicitation;
        bool may_ask;
    };
    for (const Row& row : {
             Row{"a legacy server, any client", kLegacyServer, kLegacyClient, EraWish::kAuto, true, true},
             Row{"a legacy server, any client", kLegacyServer, kModernClient, EraWish::kAuto, true, true},
             Row{"a client that declared nothing", kLegacyServer, kLegacyClient, EraWish::kAuto, false, false},
             Row{"both eras, legacy client", kModernServer, kLegacyClient, EraWish::kAuto, true, true},
             Row{"both eras, modern client", kModernServer, kModernClient, EraWish::kAuto, true, false},
             Row{"era configured", kModernServer, kLegacyClient, EraWish::kModern, true, false},
             Row{"opens no legacy session", kModernOnly, kLegacyClient, EraWish::kAuto, true, false},
         }) {
        EXPECT_EQ(may_ask(child(Sharing::kAuto, row.era), row.server, row.client, asked_by(row.elicitation)),
                  row.may_ask)
            << row.name;
    }
}

TEST(SharingRules, TheSharedConnectionServesWhereNothingCanBeMixedUp) {
    struct Row {
        McpServerSpec spec;
        ServerTraits server;
        bool asked;
        bool shared;
    };
    for (const Row& row : std::vector<Row>{
             {child(), kModernServer, false, true},
             {remote(), kModernServer, false, true},
             {child(), kLegacyServer, false, true},
             {child(), kLegacyServer, true, false},
             {remote(), kLegacyServer, false, false},
             {remote(), kLegacyServer, true, false},
             {child(), kModernServer, true, false},
             {child(Sharing::kShared), kLegacyServer, true, true},
             {remote(Sharing::kShared), kLegacyServer, true, true},
             {child(Sharing::kPerPrincipal), kModernServer, false, false},
             {child(Sharing::kPerClient), kModernServer, false, false},
             {child(Sharing::kPerCall), kModernServer, false, false},
         }) {
        EXPECT_EQ(may_share(row.spec, row.server, row.asked), row.shared)
            << static_cast<int>(row.spec.sharing) << ' ' << row.spec.url << ' ' << row.server.modern << row.asked;
    }
}

TEST(SharingRules, CallsTakeTurnsWhereAQuestionDoesNotNameItsCall) {
    EXPECT_EQ(lane_use(child(), true, false), LaneUse::kInTurn);
    EXPECT_EQ(lane_use(remote(), true, true), LaneUse::kTogether);
    EXPECT_EQ(lane_use(child(), false, false), LaneUse::kTogether);
    EXPECT_EQ(lane_use(child(Sharing::kPerCall), true, false), LaneUse::kOnce);
    EXPECT_EQ(lane_use(child(Sharing::kPerCall), false, true), LaneUse::kOnce);
}

TEST(SharingRules, ALaneBelongsToAPrincipalUnlessTheServerRemembersTheClient) {
    const Principal principal{.id = "me"};
    const LaneKey plain = lane_key(child(), principal, kLegacyClient, asked_by(true), false);
    EXPECT_EQ(plain, (LaneKey{.owner = "principal me"})) << "declares nothing";
    const LaneKey asked = lane_key(child(), principal, kLegacyClient, asked_by(true), true);
    EXPECT_EQ(asked,
              (LaneKey{.owner = "principal me", .capabilities = R"({"asked":1})", .offered = R"({"offered":1})"}));

    const LaneKey roots = lane_key(child(), principal, kLegacyClient, asked_by(true, true), true);
    EXPECT_EQ(roots.owner, "client s1");
    EXPECT_EQ(roots.capabilities, "me\n{\"asked\":1}") << "a session id does not prove who uses it";
    EXPECT_EQ(lane_key(child(), principal, kModernClient, asked_by(true, true), true).owner, "principal me")
        << "without a session of its own";
    const LaneKey alone = lane_key(child(Sharing::kPerClient), principal, kLegacyClient, asked_by(false), false);
    EXPECT_EQ(alone.owner, "client s1");
    EXPECT_EQ(alone.capabilities, "me\n{}");
}

}  // namespace
}  // namespace gantry::gateway
