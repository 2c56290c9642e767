// The tasks extension, and the experimental tasks of 2025-11-25.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/handlers/test_rig.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

constexpr std::string_view kTasks =
    R"({"elicitation":{},"sampling":{},"extensions":{"io.modelcontextprotocol/tasks":{}}})";
constexpr std::string_view kPlain = R"({"elicitation":{},"sampling":{}})";
constexpr std::string_view kName = R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})";

Tool tool(std::string name, TaskSupport support = TaskSupport::kOptional) {
    Tool definition;
    definition.name = std::move(name);
    definition.execution = ToolExecution{.task_support = support};
    return definition;
}

std::string name_in(const ElicitResult& answer) {
    const Json* name = answer.content ? answer.content->find("name") : nullptr;
    return name != nullptr && name->is_string() ? *name->if_string() : "nobody";
}

/// A tool that waits for the test.
struct Work {
    Event go;
    bool ended = false;
};
Task<Result<CallToolResult>> labour(Context ctx, ServerCall& call, Work& work) {
    auto task = call.become_task("at it");
    if (!task) co_return fail(task.error());
    call.progress(1, 2, "half");
    auto waited = co_await work.go.wait(ctx);
    work.ended = true;
    if (!waited) co_return fail(waited.error());
    co_return text_result(*task ? "as a task" : "at once");
}
ToolHandler labour_on(Work& work) {
    return [&work](const Context& ctx, ServerCall& call, JsonObject) { return labour(ctx, call, work); };
}

Task<Result<CallToolResult>> ask_inside(const Context& ctx, ServerCall& call, JsonObject) {
    if (auto task = call.become_task(); !task) co_return fail(task.error());
    InputRequests both;
    both.emplace_back("first", form("First?", kName));
    both.emplace_back("second", form("Second?", kName));
    auto answers = co_await call.ask_all(ctx, std::move(both));
    if (!answers) co_return fail(answers.error());
    co_return text_result(name_in(*call.read_answer<ElicitResult>(*answers, "first")) + " and " +
                          name_in(*call.read_answer<ElicitResult>(*answers, "second")));
}

Task<Result<CallToolResult>> ask_then_work(const Context& ctx, ServerCall& call, JsonObject) {
    auto name = co_await call.elicit(ctx, "user_name", form("Who?", kName));
    if (!name) co_return fail(name.error());
    if (auto task = call.become_task(); !task) co_return fail(task.error());
    co_await yield_now();
    co_return text_result("for " + name_in(*name));
}

Task<Result<CallToolResult>> fail_late(const Context&, ServerCall& call, JsonObject arguments) {
    if (auto task = call.become_task(); !task) co_return fail(task.error());
    co_await yield_now();
    if (arguments.contains("protocol")) co_return fail(Error(ErrorCode::kRpc, "x").rpc({-7, "broken", {}}));
    co_return fail(ErrorCode::kInternal, "no luck");
}

Json named(std::string_view tool) {
    return JsonObject{{"name", Json(tool)}, {"arguments", JsonObject{}}};
}
Json id_of(const Json& created) {
    const Json* id = created.find("taskId");
    return JsonObject{{"taskId", id != nullptr ? *id : Json("none")}};
}

TEST(ServerTasks, AToolMayGoOnAfterItsRequestWasAnswered) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json created = rig.result(peer, "tools/call", named("work"));
    EXPECT_EQ(created.string_at("resultType"), "task");
    EXPECT_EQ(created.string_at("status"), "working");
    EXPECT_GE(created.string_at("taskId").size(), 20u);
    EXPECT_NE(created.find("ttlMs"), nullptr);
    EXPECT_NE(created.find("pollIntervalMs"), nullptr);
    EXPECT_EQ(created.find("task"), nullptr);
    EXPECT_EQ(created.find("requestState"), nullptr);

    const Json working = rig.result(peer, "tasks/get", id_of(created));
    EXPECT_EQ(working.string_at("resultType"), "complete");
    EXPECT_EQ(working.string_at("status"), "working");
    EXPECT_EQ(working.string_at("statusMessage"), "half");
    work.go.set();
    rig.settle();
    const Json done = rig.result(peer, "tasks/get", id_of(created));
    EXPECT_EQ(done.string_at("status"), "completed");
    EXPECT_EQ(text_of(*done.find("result")), "as a task");
    EXPECT_TRUE(rig.line.told.empty()) << "the request's stream is over";
}

TEST(ServerTasks, AClientWithoutTheExtensionWaitsOrIsToldWhatIsMissing) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    ASSERT_TRUE(rig.server.add(tool("must", TaskSupport::kRequired), labour_on(work)));
    work.go.set();
    EXPECT_EQ(text_of(rig.call(Rig::modern(kPlain), "work")), "at once");
    EXPECT_EQ(text_of(rig.call(Rig::peer(Revision::k2025_06_18), "must")), "at once") << "has no tasks to require";
    const Json refused = rig.request(Rig::modern(kPlain), "tools/call", named("must"));
    EXPECT_EQ(refused.at_pointer("/error/code")->as_int(), rpc_code::kMissingCapability);
    EXPECT_NE(refused.at_pointer("/error/data/requiredCapabilities/extensions/io.modelcontextprotocol~1tasks"),
              nullptr);
    EXPECT_EQ(rig.error(Rig::modern(kPlain), "tasks/get", JsonObject{{"taskId", "x"}}), rpc_code::kMissingCapability);
    for (const char* method : {"tasks/list", "tasks/result"}) {
        EXPECT_EQ(rig.error(Rig::modern(kTasks), method, JsonObject{{"taskId", "x"}}), rpc_code::kMethodNotFound);
    }
}

TEST(ServerTasks, ATaskIsCancelledOnceAndForAll) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json created = rig.result(peer, "tools/call", named("work"));
    for (int i = 0; i < 2; ++i) {
        const Json ack = rig.result(peer, "tasks/cancel", id_of(created));
        EXPECT_EQ(ack.string_at("resultType"), "complete");
        EXPECT_EQ(ack.find("status"), nullptr);
        rig.settle();
        EXPECT_TRUE(work.ended);
        EXPECT_EQ(rig.result(peer, "tasks/get", id_of(created)).string_at("status"), "cancelled");
    }
}

TEST(ServerTasks, ATaskIsItsOwnersOnly) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const Json created = rig.result(Rig::modern(kTasks), "tools/call", named("work"));
    for (const char* method : {"tasks/get", "tasks/cancel"}) {
        EXPECT_EQ(rig.error(Rig::modern(kTasks, "bob"), method, id_of(created)), rpc_code::kInvalidParams);
        EXPECT_EQ(rig.error(Rig::modern(kTasks), method, JsonObject{{"taskId", "guess"}}), rpc_code::kInvalidParams);
        EXPECT_EQ(rig.error(Rig::modern(kTasks), method), rpc_code::kInvalidParams);
    }
    EXPECT_FALSE(work.ended);
}

TEST(ServerTasks, ATaskAsksThroughItsState) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("ask"), ask_inside));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json id = id_of(rig.result(peer, "tools/call", named("ask")));
    rig.settle();
    const Json waiting = rig.result(peer, "tasks/get", id);
    EXPECT_EQ(waiting.string_at("status"), "input_required");
    ASSERT_NE(waiting.at_pointer("/inputRequests/first/params"), nullptr) << waiting.dump();
    EXPECT_NE(waiting.at_pointer("/inputRequests/second"), nullptr);

    const auto update = [&](std::string_view answers) {
        Json params = id;
        params.if_object()->set("inputResponses", json(answers));
        return rig.error(peer, "tasks/update", params);
    };
    EXPECT_EQ(update(R"({"first":{"action":"nonsense"}})"), rpc_code::kInvalidParams);
    EXPECT_EQ(update(R"({"first":{"action":"accept","content":{"name":"Ann"}},"unknown":{"x":1}})"), 0);
    rig.settle();
    const Json half = rig.result(peer, "tasks/get", id);
    EXPECT_EQ(half.string_at("status"), "input_required");
    EXPECT_EQ(half.at_pointer("/inputRequests/first"), nullptr);
    EXPECT_EQ(update(R"({"second":{"action":"accept","content":{"name":"Bob"}}})"), 0);
    rig.settle();
    const Json done = rig.result(peer, "tasks/get", id);
    EXPECT_EQ(done.string_at("status"), "completed");
    EXPECT_EQ(text_of(*done.find("result")), "Ann and Bob");
    EXPECT_EQ(done.find("inputRequests"), nullptr);
    EXPECT_EQ(update(R"({"second":{"action":"decline"}})"), 0) << "late answers are ignored";
}

TEST(ServerTasks, RoundsComeBeforeTheTask) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("both"), ask_then_work));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json asked = rig.result(peer, "tools/call", named("both"));
    EXPECT_EQ(asked.string_at("resultType"), "input_required");
    Json retry = named("both");
    retry.if_object()->set("requestState", *asked.find("requestState"));
    retry.if_object()->set("inputResponses", json(R"({"user_name":{"action":"accept","content":{"name":"Ann"}}})"));
    const Json created = rig.result(peer, "tools/call", retry);
    EXPECT_EQ(created.string_at("resultType"), "task");
    rig.settle();
    EXPECT_EQ(text_of(*rig.result(peer, "tasks/get", id_of(created)).find("result")), "for Ann");
}

TEST(ServerTasks, AFailedToolCompletesAndABrokenOneFails) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("fail"), fail_late));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json id = id_of(rig.result(peer, "tools/call", named("fail")));
    const Json broken = id_of(rig.result(peer, "tools/call", json(R"({"name":"fail","arguments":{"protocol":1}})")));
    rig.settle();
    const Json done = rig.result(peer, "tasks/get", id);
    EXPECT_EQ(done.string_at("status"), "completed");
    EXPECT_EQ(*done.at_pointer("/result/isError"), Json(true));
    const Json failed = rig.result(peer, "tasks/get", broken);
    EXPECT_EQ(failed.string_at("status"), "failed");
    EXPECT_EQ(*failed.find("error"), json(R"({"code":-7,"message":"broken"})"));
}

TEST(ServerTasks, ListenersHearOfTheTasksTheyNamed) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr peer = Rig::modern(kTasks);
    const Json created = rig.result(peer, "tools/call", named("work"));
    std::vector<Json> heard;
    const std::string id(created.string_at("taskId"));
    const auto tell = [&](const Change& change) { heard.push_back(change.task); };
    auto watch = *rig.loop.run_until_done(rig.server.watch(Context(), peer, {.tasks = {id, "guess"}}, tell));
    EXPECT_EQ(watch->honoured().tasks, std::set<std::string>{id});
    auto other =
        *rig.loop.run_until_done(rig.server.watch(Context(), Rig::modern(kTasks, "bob"), {.tasks = {id}}, tell));
    EXPECT_TRUE(other->honoured().tasks.empty());
    work.go.set();
    rig.settle();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].string_at("taskId"), id);
    EXPECT_EQ(heard[0].string_at("status"), "completed");
    EXPECT_NE(heard[0].find("result"), nullptr);
}

TEST(ServerTasks, TasksAreFewAndDoNotLast) {
    Work work;
    Rig rig({.tasks = {.max_tasks = 2, .max_per_owner = 1, .ttl = std::chrono::hours(1)}});
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    EXPECT_EQ(rig.result(Rig::modern(kTasks), "tools/call", named("work")).string_at("resultType"), "task");
    EXPECT_EQ(*rig.call(Rig::modern(kTasks), "work").find("isError"), Json(true));
    EXPECT_EQ(rig.result(Rig::modern(kTasks, "bob"), "tools/call", named("work")).string_at("resultType"), "task");
    EXPECT_EQ(*rig.call(Rig::modern(kTasks, "eve"), "work").find("isError"), Json(true));

    Work other;
    Rig brief({.tasks = {.ttl = Duration::zero()}});
    ASSERT_TRUE(brief.server.add(tool("work"), labour_on(other)));
    const Json created = brief.result(Rig::modern(kTasks), "tools/call", named("work"));
    EXPECT_EQ(brief.error(Rig::modern(kTasks), "tasks/get", id_of(created)), rpc_code::kInvalidParams);
    brief.settle();
    EXPECT_TRUE(other.ended);
}

TEST(ServerTasks, ARequestThatIsCancelledBeforeItBecameATaskIsGone) {
    Rig rig;
    Work work;
    const auto late = [&work](const Context& ctx, ServerCall& call, JsonObject) {
        return [](Context ctx, ServerCall&, Work& work) -> Task<Result<CallToolResult>> {
            auto waited = co_await work.go.wait(ctx);
            work.ended = true;
            co_return fail(waited.error());
        }(ctx, call, work);
    };
    ASSERT_TRUE(rig.server.add(tool("late"), late));
    rig.loop.post([&] { rig.cancel.cancel(); });
    EXPECT_TRUE(rig.request(Rig::modern(kTasks), "tools/call", named("late")).is_null());
    EXPECT_TRUE(work.ended);
    EXPECT_EQ(rig.server.tasks(), 0u);
}

// --- 2025-11-25 ------------------------------------------------------------------------------------------------

Json as_task(std::string_view tool, std::string_view task = "{}") {
    return JsonObject{{"name", Json(tool)}, {"arguments", JsonObject{}}, {"task", json(task)}};
}
Json legacy_id(const Json& created) {
    const Json* id = created.at_pointer("/task/taskId");
    return JsonObject{{"taskId", id != nullptr ? *id : Json("none")}};
}

TEST(ServerLegacyTasks, TheClientDecidesAndFetchesTheResult) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr peer = Rig::legacy(kPlain);
    const Json created = rig.result(peer, "tools/call", as_task("work", R"({"ttl":60000})"));
    EXPECT_EQ(created.at_pointer("/task")->string_at("status"), "working");
    EXPECT_EQ(*created.at_pointer("/task/ttl"), Json(60000));
    EXPECT_EQ(created.find("resultType"), nullptr);
    rig.settle();
    EXPECT_EQ(rig.result(peer, "tasks/get", legacy_id(created)).string_at("status"), "working");
    work.go.set();
    const Json result = rig.result(peer, "tasks/result", legacy_id(created));
    EXPECT_EQ(text_of(result), "as a task");
    EXPECT_EQ(result.at_pointer("/_meta/io.modelcontextprotocol~1related-task")->string_at("taskId"),
              created.at_pointer("/task")->string_at("taskId"));
    EXPECT_EQ(rig.result(peer, "tasks/get", legacy_id(created)).string_at("status"), "completed");
    EXPECT_EQ(rig.result(peer, "tasks/get", legacy_id(created)).find("result"), nullptr);
}

TEST(ServerLegacyTasks, WithoutTheTaskParamTheCallIsAnOrdinaryOne) {
    Work work;
    work.go.set();
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    ASSERT_TRUE(rig.server.add(tool("must", TaskSupport::kRequired), labour_on(work)));
    ASSERT_TRUE(rig.server.add(tool("never", TaskSupport::kForbidden), labour_on(work)));
    EXPECT_EQ(text_of(rig.call(Rig::legacy(), "work")), "at once");
    EXPECT_EQ(rig.error(Rig::legacy(), "tools/call", named("must")), rpc_code::kMethodNotFound);
    EXPECT_EQ(rig.error(Rig::legacy(), "tools/call", as_task("never")), rpc_code::kMethodNotFound);
    EXPECT_EQ(rig.result(Rig::legacy(), "tools/list").at_pointer("/tools/0/execution")->string_at("taskSupport"),
              "required");
    EXPECT_EQ(rig.result(Rig::modern(), "tools/list").at_pointer("/tools/0/execution"), nullptr);
}

TEST(ServerLegacyTasks, QuestionsOfATaskTravelWithItsResult) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("ask"), ask_inside));
    const PeerPtr peer = Rig::legacy(kPlain);
    const Json created = rig.result(peer, "tools/call", as_task("ask"));
    rig.settle();
    EXPECT_EQ(rig.result(peer, "tasks/get", legacy_id(created)).string_at("status"), "input_required");
    rig.line.on_ask = [](std::string_view, const Json& params) -> Result<std::string> {
        return params.string_at("message") == "First?" ? R"({"action":"accept","content":{"name":"Ann"}})"
                                                       : R"({"action":"accept","content":{"name":"Bob"}})";
    };
    EXPECT_EQ(text_of(rig.result(peer, "tasks/result", legacy_id(created))), "Ann and Bob");
    ASSERT_EQ(rig.line.asked.size(), 2u);
    EXPECT_EQ(rig.line.asked[0].at_pointer("/params/_meta/io.modelcontextprotocol~1related-task")->string_at("taskId"),
              created.at_pointer("/task")->string_at("taskId"));
}

TEST(ServerLegacyTasks, AnIsErrorResultIsAFailedTask) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("fail"), fail_late));
    const PeerPtr peer = Rig::legacy(kPlain);
    const Json created = rig.result(peer, "tools/call", as_task("fail"));
    EXPECT_EQ(*rig.result(peer, "tasks/result", legacy_id(created)).find("isError"), Json(true));
    EXPECT_EQ(rig.result(peer, "tasks/get", legacy_id(created)).string_at("status"), "failed");
}

TEST(ServerLegacyTasks, CancellingReturnsTheTaskAndWorksOnce) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr peer = Rig::legacy(kPlain);
    const Json created = rig.result(peer, "tools/call", as_task("work"));
    rig.settle();
    EXPECT_EQ(rig.result(peer, "tasks/cancel", legacy_id(created)).string_at("status"), "cancelled");
    EXPECT_EQ(rig.error(peer, "tasks/cancel", legacy_id(created)), rpc_code::kInvalidParams);
    EXPECT_NE(rig.error(peer, "tasks/result", legacy_id(created)), 0);
}

TEST(ServerLegacyTasks, TheListHasPagesAndOwnTasksOnly) {
    Work work;
    Rig rig({.page_size = 2});
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    for (int i = 0; i < 3; ++i) rig.result(Rig::legacy(), "tools/call", as_task("work"));
    rig.result(Rig::legacy("{}", "bob"), "tools/call", as_task("work"));
    const Json first = rig.result(Rig::legacy(), "tasks/list");
    EXPECT_EQ(first.find("tasks")->if_array()->size(), 2u);
    const Json second = rig.result(Rig::legacy(), "tasks/list", JsonObject{{"cursor", *first.find("nextCursor")}});
    EXPECT_EQ(second.find("tasks")->if_array()->size(), 1u);
    EXPECT_EQ(second.find("nextCursor"), nullptr);
    EXPECT_EQ(rig.error(Rig::legacy(), "tasks/list", json(R"({"cursor":"!"})")), rpc_code::kInvalidParams);
}

TEST(ServerLegacyTasks, TasksOfANamelessSessionEndWithIt) {
    Work work;
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("work"), labour_on(work)));
    const PeerPtr nameless = Rig::legacy(kPlain, "");
    rig.result(nameless, "tools/call", as_task("work"));
    rig.result(Rig::legacy(kPlain), "tools/call", as_task("work"));
    rig.settle();
    EXPECT_EQ(rig.server.tasks(), 2u);
    rig.server.session_ended(*nameless);
    rig.server.session_ended(*Rig::legacy(kPlain));
    rig.settle();
    EXPECT_EQ(rig.server.tasks(), 1u);
}

}  // namespace
}  // namespace gantry::mcp
