// Lists that persist across runs, and lists that are read again on request.

#include <gmock/gmock.h>

#include <map>

#include "gateway/ports/inventory_store.hpp"
#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Stores texts by server name.
class Drawer final : public InventoryStore {
public:
    std::optional<std::string> recall(const McpServerSpec& spec) override {
        const auto found = kept.find(spec.name);
        return found == kept.end() ? std::nullopt : std::optional(found->second);
    }
    void keep(const McpServerSpec& spec, std::string_view text) override { kept[spec.name] = text; }
    std::map<std::string, std::string> kept;
};

std::vector<std::string> tools_of(const McpSource& source) {
    std::vector<std::string> names;
    for (const ItemPtr& item : source.inventory()->items) names.push_back(item->name);
    return names;
}

/// Starts the rig with the server's lists known from an earlier run.
Task<std::shared_ptr<Drawer>> known_from_before(Rig& rig) {
    const auto drawer = std::make_shared<Drawer>();
    rig.options.lists = drawer;
    if (!co_await rig.start()) ADD_FAILURE() << "the first run";
    co_await rig.source->stop();
    rig.source.reset();
    EXPECT_EQ(drawer->kept.size(), 1u);
    rig.server.heard.clear();
    rig.server.connecting = 0;
    co_return drawer;
}

TEST(McpSourceLists, ALazyOneKnownFromBeforeIsNotConnectedUntilItIsCalled) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("echo", echo);
            rig.spec.connect = Connect::kLazy;
            co_await known_from_before(rig);
            rig.make();
            rig.source->start();
            CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
            EXPECT_THAT(tools_of(*rig.source), ElementsAre("echo"));
            EXPECT_EQ(rig.server.connecting, 0);
            Caller caller("u");
            const auto output = co_await rig.call(caller, "echo", {.arguments = R"({"word":"good morning"})"});
            EXPECT_EQ(text_of(output), "good morning") << why(output);
            EXPECT_TRUE(rig.source->connected());
        });
    }
}

TEST(McpSourceLists, WithoutAListFromBeforeALazyOneIsConnectedToLearnIt) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.spec.connect = Connect::kLazy;
        const auto drawer = std::make_shared<Drawer>();
        rig.options.lists = drawer;
        drawer->kept[rig.spec.name] = "{\"format\":1,";
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->connected() && tools_of(*rig.source).size() == 1; }));
        EXPECT_THAT(rig.problems, ElementsAre(HasSubstr("cannot be read and is not used")));
        EXPECT_THAT(drawer->kept[rig.spec.name], HasSubstr("\"echo\"")) << "and replaced";
    });
}

TEST(McpSourceLists, AListThatHadToBeCutIsReadAgainAtOnceOnlyOnDemand) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.max_list_entries = 2;
        for (const char* name : {"a", "b", "c"}) rig.server.tool(name, echo);
        CO_ASSERT(co_await rig.start());
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("a", "b"));
        // The scheduled listing would take a minute; an operator's refresh skips the wait.
        const auto asked = co_await rig.source->refresh(watchdog());
        EXPECT_TRUE(asked.has_value()) << asked.error().to_string();
    });
}

TEST(McpSourceLists, WhoeverWantsNothingKeptGetsNothingKept) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        const auto drawer = std::make_shared<Drawer>();
        rig.options.lists = drawer;
        CO_ASSERT(co_await rig.start());
        EXPECT_THAT(drawer->kept, IsEmpty()) << "an eager one that does not say so";
        co_await rig.source->stop();
        rig.spec.connect = Connect::kLazy;
        rig.spec.cache_tools = false;
        CO_ASSERT(co_await rig.start());
        EXPECT_THAT(drawer->kept, IsEmpty());
    });
}

TEST(McpSourceLists, ALazyOneThatMustBeThereIsConnectedAtTheStart) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.spec.connect = Connect::kLazy;
        rig.spec.on_connect_error = OnConnectError::kFail;
        co_await known_from_before(rig);
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(rig.server.connecting, 1);
    });
}

TEST(McpSourceLists, AnEagerOneOffersWhatItOfferedWhileItIsConnectedAndWhileItIsDown) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.spec.cache_tools = true;
        co_await known_from_before(rig);
        rig.server.refuse = -1;
        rig.options.grace = milliseconds(20);
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("echo"));
        Caller caller("u");
        EXPECT_THAT(why(co_await rig.call(caller, "echo")), HasSubstr("refused for the test"));
        rig.server.refuse = 0;
        rig.source->retry_now();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->connected(); }));
        // The server is lost and not back within the grace period.
        rig.server.refuse = -1;
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("echo"));
    });
}

TEST(McpSourceLists, RefreshReadsAnewWhatNobodyAnnounced) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("first", echo);
        CO_ASSERT(co_await rig.start());
        rig.server.tool("second", echo);
        EXPECT_TRUE((co_await rig.source->refresh(watchdog())).has_value());
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("first", "second"));
    });
}

TEST(McpSourceLists, RefreshWakesASleeperAndLetsItSleepAgain) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("first", echo);
        rig.spec.connect = Connect::kLazy;
        rig.spec.idle_close = std::chrono::hours(1);
        const auto drawer = co_await known_from_before(rig);
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
        rig.server.tool("second", echo);
        EXPECT_TRUE((co_await rig.source->refresh(watchdog())).has_value());
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("first", "second"));
        EXPECT_THAT(drawer->kept[rig.spec.name], HasSubstr("\"second\""));
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.open_peers() == 0; }));
    });
}

TEST(McpSourceLists, RefreshOfOneThatCannotBeReachedSaysWhyAndForgetsNothing) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("first", echo);
        rig.spec.connect = Connect::kLazy;
        co_await known_from_before(rig);
        rig.server.refuse = -1;
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
        const auto refreshed = co_await rig.source->refresh(watchdog());
        CO_ASSERT(!refreshed);
        EXPECT_THAT(refreshed.error().message(), HasSubstr("refused for the test"));
        EXPECT_THAT(tools_of(*rig.source), ElementsAre("first"));
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
