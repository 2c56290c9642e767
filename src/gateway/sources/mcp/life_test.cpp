// A source's lifecycle: starting, listing, losing its server and reconnecting, following resources.

#include <algorithm>

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

std::size_t tools_in(const McpSource& source) {
    return static_cast<std::size_t>(
        std::ranges::count(source.inventory()->items, ItemKind::kTool, [](const ItemPtr& item) { return item->kind; }));
}

TEST(McpSourceLife, OffersWhatTheServerListsAndSaysSo) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.capabilities.set("prompts", JsonObject{});
        rig.server.capabilities.set("resources", JsonObject{});
        rig.server.reply("prompts/list", parse(R"({"prompts":[{"name":"review","vendor":{"x":1.50}}]})"));
        rig.server.reply("resources/list", parse(R"({"resources":[{"uri":"a://b","name":"b"}]})"));
        rig.server.tool("echo", echo,
                        {{"annotations", JsonObject{{"readOnlyHint", true}}},
                         {"inputSchema", parse(R"({"type":"object","required":["word"]})")}});
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(rig.source->inventory()->items.size(), 3u) << "a server without templates has none";
        const ItemPtr tool = rig.item("echo");
        CO_ASSERT(tool);
        EXPECT_TRUE(tool->hints.read_only);
        EXPECT_NE(tool->input_schema, nullptr);
        EXPECT_EQ(rig.item("review")->text, R"({"name":"review","vendor":{"x":1.50}})") << "every member as it came";
        EXPECT_EQ(rig.source->inventory()->instructions, "be kind");
        EXPECT_FALSE(rig.source->inventory()->modern);
        EXPECT_TRUE(std::ranges::any_of(
            rig.changes, [](const SourceChange& change) { return change.kind == SourceChange::Kind::kInventory; }));
        EXPECT_EQ(rig.source->trouble(), "");
    });
}

TEST(McpSourceLife, KeepsAModernServersPromises) {
    run(kModern, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        EXPECT_TRUE(rig.source->inventory()->modern);
        EXPECT_TRUE(rig.source->inventory()->is_public);
        EXPECT_EQ(rig.source->inventory()->ttl_ms, 5000);
    });
}

TEST(McpSourceLife, LeavesOutBadEntriesAndTellsAboutThem) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("good", echo);
        rig.server.tools.push_back(parse(R"({"title":"nameless"})"));
        rig.server.tools.push_back(parse(R"({"name":"good","inputSchema":{"type":"object"}})"));
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(tools_in(*rig.source), 1u);
        EXPECT_EQ(rig.source->problems().size(), 2u);
        EXPECT_EQ(rig.problems.size(), 2u);
    });
}

TEST(McpSourceLife, SchemasThatCannotBeEnforcedAreReportedAndTheirToolsOffered) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("good", echo);
        rig.server.tools.push_back(parse(R"({"name":"odd","inputSchema":{"type":"object","properties":7}})"));
        // Short, but takes a million steps to validate any arguments.
        std::string text = R"({"name":"bomb","inputSchema":{"type":"object","$ref":"#/$defs/d0","$defs":{)";
        for (int i = 0; i < 20; ++i) {
            const std::string next = R"({"$ref":"#/$defs/d)" + std::to_string(i + 1) + R"("})";
            text += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + "," + next + "]},";
        }
        rig.server.tools.push_back(parse(text + R"("d20":true}}})"));
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(tools_in(*rig.source), 3u);
        std::vector<std::string> faults;
        for (const ItemPtr& item : rig.source->inventory()->items) faults.push_back(item->schema_fault);
        EXPECT_EQ(faults[0], "");
        EXPECT_NE(faults[1].find("properties"), std::string::npos) << faults[1];
        EXPECT_NE(faults[2].find("subschemas to one value"), std::string::npos) << faults[2];
        EXPECT_EQ(rig.problems.size(), 2u);
        EXPECT_NE(rig.problems.back().find("arguments of tool 'bomb' are not validated"), std::string::npos);
    });
}

TEST(McpSourceLife, OfAListThatIsTooLongTheFirstEntriesAreOffered) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.max_list_entries = 100;
        rig.options.list_reader = std::make_shared<Worker>();
        for (int i = 0; i < 150; ++i) rig.server.tool("t" + std::to_string(i), echo);
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(tools_in(*rig.source), 100u);
        CO_ASSERT(rig.problems.size() == 1u);
        EXPECT_NE(rig.problems[0].find("limits.max_list_entries"), std::string::npos) << rig.problems[0];
    });
}

Task<Script::Answer> paged(PeerPtr, ReceivedRequest asked) {
    const std::string cursor = asked.text("/cursor");
    if (cursor.empty()) {
        co_return parse(R"({"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"two"})");
    }
    co_return parse(R"({"tools":[{"name":"b","inputSchema":{"type":"object"}}]})");
}

TEST(McpSourceLife, WalksEveryPage) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.on("tools/list", paged);
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ(tools_in(*rig.source), 2u);
    });
}

TEST(McpSourceLife, ListsAgainWhenTheServerSaysSoAndKeepsWhatDidNotChange) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("first", echo);
            CO_ASSERT(co_await rig.start());
            const ItemPtr before = rig.item("first");
            rig.server.tool("second", echo);
            if (mcp::is_modern(rig.server.revision)) {
                CO_ASSERT(co_await rig.until([&rig] { return rig.server.last.contains("subscriptions/listen"); }));
                const Json id = mcp::to_json(rig.server.last.at("subscriptions/listen").id);
                co_await rig.server.peers.back()->notify(
                    "notifications/tools/list_changed",
                    JsonObject{{"_meta", JsonObject{{"io.modelcontextprotocol/subscriptionId", id}}}});
            } else {
                co_await rig.server.peers.back()->notify("notifications/tools/list_changed");
            }
            CO_ASSERT(co_await rig.until([&rig] { return tools_in(*rig.source) == 2; }));
            EXPECT_EQ(rig.item("first"), before);
        });
    }
}

bool is_announcement(const SourceChange& change) {
    return change.kind == SourceChange::Kind::kAnnounced;
}

TEST(McpSourceLife, PassesOnThatAListChangedEvenIfItReadsTheSame) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("same", echo);
        CO_ASSERT(co_await rig.start());
        rig.changes.clear();
        co_await rig.server.peers.back()->notify("notifications/tools/list_changed");
        CO_ASSERT(co_await rig.until([&rig] { return !rig.changes.empty(); }));
        CO_ASSERT(is_announcement(rig.changes.front()));
        EXPECT_EQ(rig.changes.front().kinds, Kinds(1u << static_cast<unsigned>(ItemKind::kTool)));
        EXPECT_EQ(rig.changes.size(), 1u) << "there is no new inventory";
    });
}

TEST(McpSourceLife, ALostConnectionIsNoAnnouncement) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("same", echo);
        CO_ASSERT(co_await rig.start());
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/list") == 2; }));
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
        EXPECT_TRUE(std::ranges::none_of(rig.changes, is_announcement));
    });
}

TEST(McpSourceLife, ComesUpByItselfWhenTheServerDoes) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.server.refuse = -1;
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_NE(rig.source->trouble().find("refused for the test"), std::string::npos) << rig.source->trouble();
        Caller caller("u");
        const auto refused = co_await rig.call(caller, "echo");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kConnection);
        EXPECT_TRUE(refused.error().retryable());
        EXPECT_NE(refused.error().message().find("scripted"), std::string::npos) << refused.error().message();
        EXPECT_NE(refused.error().message().find("refused for the test"), std::string::npos);
        rig.server.refuse = 0;
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
        EXPECT_EQ(tools_in(*rig.source), 1u);
    });
}

TEST(McpSourceLife, KeepsItsToolsWhileALostServerIsReconnected) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo, {{"annotations", JsonObject{{"readOnlyHint", true}}}});
        CO_ASSERT(co_await rig.start());
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kStarting; }));
        EXPECT_EQ(tools_in(*rig.source), 1u);
        Caller caller("u");
        const auto said = co_await rig.call(caller, "echo", {.arguments = R"({"word":"still"})"});
        EXPECT_EQ(text_of(said), "still") << "the call waits for the new connection";
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
        EXPECT_EQ(rig.server.peers.size(), 2u);
    });
}

TEST(McpSourceLife, OffersNothingWhenTheGraceIsOverAndEverythingWhenItIsBack) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.grace = milliseconds(30);
        rig.server.tool("echo", echo);
        CO_ASSERT(co_await rig.start());
        rig.server.refuse = -1;
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_EQ(tools_in(*rig.source), 0u);
        EXPECT_EQ(rig.source->trouble().find("deadline"), std::string::npos)
            << "the cause, not that we waited in vain: " << rig.source->trouble();
        EXPECT_NE(rig.source->trouble().find("closed the connection"), std::string::npos) << rig.source->trouble();
        rig.server.refuse = 0;
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
        EXPECT_EQ(tools_in(*rig.source), 1u);
    });
}

TEST(McpSourceLife, AServerThatFlapsIsFoundAgainEveryTime) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo, {{"annotations", JsonObject{{"readOnlyHint", true}}}});
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        for (std::size_t i = 1; i <= 3; ++i) {
            co_await rig.server.peers.back()->connection->close();
            EXPECT_EQ(text_of(co_await rig.call(ada, "echo", {.arguments = R"({"word":"x"})"})), "x");
            CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kReady; }));
            EXPECT_EQ(rig.server.open_peers(), 1u);
        }
    });
}

TEST(McpSourceLife, SourcesThatStartTogetherTakeTurns) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.starts = std::make_shared<StartLimiter>(2);
        CO_ASSERT(co_await rig.start());
        std::vector<std::shared_ptr<McpSource>> sources;
        for (int i = 0; i < 8; ++i) {
            sources.push_back(std::make_shared<McpSource>(rig.loop, rig.spec, rig.options));
            sources.back()->start();
        }
        for (const auto& source : sources) {
            CO_ASSERT(co_await rig.until([&source] { return source->state() == SourceState::kReady; }));
        }
        EXPECT_EQ(rig.options.starts->most(), 2u);
        EXPECT_EQ(rig.server.peers.size(), 9u) << "each started once";
        for (const auto& source : sources) co_await source->stop();
    });
}

TEST(McpSourceLife, StopsInTheMiddleOfEverything) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("slow", wait_for_gate);
        rig.server.tool("greet", greet);
        CO_ASSERT(co_await rig.start());
        Caller plain("u");
        Caller asked("u", kModern, kElicits);
        const auto running = rig.begin(plain, "slow");
        const auto parked = co_await rig.call(asked, "greet");
        EXPECT_EQ(rig.source->parked(), 1u) << why(parked);
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 2; }));
        co_await rig.source->stop();
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        EXPECT_FALSE(*running->output);
        EXPECT_EQ(rig.source->parked(), 0u);
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.open_peers() == 0; }));
        EXPECT_FALSE(co_await rig.call(plain, "slow"));
    });
}

TEST(McpSourceLife, ALazyOneSleepsWhenUnusedKeepsItsToolsAndWakesForACall) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.tool("echo", echo);
            rig.spec.connect = Connect::kLazy;
            rig.spec.idle_close = milliseconds(30);
            rig.make();
            rig.source->start();
            CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
            EXPECT_FALSE(rig.source->connected());
            EXPECT_EQ(tools_in(*rig.source), 1u) << "still offered";
            CO_ASSERT(co_await rig.until([&rig] { return rig.server.open_peers() == 0; }));
            Caller caller("u");
            const auto output = co_await rig.call(caller, "echo", {.arguments = R"({"word":"again"})"});
            EXPECT_EQ(text_of(output), "again") << why(output);
            EXPECT_EQ(rig.server.peers.size(), 2u);
            CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
        });
    }
}

TEST(McpSourceLife, HealthIsToldInEveryState) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.server.refuse = -1;
        rig.make();
        EXPECT_EQ(rig.source->health(), SourceHealth::kNotInitialized);
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_EQ(rig.source->health(), SourceHealth::kCrashed);
        EXPECT_FALSE(rig.source->connected_since());
        rig.server.refuse = 0;
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->connected(); }));
        EXPECT_EQ(rig.source->health(), SourceHealth::kHealthy);
        EXPECT_TRUE(rig.source->connected_since());
        rig.server.refuse = -1;
        co_await rig.server.peers.back()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->health() == SourceHealth::kCrashed; }));
        co_await rig.source->stop();
        EXPECT_EQ(rig.source->health(), SourceHealth::kCancelled);
        rig.options.route = []() -> Result<mcp::Route> { return fail(ErrorCode::kInvalidArgument, "for the test"); };
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_EQ(rig.source->health(), SourceHealth::kTaskMissing);
    });
}

TEST(McpSourceLife, ACallThatComesWhileALazyOneFallsAsleepIsServed) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.spec.connect = Connect::kLazy;
        rig.spec.idle_close = milliseconds(20);
        rig.make();
        Caller caller("u");
        std::shared_ptr<Running> running;
        rig.source->watch([&](const SourceChange&) {
            if (running || rig.source->state() != SourceState::kAsleep) return;
            EXPECT_EQ(rig.server.open_peers(), 1u) << "it is not closed yet";
            running = rig.begin(caller, "echo", {.arguments = R"({"word":"wait"})"});
        });
        rig.source->start();
        CO_ASSERT(co_await rig.until([&] { return running && running->output.has_value(); }));
        EXPECT_EQ(text_of(*running->output), "wait") << why(*running->output);
        rig.source->watch([](const SourceChange&) {});  // the source outlives the captures of the old one
    });
}

TEST(McpSourceLife, ALazyOneDoesNotSleepWhileACallRuns) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("slow", wait_for_gate);
        rig.spec.connect = Connect::kLazy;
        rig.spec.idle_close = milliseconds(20);
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return tools_in(*rig.source) == 1; }));
        Caller caller("u");
        const auto running = rig.begin(caller, "slow");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tools/call") == 1; }));
        auto slept = co_await sleep_for(watchdog(), milliseconds(100));
        static_cast<void>(slept);
        EXPECT_TRUE(rig.source->connected());
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        EXPECT_TRUE(running->output->has_value());
    });
}

TEST(McpSourceLife, ASleeperWhoseServerIsGoneSaysSoAndComesBackByItself) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.tool("echo", echo);
        rig.spec.connect = Connect::kLazy;
        rig.spec.idle_close = milliseconds(20);
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kAsleep; }));
        rig.server.refuse = -1;
        Caller caller("u");
        const auto refused = co_await rig.call(caller, "echo");
        CO_ASSERT(!refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kConnection);
        rig.server.refuse = 0;
        rig.source->retry_now();
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.peers.size() == 2; }));
    });
}

TEST(McpSourceLife, FollowsWhatIsWantedAcrossConnections) {
    for (const auto revision : {kLegacy, kModern}) {
        run(revision, [](Rig& rig) -> Task<void> {
            rig.server.capabilities.set("resources", JsonObject{{"subscribe", true}});
            rig.server.reply("resources/list", parse(R"({"resources":[]})"));
            rig.server.reply("resources/templates/list", parse(R"({"resourceTemplates":[]})"));
            rig.server.reply("resources/subscribe", JsonObject{});
            rig.server.reply("resources/unsubscribe", JsonObject{});
            CO_ASSERT(co_await rig.start());
            const auto followed = co_await rig.source->follow(watchdog(), {"a://1", "a://2"});
            EXPECT_EQ(followed.size(), 2u);
            const auto fewer = co_await rig.source->follow(watchdog(), {"a://2"});
            EXPECT_EQ(fewer, (std::set<std::string>{"a://2"}));
            const bool modern = mcp::is_modern(rig.server.revision);
            if (!modern) {
                EXPECT_EQ(rig.server.count("resources/subscribe"), 2u);
                EXPECT_EQ(rig.server.count("resources/unsubscribe"), 1u);
            }
            co_await rig.server.peers.back()->connection->close();
            CO_ASSERT(co_await rig.until([&rig, modern] {
                if (rig.server.peers.size() < 2) return false;
                const auto& heard = rig.server.peers.back()->heard;
                return std::ranges::find(heard, modern ? "subscriptions/listen" : "resources/subscribe") != heard.end();
            }));
            Json params = JsonObject{{"uri", "a://2"}};
            if (modern) {
                const Json id = mcp::to_json(rig.server.last.at("subscriptions/listen").id);
                params.if_object()->set("_meta", JsonObject{{"io.modelcontextprotocol/subscriptionId", id}});
            }
            co_await rig.server.peers.back()->notify("notifications/resources/updated", std::move(params));
            CO_ASSERT(co_await rig.until([&rig] {
                return std::ranges::any_of(rig.changes, [](const SourceChange& change) {
                    return change.kind == SourceChange::Kind::kResourceUpdated && change.uri == "a://2";
                });
            }));
        });
    }
}

TEST(McpSourceLife, AServerThatTellsNothingIsNotFollowed) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.start());
        EXPECT_TRUE((co_await rig.source->follow(watchdog(), {"a://1"})).empty());
    });
}

TEST(McpSourceLife, ASpecificationThatCannotWorkIsDownWithItsReason) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.options.route = nullptr;
        rig.make();
        rig.source->start();
        CO_ASSERT(co_await rig.until([&rig] { return rig.source->state() == SourceState::kDown; }));
        EXPECT_NE(rig.source->trouble().find("neither a command nor a url"), std::string::npos);
    });
}

Task<void> hold(std::shared_ptr<StartLimiter> limiter, int& inside, int& most, int& done) {
    auto permit = co_await limiter->acquire(watchdog());
    most = std::max(most, ++inside);
    co_await yield_now();
    co_await yield_now();
    --inside;
    ++done;
}

Task<void> start_many(int& most, int& done) {
    auto limiter = std::make_shared<StartLimiter>(3);
    int inside = 0;
    Scope scope(Context::background());
    for (int i = 0; i < 20; ++i) scope.spawn(hold(limiter, inside, most, done));
    co_await scope.join();
}

Task<void> start_beside_a_silent_one(bool& second) {
    auto limiter = std::make_shared<StartLimiter>(1, milliseconds(1));
    auto silent = co_await limiter->acquire(watchdog());
    auto permit = co_await limiter->acquire(watchdog());
    second = permit.has_value();
    EXPECT_EQ(limiter->most(), 1u) << "the silent one does not count as starting any more";
}

TEST(StartLimiterTest, AServerThatStaysSilentDoesNotKeepOthersFromStarting) {
    Loop loop;
    bool second = false;
    loop.run_until_done(start_beside_a_silent_one(second));
    EXPECT_TRUE(second);
}

TEST(StartLimiterTest, LetsSoManyStartAtOnceAndEverybodyInTheEnd) {
    Loop loop;
    int most = 0;
    int done = 0;
    loop.run_until_done(start_many(most, done));
    EXPECT_EQ(most, 3);
    EXPECT_EQ(done, 20);
}

}  // namespace
}  // namespace gantry::gateway::testing
