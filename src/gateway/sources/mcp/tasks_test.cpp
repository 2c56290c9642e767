// Tasks of both forms, for clients of both eras.

#include "gateway/sources/mcp/test_rig.hpp"

namespace gantry::gateway::testing {
namespace {

const std::string kTasks = R"({"extensions":{"io.modelcontextprotocol/tasks":{}}})";
const std::string kTasksAndElicits = R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";

Json legacy_task(const std::string& status) {
    return JsonObject{{"taskId", "inner"},
                      {"status", status},
                      {"createdAt", "2026-01-01T00:00:00Z"},
                      {"lastUpdatedAt", "2026-01-01T00:00:00Z"},
                      {"ttl", 60000},
                      {"pollInterval", 20}};
}

Task<Script::Answer> as_task(PeerPtr, ReceivedRequest asked) {
    if (asked.params.find("task") == nullptr) co_return said("not a task");
    co_return JsonObject{{"task", legacy_task("working")}};
}
Task<Script::Answer> get_task(PeerPtr peer, ReceivedRequest) {
    co_return legacy_task(peer->script.gate ? "completed" : "working");
}
Task<Script::Answer> task_result(PeerPtr peer, ReceivedRequest) {
    (void)co_await peer->script.until([&peer] { return peer->script.gate || !peer->open; });
    Json result = said("from the task");
    result.if_object()->set("_meta", parse(R"({"io.modelcontextprotocol/related-task":{"taskId":"inner"}})"));
    co_return result;
}
Task<Script::Answer> cancel_task(PeerPtr, ReceivedRequest) {
    co_return legacy_task("cancelled");
}

void serve_tasks(Script& server, const char* support) {
    server.capabilities.set("tasks", parse(R"({"cancel":{},"requests":{"tools":{"call":{}}}})"));
    server.tool("long", as_task, {{"execution", JsonObject{{"taskSupport", support}}}});
    server.on("tasks/get", get_task);
    server.on("tasks/result", task_result);
    server.on("tasks/cancel", cancel_task);
}

TEST(LegacyTasks, AModernClientSeesTheExtensionsForm) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created);
        CO_ASSERT(created->kind == Output::Kind::kTask);
        CO_ASSERT(created->state);
        const Json handle = parse(created->result());
        EXPECT_EQ(handle.string_at("resultType"), "task");
        EXPECT_EQ(handle.string_at("status"), "working");
        EXPECT_EQ(handle.find("ttlMs")->as_int(), 60000);
        EXPECT_EQ(handle.find("pollIntervalMs")->as_int(), 20);
        EXPECT_EQ(handle.find("task"), nullptr);

        const auto working = co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask});
        CO_ASSERT(working);
        EXPECT_EQ(parse(working->result()).string_at("status"), "working");
        EXPECT_EQ(rig.server.last.at("tasks/get").text("/taskId"), "inner");

        rig.server.gate = true;
        for (int i = 0; i < 2; ++i) {
            const auto done = co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask});
            CO_ASSERT(done);
            const Json task = parse(done->result());
            EXPECT_EQ(task.string_at("status"), "completed");
            EXPECT_EQ(task.string_at("resultType"), "complete");
            EXPECT_EQ(task.at_pointer("/result/content/0/text")->dump(), R"("from the task")");
            EXPECT_EQ(task.at_pointer("/result/_meta"), nullptr);
        }
        EXPECT_EQ(rig.server.count("tasks/result"), 1u);
    });
}

constexpr const char* kCorrelation = "/_meta/io.gantry~1correlationId";

TEST(LegacyTasks, RequestsForATaskHaveTheIdOfTheCallTheyServe) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        rig.server.gate = true;
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long", {.correlation_id = "c-1"});
        CO_ASSERT(created && created->state);
        EXPECT_EQ(rig.server.last.at("tools/call").text(kCorrelation), "c-1");
        CO_ASSERT(co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask, .correlation_id = "c-2"}));
        EXPECT_EQ(rig.server.last.at("tasks/get").text(kCorrelation), "c-2");
        EXPECT_EQ(rig.server.last.at("tasks/result").text(kCorrelation), "c-1")
            << "its answer is that of the first call";
    });
}

TEST(LegacyTasks, CancellingIsAnEmptyAnswerAndForeignIdsAreUnknown) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        Caller eve("eve", kModern, kTasks);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        EXPECT_EQ(code_of(co_await rig.call(eve, *created->state, {.verb = Verb::kGetTask})), -32602);
        EXPECT_EQ(code_of(co_await rig.call(ada, "t.none", {.verb = Verb::kGetTask})), -32602);
        const auto cancelled = co_await rig.call(ada, *created->state, {.verb = Verb::kCancelTask});
        CO_ASSERT(cancelled);
        EXPECT_EQ(cancelled->result(), R"({"resultType":"complete"})");
        EXPECT_EQ(rig.server.count("tasks/cancel"), 1u);
    });
}

Task<Script::Answer> asking_result(PeerPtr peer, ReceivedRequest asked) {
    co_return co_await greet(peer, asked);
}
Task<Script::Answer> needs_input(PeerPtr peer, ReceivedRequest) {
    co_return legacy_task(peer->answers.empty() ? "input_required" : "completed");
}

TEST(LegacyTasks, QuestionsOfATaskAreInputRequestsAndUpdateAnswersThem) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        rig.server.on("tasks/get", needs_input);
        rig.server.on("tasks/result", asking_result);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasksAndElicits);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created && created->state);
        const auto asked = co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask});
        CO_ASSERT(asked);
        const Json task = parse(asked->result());
        EXPECT_EQ(task.string_at("status"), "input_required");
        CO_ASSERT(task.find("inputRequests") != nullptr);
        const JsonObject& requests = *task.find("inputRequests")->if_object();
        CO_ASSERT(requests.size() == 1);
        const std::string key = requests.begin()->first;
        const std::string answer = R"({")" + key + R"(":{"action":"accept","content":{"name":"Ada"}}})";
        const auto updated = co_await rig.call(ada, *created->state, {.verb = Verb::kUpdateTask, .responses = answer});
        CO_ASSERT(updated);
        CO_ASSERT(co_await rig.until([&rig] { return !rig.server.peers.back()->answers.empty(); }));
        const auto done = co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask});
        CO_ASSERT(done);
        EXPECT_EQ(parse(done->result()).at_pointer("/result/content/0/text")->dump(), R"("accept Ada")")
            << done->result();
    });
}

TEST(LegacyTasks, AToolThatMustBeATaskIsFollowedForClientsThatKnowNone) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "required");
        rig.server.gate = true;
        CO_ASSERT(co_await rig.start());
        Caller modern("ada");
        Caller old("bob", kLegacy);
        EXPECT_EQ(text_of(co_await rig.call(modern, "long")), "from the task");
        EXPECT_EQ(text_of(co_await rig.call(old, "long")), "from the task");
    });
}

TEST(LegacyTasks, AFollowedTaskIsCancelledWhenNobodyWaits) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "required");
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        const auto running = rig.begin(ada, "long");
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tasks/result") == 1; }));
        running->stop.cancel();
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tasks/cancel") == 1; }));
    });
}

TEST(LegacyTasks, AFollowedTaskThatAsksParksTheCall) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "required");
        rig.server.on("tasks/result", asking_result);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kElicits);
        const auto asked = co_await rig.call(ada, "long");
        CO_ASSERT(asked);
        CO_ASSERT(asked->kind == Output::Kind::kInputRequired);
        const auto done =
            co_await rig.call(ada, "long", {.state = asked->state, .responses = accept_all(*asked, "Ada")});
        EXPECT_EQ(text_of(done), "accept Ada");
    });
}

TEST(LegacyTasks, AnOptionalTaskIsAnOrdinaryCallForClientsThatKnowNone) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        CO_ASSERT(co_await rig.start());
        Caller ada("ada");
        EXPECT_EQ(text_of(co_await rig.call(ada, "long")), "not a task");
    });
}

TEST(LegacyTasks, AreOfferedInTheExtensionsForm) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        CO_ASSERT(co_await rig.start());
        EXPECT_TRUE(rig.source->inventory()->capabilities.extensions.contains(mcp::kTasksExtension));
    });
    run(kLegacy, [](Rig& rig) -> Task<void> {
        rig.server.capabilities.set("tasks", parse(R"({"list":{}})"));
        CO_ASSERT(co_await rig.start());
        EXPECT_FALSE(rig.source->inventory()->capabilities.extensions.contains(mcp::kTasksExtension))
            << "no tool can be one";
    });
}

TEST(LegacyTasks, AModernClientsStrayTaskParameterStaysHere) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "forbidden");
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasks);
        Caller asked("bob", kModern, kTasksAndElicits);
        for (Caller* caller : {&ada, &asked}) {
            for (const std::string stray : {R"("task":{"ttl":1})", R"("t\u0061sk":{})"}) {
                EXPECT_EQ(text_of(co_await rig.call(*caller, "long", {.more = stray})), "not a task");
            }
        }
        Caller old("cleo", kLegacy);
        const auto relayed = co_await rig.call(old, "long", {.more = R"("task":{})"});
        CO_ASSERT(relayed);
        EXPECT_NE(parse(relayed->result()).find("task"), nullptr) << "a legacy client means it";
    });
}

TEST(LegacyTasks, ALegacyClientsTaskIsRelayedUnderAnIdOfOurs) {
    run(kLegacy, [](Rig& rig) -> Task<void> {
        serve_tasks(rig.server, "optional");
        CO_ASSERT(co_await rig.start());
        Caller bob("bob", kLegacy);
        const auto created = co_await rig.call(bob, "long", {.more = R"("task":{"ttl":5000})"});
        CO_ASSERT(created);
        CO_ASSERT(created->kind == Output::Kind::kTask);
        CO_ASSERT(created->state);
        EXPECT_EQ(parse(created->result()).at_pointer("/task/taskId")->dump(), Json(*created->state).dump());
        EXPECT_EQ(rig.server.last.at("tools/call").params.find("task")->dump(), R"({"ttl":5000})");
        rig.server.gate = true;
        const auto got = co_await rig.call(bob, *created->state, {.verb = Verb::kGetTask});
        CO_ASSERT(got);
        EXPECT_EQ(parse(got->result()).string_at("taskId"), *created->state);
        const auto result = co_await rig.call(bob, *created->state, {.verb = Verb::kTaskResult});
        EXPECT_EQ(text_of(result), "from the task");
    });
}

Task<Script::Answer> modern_task(PeerPtr, ReceivedRequest asked) {
    const Json* extensions = asked.params.at_pointer("/_meta/io.modelcontextprotocol~1clientCapabilities/extensions");
    if (extensions == nullptr || extensions->find("io.modelcontextprotocol/tasks") == nullptr)
        co_return said("at once");
    co_return parse(R"({"resultType":"task","taskId":"inner","status":"working","createdAt":"2026-01-01T00:00:00Z",
                        "lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null,"pollIntervalMs":20})");
}
Task<Script::Answer> modern_get(PeerPtr peer, ReceivedRequest asked) {
    Json task = parse(R"({"resultType":"complete","taskId":"inner","status":"working","pollIntervalMs":20,
        "createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null})");
    if (asked.text("/taskId") != "inner")
        co_return std::unexpected(RpcError{.code = -32602, .message = "?", .data = {}});
    if (peer->script.count("tasks/update") > 0) {
        task.if_object()->set("status", "completed");
        task.if_object()->set("result", said("in the end"));
    } else if (peer->script.count("tasks/get") > 1) {
        task.if_object()->set("status", "input_required");
        task.if_object()->set("inputRequests",
                              parse(R"({"k":{"method":"elicitation/create","params":{"message":"?"}}})"));
    }
    co_return task;
}
Task<Script::Answer> modern_update(PeerPtr, ReceivedRequest) {
    co_return parse(R"({"resultType":"complete"})");
}

void serve_modern_tasks(Script& server) {
    server.capabilities.set("extensions", parse(R"({"io.modelcontextprotocol/tasks":{}})"));
    server.tool("long", modern_task);
    server.on("tasks/get", modern_get);
    server.on("tasks/update", modern_update);
    server.on("tasks/cancel", modern_update);
}

TEST(ModernTasks, AreRelayedToClientsThatKnowThem) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasksAndElicits);
        const auto created = co_await rig.call(ada, "long");
        CO_ASSERT(created);
        CO_ASSERT(created->kind == Output::Kind::kTask);
        CO_ASSERT(created->state);
        const auto got = co_await rig.call(ada, *created->state, {.verb = Verb::kGetTask});
        CO_ASSERT(got);
        EXPECT_EQ(parse(got->result()).string_at("status"), "working");
        EXPECT_TRUE(co_await rig.call(ada, *created->state,
                                      {.verb = Verb::kUpdateTask, .responses = R"({"k":{"action":"accept"}})"}));
        EXPECT_EQ(rig.server.last.at("tasks/update").text("/inputResponses/k/action"), "accept");
        EXPECT_TRUE(co_await rig.call(ada, *created->state, {.verb = Verb::kCancelTask}));
        Caller plain("bob");
        EXPECT_EQ(text_of(co_await rig.call(plain, "long")), "at once") << "a client without the extension gets none";
    });
}

TEST(ModernTasks, RequestsForATaskHaveTheIdOfTheCallTheyServe) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller ada("ada", kModern, kTasksAndElicits);
        const auto created = co_await rig.call(ada, "long", {.correlation_id = "c-1"});
        CO_ASSERT(created && created->state);
        CO_ASSERT(co_await rig.call(ada, *created->state, {.verb = Verb::kCancelTask, .correlation_id = "c-2"}));
        EXPECT_EQ(rig.server.last.at("tasks/cancel").text(kCorrelation), "c-2");
        Caller bob("bob", kLegacy, kElicits);
        bob.line.askable = true;
        EXPECT_EQ(text_of(co_await rig.call(bob, "long", {.correlation_id = "c-3"})), "in the end");
        for (const char* method : {"tools/call", "tasks/get", "tasks/update"})
            EXPECT_EQ(rig.server.last.at(method).text(kCorrelation), "c-3") << method;
    });
}

TEST(ModernTasks, AreFollowedToTheirEndForLegacyClients) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller bob("bob", kLegacy, kElicits);
        bob.line.askable = true;
        EXPECT_EQ(text_of(co_await rig.call(bob, "long")), "in the end");
        EXPECT_EQ(bob.line.questions.size(), 1u);
    });
}

TEST(ModernTasks, AFollowedTaskIsCancelledWhenNobodyWaits) {
    run(kModern, [](Rig& rig) -> Task<void> {
        serve_modern_tasks(rig.server);
        CO_ASSERT(co_await rig.start());
        Caller bob("bob", kLegacy, kElicits);
        bob.line.askable = true;
        bob.line.answer = "";
        const auto running = rig.begin(bob, "long");
        CO_ASSERT(co_await rig.until([&bob] { return bob.line.questions.size() == 1; }));
        running->stop.cancel();
        CO_ASSERT(co_await rig.until([&running] { return running->output.has_value(); }));
        CO_ASSERT(co_await rig.until([&rig] { return rig.server.count("tasks/cancel") == 1; }));
    });
}

}  // namespace
}  // namespace gantry::gateway::testing
