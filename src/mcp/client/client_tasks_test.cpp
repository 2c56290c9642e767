#include "mcp/client/test_server.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

const char* const kTimes = R"(,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z",)";

/// A modern task in that status; `more` starts with a comma or is empty.
Json modern_task(std::string_view type, std::string_view status, std::string_view more = "") {
    return parse(std::string(R"({"resultType":")") + std::string(type) + R"(","taskId":"t1","status":")" +
                 std::string(status) + '"' + kTimes + R"("ttlMs":null,"pollIntervalMs":20)" + std::string(more) + "}");
}

Task<Result<std::vector<Root>>> one_root() {
    Root root;
    root.uri = "file:///srv";
    co_return std::vector<Root>{root};
}

Task<void> followed(Rig& rig) {
    rig.server.reply("tools/call", modern_task("task", "working"));
    int polls = 0;
    rig.server.on("tasks/get", [&polls](const Heard&) -> std::optional<TestServer::Answer> {
        if (++polls < 3) return modern_task("complete", "working");
        return modern_task("complete", "completed", R"(,"result":{"content":[{"type":"text","text":"built"}]})");
    });
    const auto result = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "built");
    EXPECT_EQ((co_await rig.server.nth("tasks/get")).text("/taskId"), "t1");
    const Heard call = co_await rig.server.nth("tools/call");
    EXPECT_NE(call.params.at_pointer(
                  "/_meta/io.modelcontextprotocol~1clientCapabilities/extensions/io.modelcontextprotocol~1tasks"),
              nullptr);
}
TEST(Tasks, ACallThatBecomesATaskIsFollowedToItsEnd) {
    run(Revision::k2026_07_28, followed);
}

Task<void> asks(Rig& rig) {
    rig.settings.handlers.roots = [](const Context&) { return one_root(); };
    rig.server.reply("tools/call", modern_task("task", "working"));
    const std::string question = R"(,"inputRequests":{"q1":{"method":"roots/list"}})";
    rig.server.on("tasks/get", [&rig, question](const Heard&) -> std::optional<TestServer::Answer> {
        // Lists the question once more after it was answered, as a slow server would.
        if (rig.server.count("tasks/get") < 3) return modern_task("complete", "input_required", question);
        return modern_task("complete", "completed", R"(,"result":{"content":[{"type":"text","text":"ok"}]})");
    });
    rig.server.reply("tasks/update", parse(R"({"resultType":"complete"})"));
    CO_ASSERT(co_await rig.connect());
    const auto result = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(result);
    EXPECT_EQ(rig.server.count("tasks/update"), 1u) << "a question is answered once";
    const Heard update = co_await rig.server.nth("tasks/update");
    EXPECT_EQ(update.text("/taskId"), "t1");
    EXPECT_EQ(update.text("/inputResponses/q1/roots/0/uri"), "file:///srv");
}
TEST(Tasks, QuestionsOfATaskAreAnsweredOnce) {
    run(Revision::k2026_07_28, asks, false);
}

Task<void> ends_badly(Rig& rig) {
    rig.server.reply("tools/call", modern_task("task", "cancelled"));
    const auto cancelled = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(!cancelled);
    EXPECT_EQ(cancelled.error().code(), ErrorCode::kCancelled);

    rig.server.reply("tools/call", modern_task("task", "failed", R"(,"error":{"code":-32001,"message":"no disk"})"));
    const auto failed = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(!failed);
    EXPECT_EQ(failed.error().code(), ErrorCode::kRpc);
    CO_ASSERT(failed.error().rpc() != nullptr);
    EXPECT_EQ(failed.error().rpc()->code, -32001);

    rig.server.reply("tools/call", modern_task("task", "pondering"));
    const auto unknown = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(!unknown);
    EXPECT_EQ(unknown.error().code(), ErrorCode::kProtocol);
}
TEST(Tasks, CancelledFailedAndUnknownAreTypedErrors) {
    run(Revision::k2026_07_28, ends_badly);
}

Task<void> given_up(Rig& rig) {
    rig.server.reply("tools/call", modern_task("task", "working"));
    rig.server.reply("tasks/get", modern_task("complete", "working"));
    rig.server.reply("tasks/cancel", parse(R"({"resultType":"complete"})"));
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "build", call));
    CO_ASSERT(co_await rig.server.until([&rig] { return rig.server.count("tasks/get") >= 2; }));
    call->stop.cancel();
    co_await scope.join();
    CO_ASSERT(!*call->result);
    EXPECT_EQ(call->result->error().code(), ErrorCode::kCancelled);
    EXPECT_EQ((co_await rig.server.nth("tasks/cancel")).text("/taskId"), "t1");
}
TEST(Tasks, GivingUpCancelsTheTask) {
    run(Revision::k2026_07_28, given_up);
}

Task<void> by_hand(Rig& rig) {
    rig.server.reply("tools/call", modern_task("task", "working"));
    rig.server.reply("tasks/get", modern_task("complete", "working", R"(,"statusMessage":"half way")"));
    rig.server.reply("tasks/cancel", parse(R"({"resultType":"complete"})"));
    auto started = co_await rig.client->start_tool(watchdog(), "build", {});
    CO_ASSERT(started);
    const auto* task = std::get_if<TaskState>(&*started);
    CO_ASSERT(task != nullptr);
    const auto state = co_await rig.client->get_task(watchdog(), task->task_id);
    CO_ASSERT(state);
    EXPECT_EQ(state->status_message, "half way");
    EXPECT_TRUE(co_await rig.client->cancel_task(watchdog(), task->task_id));
}
TEST(Tasks, CanBeStartedWatchedAndCancelledByHand) {
    run(Revision::k2026_07_28, by_hand);
}

void offer_legacy_tasks(Rig& rig, std::string_view support) {
    rig.server.capabilities.set("tasks", parse(R"({"requests":{"tools":{"call":{}}},"cancel":{}})"));
    rig.server.reply("tools/list", parse(R"({"tools":[{"name":"build","inputSchema":{"type":"object"},)"
                                         R"("execution":{"taskSupport":")" +
                                         std::string(support) + R"("}}]})"));
}
Json legacy_task(std::string_view status) {
    return parse(std::string(R"({"taskId":"t1","status":")") + std::string(status) + '"' + kTimes +
                 R"("ttl":60000,"pollInterval":20})");
}

Task<void> legacy_required(Rig& rig) {
    offer_legacy_tasks(rig, "required");
    rig.server.reply("tools/call", JsonObject{{"task", legacy_task("working")}});
    rig.server.reply("tasks/get", legacy_task("completed"));
    rig.server.reply("tasks/result", said("built"));
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto result = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "built");
    EXPECT_NE((co_await rig.server.nth("tools/call")).params.find("task"), nullptr);
    EXPECT_EQ((co_await rig.server.nth("tasks/result")).text("/taskId"), "t1");
}
TEST(LegacyTasks, ARequiredTaskIsAskedForAndItsResultFetched) {
    run(Revision::k2025_11_25, legacy_required, false);
}

Task<void> legacy_optional(Rig& rig) {
    offer_legacy_tasks(rig, "optional");
    rig.server.on("tools/call", [](const Heard& heard) -> std::optional<TestServer::Answer> {
        if (heard.params.find("task") == nullptr) return said("at once");
        return Json(JsonObject{{"task", legacy_task("working")}});
    });
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    const auto plain = co_await rig.client->call_tool(watchdog(), "build", {});
    CO_ASSERT(plain);
    EXPECT_EQ(plain->text(), "at once");
    const auto started = co_await rig.client->start_tool(watchdog(), "build", {});
    CO_ASSERT(started);
    EXPECT_TRUE(std::holds_alternative<TaskState>(*started));
}
TEST(LegacyTasks, AnOptionalTaskIsForThoseWhoAskForIt) {
    run(Revision::k2025_11_25, legacy_optional, false);
}

Task<void> legacy_input(Rig& rig) {
    rig.settings.handlers.roots = [](const Context&) { return one_root(); };
    offer_legacy_tasks(rig, "required");
    rig.server.reply("tools/call", JsonObject{{"task", legacy_task("working")}});
    rig.server.reply("tasks/get", legacy_task("input_required"));
    rig.server.ignore("tasks/result");
    CO_ASSERT(co_await rig.connect());
    CO_ASSERT(co_await rig.client->list_tools(watchdog()));
    Scope scope(watchdog());
    auto call = std::make_shared<Running>();
    scope.spawn(run_call(rig, "build", call));
    const Heard waiting = co_await rig.server.nth("tasks/result");
    CO_ASSERT(co_await rig.server.ask("roots/list"));
    co_await rig.server.answer(*waiting.id, said("with roots"));
    co_await scope.join();
    CO_ASSERT(*call->result);
    EXPECT_EQ((*call->result)->text(), "with roots");
}
TEST(LegacyTasks, InputIsServedWhileTheResultIsAwaited) {
    run(Revision::k2025_11_25, legacy_input, false);
}

Task<void> legacy_by_hand(Rig& rig) {
    offer_legacy_tasks(rig, "optional");
    rig.server.reply("tools/call", JsonObject{{"task", legacy_task("working")}});
    CO_ASSERT(co_await rig.connect());
    CallSettings call;
    call.task_ttl = seconds(90);
    const auto started = co_await rig.client->start_tool(watchdog(), "build", {}, call);
    CO_ASSERT(started);
    EXPECT_TRUE(std::holds_alternative<TaskState>(*started)) << "the list was asked for what the tool allows";
    const Heard sent = co_await rig.server.nth("tools/call");
    const Json* ttl = sent.params.at_pointer("/task/ttl");
    CO_ASSERT(ttl != nullptr);
    EXPECT_EQ(*ttl, Json(90'000));
}
TEST(LegacyTasks, ATaskByHandNeedsNoListingFirst) {
    run(Revision::k2025_11_25, legacy_by_hand, false);
}

Task<void> legacy_list(Rig& rig) {
    offer_legacy_tasks(rig, "optional");
    rig.server.capabilities.set("tasks", parse(R"({"list":{},"requests":{"tools":{"call":{}}}})"));
    rig.server.on("tasks/list", [](const Heard& heard) -> std::optional<TestServer::Answer> {
        const bool first = heard.text("/cursor").empty();
        JsonObject page{{"tasks", JsonArray{legacy_task(first ? "working" : "completed"), Json(17)}}};
        if (first) page.set("nextCursor", "2");
        return Json(std::move(page));
    });
    CO_ASSERT(co_await rig.connect());
    const auto tasks = co_await rig.client->list_tasks(watchdog());
    CO_ASSERT(tasks);
    CO_ASSERT(tasks->size() == 2);
    EXPECT_EQ((*tasks)[1].status, TaskStatus::kCompleted);
}
TEST(LegacyTasks, AreListedOnAllPages) {
    run(Revision::k2025_11_25, legacy_list, false);
}

Task<void> no_list(Rig& rig) {
    const auto tasks = co_await rig.client->list_tasks(watchdog());
    CO_ASSERT(!tasks);
    EXPECT_EQ(tasks.error().code(), ErrorCode::kUnsupported);
    EXPECT_EQ(rig.server.count("tasks/list"), 0u);
}
TEST(Tasks, TheExtensionHasNoList) {
    run(Revision::k2026_07_28, no_list);
    run(Revision::k2025_11_25, no_list);
}

Task<void> left_alone(Rig& rig) {
    rig.server.reply("tools/call", modern_task("task", "working"));
    rig.server.reply("tasks/get", modern_task("complete", "working"));
    rig.server.reply("tasks/cancel", parse(R"({"resultType":"complete"})"));
    auto started = co_await rig.client->start_tool(watchdog(), "build", {});
    CO_ASSERT(started && std::holds_alternative<TaskState>(*started));
    const auto waited = co_await rig.client->finish_task(
        watchdog().within(milliseconds(60)), std::get<TaskState>(*started), {.cancel_when_given_up = false});
    CO_ASSERT(!waited);
    EXPECT_EQ(waited.error().code(), ErrorCode::kTimeout);
    rig.server.reply("tasks/get",
                     modern_task("complete", "completed", R"(,"result":{"content":[{"type":"text","text":"built"}]})"));
    const auto result = co_await rig.client->finish_task(watchdog(), std::get<TaskState>(*started));
    CO_ASSERT(result);
    EXPECT_EQ(result->text(), "built");
    EXPECT_EQ(rig.server.count("tasks/cancel"), 0u);
}
TEST(Tasks, WaitingForATaskStartedByHandMayBeGivenUpAndTakenUpAgain) {
    run(Revision::k2026_07_28, left_alone);
}

}  // namespace
}  // namespace gantry::mcp
