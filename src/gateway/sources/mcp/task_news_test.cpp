// Clients that follow a task are notified of its progress, whichever form of tasks its server supports.

#include <algorithm>

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

const std::string kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";

/// The task notifications of the source, oldest first.
std::vector<Json> news(const Rig& rig) {
    std::vector<Json> told;
    for (const SourceChange& change : rig.changes) {
        if (change.kind == SourceChange::Kind::kTask) told.push_back(change.task);
    }
    return told;
}
bool told(const Rig& rig, std::string_view status) {
    return std::ranges::any_of(news(rig), [status](const Json& task) { return task.string_at("status") == status; });
}

JsonObject task_of(const std::string& status, const std::string& ttl, const std::string& poll) {
    return {{"taskId", "inner"},
            {"status", status},
            {"createdAt", "2026-01-01T00:00:00Z"},
            {"lastUpdatedAt", "2026-01-01T00:00:00Z"},
            {ttl, 60000},
            {poll, 60000}};
}
JsonObject legacy_task(const std::string& status) {
    return task_of(status, "ttl", "pollInterval");
}
JsonObject modern_task(const std::string& status) {
    return task_of(status, "ttlMs", "pollIntervalMs");
}

void serve_legacy_tasks(Script& server) {
    server.capabilities.set("tasks", parse(R"({"cancel":{},"requests":{"tools":{"call":{}}}})"));
    server.tool("long",
                [](PeerPtr, ReceivedRequest) -> Task<Script::Answer> {
                    co_return JsonObject{{"task", legacy_task("working")}};
                },
                {{"execution", JsonObject{{"taskSupport", "optional"}}}});
    server.on("tasks/get", [](PeerPtr peer, ReceivedRequest) -> Task<Script::Answer> {
        co_return Json(legacy_task(peer->script.gate ? "completed" : "working"));
    });
    server.on("tasks/result",
              [](PeerPtr, ReceivedRequest) -> Task<Script::Answer> { co_return said("from the task"); });
}

TEST(TaskNews, ALegacyServersStatusIsToldInTheExtensionsFormUnderOurId) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_legacy_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        const auto honoured = co_await rig.source->follow_tasks(watchdog(), {*created->state, "t.unknown", "m.none"});
        EXPECT_EQ(honoured, std::set<std::string>{*created->state});
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "working"); }));

        // The server asks to be polled once a minute: anything sooner is due to its notification.
        rig.server.gate = true;
        co_await rig.server.peers.front()->notify("notifications/tasks/status", Json(legacy_task("completed")));
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "completed"); }));
        const Json last = news(rig).back();
        EXPECT_EQ(last.string_at("taskId"), *created->state);
        EXPECT_EQ(last.at_pointer("/result/content/0/text")->dump(), R"("from the task")");
        EXPECT_EQ(last.find("resultType"), nullptr);
        EXPECT_EQ(last.find("ttl"), nullptr);
        EXPECT_EQ(news(rig).size(), 2u);
    });
}

TEST(TaskNews, ALegacyServerThatNeverTellsIsLookedAt) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_legacy_tasks(rig.server);
        rig.server.tool("long",
                        [](PeerPtr, ReceivedRequest) -> Task<Script::Answer> {
                            JsonObject task = legacy_task("working");
                            task.set("pollInterval", 1);
                            co_return JsonObject{{"task", std::move(task)}};
                        },
                        {{"execution", JsonObject{{"taskSupport", "optional"}}}});
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        EXPECT_EQ((co_await rig.source->follow_tasks(watchdog(), {*created->state})).size(), 1u);
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "working"); }));
        rig.server.gate = true;
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "completed"); }));
        EXPECT_EQ(news(rig).size(), 2u) << "what did not change is not told again";
    });
}

TEST(TaskNews, NobodyIsToldWhatNobodyFollowsAnyMore) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_legacy_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        EXPECT_EQ((co_await rig.source->follow_tasks(watchdog(), {*created->state})).size(), 1u);
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "working"); }));
        EXPECT_TRUE((co_await rig.source->follow_tasks(watchdog(), {})).empty());
        const std::size_t before = rig.server.count("tasks/get");
        rig.server.gate = true;
        co_await rig.server.peers.front()->notify("notifications/tasks/status", Json(legacy_task("completed")));
        // Answered in order, so the notification has been processed.
        EXPECT_TRUE(co_await rig.call(ada, "long"));
        EXPECT_EQ(rig.server.count("tasks/get"), before);
        EXPECT_FALSE(told(rig, "completed"));
    });
}

void serve_modern_tasks(Script& server) {
    server.capabilities.set("extensions", *parse(kTasks).find("extensions"));
    server.tool("long", [](PeerPtr, ReceivedRequest) -> Task<Script::Answer> {
        JsonObject task = modern_task("working");
        task.set("resultType", "task");
        co_return Json(std::move(task));
    });
    server.on("tasks/get", [](PeerPtr, ReceivedRequest) -> Task<Script::Answer> {
        JsonObject task = modern_task("completed");
        task.set("resultType", "complete");
        task.set("result", said("missed"));
        co_return Json(std::move(task));
    });
}

TEST(TaskNews, AModernServerIsListenedToForThoseTasksAndNoOthers) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        const auto honoured = co_await rig.source->follow_tasks(watchdog(), {*created->state});
        EXPECT_EQ(honoured, std::set<std::string>{"m.inner"});
        const ReceivedRequest listen = rig.server.last.at("subscriptions/listen");
        EXPECT_EQ(listen.params.at_pointer("/notifications/taskIds")->dump(), R"(["inner"])");
        EXPECT_NE(listen.params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/"
                                           "io.modelcontextprotocol~1tasks"),
                  nullptr)
            << "a server tells only clients that know tasks: " << listen.params.dump();
        JsonObject task = modern_task("completed");
        task.set("result", said("done"));
        task.set("_meta", JsonObject{{"io.modelcontextprotocol/subscriptionId", mcp::to_json(listen.id)}});
        co_await rig.server.peers.front()->notify("notifications/tasks", Json(std::move(task)));
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "completed"); }));
        EXPECT_EQ(news(rig).back().string_at("taskId"), "m.inner");
        EXPECT_EQ(news(rig).back().at_pointer("/result/content/0/text")->dump(), R"("done")");
    });
}

TEST(TaskNews, WhatAModernServerSaidWhileItWasAwayIsFetched) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        EXPECT_EQ((co_await rig.source->follow_tasks(watchdog(), {"m.inner"})).size(), 1u);
        co_await rig.server.peers.front()->connection->close();
        CO_ASSERT(co_await rig.until([&rig] { return told(rig, "completed"); }));
        EXPECT_EQ(news(rig).back().string_at("taskId"), "m.inner");
        EXPECT_EQ(news(rig).back().at_pointer("/result/content/0/text")->dump(), R"("missed")");
        CO_ASSERT(co_await rig.until([&rig] {
            const auto& heard = rig.server.peers.back()->heard;
            return rig.server.peers.size() == 2 && std::ranges::find(heard, "subscriptions/listen") != heard.end();
        }));
        EXPECT_EQ(rig.server.last.at("subscriptions/listen").params.at_pointer("/notifications/taskIds")->dump(),
                  R"(["inner"])");
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
