#include "gantry/client.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace gantry {
namespace {

/// Common start of both servers below. Minimal JSON for a shell: ids are numbers, members come in our order.
const std::string kBasics = R"sh(
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id"; }
times='"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z"'
looked=0
)sh";

/// 2025-11-25 with experimental tasks; asks for the roots when they change.
const std::string kLegacy = kBasics + R"sh(
task() { printf '{"taskId":"t1","status":"%s",%s,"ttl":null,"pollInterval":20}' "$1" "$times"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"notifications/roots/list_changed"'*) echo '{"jsonrpc":"2.0","id":"r1","method":"roots/list"}' ;;
    *'"method":"notifications/'*) ;;
    *'"method":"tools/list"'*) answer '{"tools":[{"name":"build","inputSchema":{"type":"object"},"execution":{"taskSupport":"optional"}},{"name":7},{"name":"roots","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*'"name":"roots"'*) asked=$id ;;
    *'"method":"tools/call"'*'"task":'*) answer "{\"task\":$(task working)}" ;;
    *'"method":"tools/call"'*) answer '{"content":[{"type":"text","text":"at once"}]}' ;;
    *'"method":"tasks/get"'*)
      looked=$((looked + 1))
      if [ $looked -lt 3 ]; then answer "$(task working)"; else answer "$(task completed)"; fi ;;
    *'"method":"tasks/result"'*) answer '{"content":[{"type":"text","text":"built"}]}' ;;
    *'"method":"tasks/list"'*) answer "{\"tasks\":[$(task working)]}" ;;
    *'"method":"tasks/cancel"'*) answer "$(task cancelled)" ;;
    *'"id":"r1"'*) roots=$(printf '%s' "$line" | sed -n 's/.*"uri":"\([^"]*\)".*/\1/p') ;;
    *) refuse ;;
  esac
  if [ -n "$asked" ] && [ -n "$roots" ]; then
    id=$asked; asked=; answer "{\"content\":[{\"type\":\"text\",\"text\":\"$roots\"}]}"
  fi
done
)sh";

/// 2026-07-28: turns every call into a task.
const std::string kModern = kBasics + R"sh(
task() { printf '{"resultType":"%s","taskId":"t1","status":"%s",%s,"ttlMs":null,"pollIntervalMs":20%s}' "$1" "$2" "$times" "$3"; }
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\),.*/\1/p')
  case "$line" in
    *'"method":"server/discover"'*) answer '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":0,"cacheScope":"private"}' ;;
    *'"method":"tools/call"'*) answer "$(task task working)" ;;
    *'"method":"tasks/get"'*)
      looked=$((looked + 1))
      if [ $looked -lt 3 ]; then answer "$(task complete working)"
      else answer "$(task complete completed ',"result":{"content":[{"type":"text","text":"built"}]}')"; fi ;;
    *'"method":"tasks/cancel"'*) answer '{"resultType":"complete"}' ;;
    *) refuse ;;
  esac
done
)sh";

ConnectOptions shell(const std::string& script) {
    return {.server = StdioServer{.command = "sh", .args = {"-c", script}}, .era_memory = EraMemory::kNone};
}

class Tasks : public ::testing::TestWithParam<const std::string*> {};

TEST_P(Tasks, AreStartedWatchedAndFinishedByHand) {
    auto client = connect(shell(*GetParam()));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto task = client->start("build");
    ASSERT_TRUE(task) << task.error().to_string();
    EXPECT_EQ(task->id(), "t1");
    EXPECT_EQ(task->tool(), "build");
    const auto status = task->status();
    ASSERT_TRUE(status) << status.error().to_string();
    EXPECT_EQ(status->status, mcp::TaskStatus::kWorking);
    const auto result = task->result();
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "built");
    const auto again = client->task("t1").result();
    ASSERT_TRUE(again) << "by its id alone";
    EXPECT_EQ(again->text(), "built");
    EXPECT_TRUE(task->cancel());

    client->close();
    const auto closed = task->status();
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code(), ErrorCode::kInvalidArgument);
}
INSTANTIATE_TEST_SUITE_P(BothForms, Tasks, ::testing::Values(&kLegacy, &kModern),
                         [](const auto& info) { return info.param == &kLegacy ? "Legacy" : "Modern"; });

TEST(TasksByHand, AreListedWhereThereIsAList) {
    auto legacy = connect(shell(kLegacy));
    auto modern = connect(shell(kModern));
    ASSERT_TRUE(legacy && modern);
    const auto listed = legacy->list_tasks();
    ASSERT_TRUE(listed) << listed.error().to_string();
    ASSERT_EQ(listed->size(), 1u);
    EXPECT_EQ(listed->front().task_id, "t1");
    const auto none = modern->list_tasks();
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), ErrorCode::kUnsupported);
}

TEST(TasksByHand, AToolThatIsNoTaskComesBackFinished) {
    auto client = connect({.server = StdioServer{.command = "sh", .args = {"-c", kLegacy}},
                           .era_memory = EraMemory::kNone,
                           .handlers = {.roots = [] { return std::vector<mcp::Root>(); }}});
    ASSERT_TRUE(client);
    ASSERT_TRUE(client->set_roots({mcp::Root{.uri = "file:///new"}}));
    const auto task = client->start("roots");
    ASSERT_TRUE(task) << task.error().to_string();
    EXPECT_EQ(task->id(), "");
    const auto status = task->status();
    ASSERT_TRUE(status);
    EXPECT_EQ(status->status, mcp::TaskStatus::kCompleted);
    const auto result = task->result();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text(), "file:///new");
}

TEST(Roots, AChangeIsAnnouncedAndTheNewRootsAreTold) {
    auto options = shell(kLegacy);
    std::atomic<int> asked = 0;
    options.handlers.roots = [&asked]() -> Result<std::vector<mcp::Root>> {
        ++asked;
        return std::vector{mcp::Root{.uri = "file:///from-handler"}};
    };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    ASSERT_TRUE(client->roots_changed());
    const auto first = client->call("roots");
    ASSERT_TRUE(first) << first.error().to_string();
    EXPECT_EQ(first->text(), "file:///from-handler");
    EXPECT_EQ(asked, 1);
}

TEST(Roots, ThatWereNotOfferedCannotBeSet) {
    auto client = connect(shell(kModern));
    ASSERT_TRUE(client);
    const auto set = client->set_roots({});
    ASSERT_FALSE(set);
    EXPECT_EQ(set.error().code(), ErrorCode::kInvalidArgument);
}

TEST(PublicLists, AMalformedToolIsLeftOutAndTold) {
    auto options = shell(kLegacy);
    std::atomic<int> skipped = 0;
    options.handlers.on_skipped = [&skipped](const Error&) { ++skipped; };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client);
    const auto tools = client->list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_EQ(tools->size(), 2u);
    EXPECT_EQ(skipped, 1);
}

TEST(Connection, EveryChangeOfItsStateIsTold) {
    auto options = shell(kModern);
    std::vector<ConnectionState> states;  // touched on Gantry's thread, read after close() waited for it
    options.handlers.on_state = [&states](ConnectionState state) { states.push_back(state); };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client);
    EXPECT_EQ(client->state(), ConnectionState::kConnected);
    EXPECT_TRUE(client->close_async().get());
    EXPECT_EQ(client->state(), ConnectionState::kDisconnected);
    EXPECT_EQ(states,
              (std::vector{ConnectionState::kConnecting, ConnectionState::kConnected, ConnectionState::kDisconnected}));
    EXPECT_TRUE(client->close_async().get()) << "twice is fine";
}

}  // namespace
}  // namespace gantry
