// The example servers as programs over pipes, with our own client: covers stdio, which the official suite (HTTP only)
// does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gantry/client.hpp"
#include "support/paths.hpp"

namespace gantry {
namespace {

mcp::ElicitResult accept(JsonObject content) {
    mcp::ElicitResult answer;
    answer.action = mcp::ElicitAction::kAccept;
    answer.content = std::move(content);
    return answer;
}

class ExampleServers : public testing::TestWithParam<Era> {
protected:
    static Result<Client> start(const std::string& program, std::vector<std::string> arguments) {
        ConnectOptions options;
        options.server = StdioServer{.command = gantry::test_support::built_path("examples/") + program,
                                     .args = std::move(arguments),
                                     .env = {},
                                     .cwd = {},
                                     .on_stderr = {}};
        options.era = GetParam();
        options.handlers.elicit = [](const mcp::ElicitParams& asked) -> Result<mcp::ElicitResult> {
            const Json* properties = asked.requested_schema.find("properties");
            JsonObject content;
            if (properties->find("name") != nullptr) content.set("name", "Ann");
            if (properties->find("color") != nullptr) content.set("color", "blue");
            if (properties->find("confirm") != nullptr) content.set("confirm", true);
            if (properties->find("username") != nullptr) {
                content.set("username", "ann");
                content.set("email", "ann@example.com");
            }
            return accept(std::move(content));
        };
        options.handlers.sample = [](const mcp::CreateMessageParams&) -> Result<mcp::CreateMessageResult> {
            mcp::CreateMessageResult answer;
            answer.content.push_back(mcp::TextContent{.text = "Paris"});
            answer.model = "atlas";
            return answer;
        };
        options.handlers.roots = []() -> Result<std::vector<mcp::Root>> {
            std::vector<mcp::Root> roots(1);
            roots[0].uri = "file:///home";
            return roots;
        };
        return connect(std::move(options));
    }
};
INSTANTIATE_TEST_SUITE_P(BothEras, ExampleServers, testing::Values(Era::kLegacy, Era::kModern),
                         [](const auto& era) { return std::string(era.param == Era::kLegacy ? "legacy" : "modern"); });

TEST_P(ExampleServers, HelloAdds) {
    auto client = start("hello_server", {});
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("add", {{"a", 1}, {"b", 2}});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "3");
    const Json& value = *result->structured_content;
    EXPECT_EQ(value.dump(), GetParam() == Era::kModern ? "3" : R"({"result":3})") << "legacy clients know objects only";
    client->close();
}

TEST_P(ExampleServers, EverythingAsksInWhicheverWayTheClientCanAnswer) {
    auto client = start("everything_server", {"--stdio"});
    ASSERT_TRUE(client) << client.error().to_string();
    const std::vector<std::pair<const char*, const char*>> expected{
        {"test_input_required_result_elicitation", "Hello, Ann!"},
        {"test_input_required_result_sampling", "Answered by atlas"},
        {"test_input_required_result_list_roots", "The client has 1 root(s)"},
        {"test_input_required_result_multiple_inputs", "Received 3 answers"},
        {"test_input_required_result_multi_round", "Ann likes blue"}};
    for (const auto& [tool, text] : expected) {
        const auto result = client->call(tool);
        ASSERT_TRUE(result) << tool << ": " << result.error().to_string();
        EXPECT_EQ(result->text(), text) << tool;
    }
    EXPECT_EQ(client->call("test_sampling", {{"prompt", "capital?"}})->text(), "LLM response: Paris");
    EXPECT_THAT(client->call("test_elicitation", {{"message", "who?"}})->text(), testing::HasSubstr("ann@example.com"));
}

TEST_P(ExampleServers, EverythingRunsTasksOfEitherKind) {
    auto client = start("everything_server", {"--stdio"});
    ASSERT_TRUE(client) << client.error().to_string();
    auto asking = client->start("confirm_delete", {{"filename", "notes"}});
    ASSERT_TRUE(asking) << asking.error().to_string();
    EXPECT_FALSE(asking->id().empty());
    const auto deleted = asking->result();
    ASSERT_TRUE(deleted) << deleted.error().to_string();
    EXPECT_EQ(deleted->text(), "Deleted notes");

    auto slow = client->start("slow_compute", {{"seconds", 600}, {"label", "x"}});
    ASSERT_TRUE(slow) << slow.error().to_string();
    EXPECT_EQ(slow->status()->status, mcp::TaskStatus::kWorking);
    const auto waited = slow->result(std::chrono::milliseconds(30));
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(waited.error().timeout(), std::chrono::milliseconds(30));
    ASSERT_TRUE(slow->cancel());
    EXPECT_EQ(slow->status()->status, mcp::TaskStatus::kCancelled);

    auto failing = client->start("failing_job");
    ASSERT_TRUE(failing) << failing.error().to_string();
    const auto failed = failing->result();
    ASSERT_TRUE(failed) << failed.error().to_string();
    EXPECT_TRUE(failed->is_error);
}

TEST_P(ExampleServers, EverythingTellsProgressAndServesTheRest) {
    auto client = start("everything_server", {"--stdio"});
    ASSERT_TRUE(client) << client.error().to_string();
    std::vector<double> steps;
    const auto result =
        client->call("test_tool_with_progress", {},
                     {.on_progress = [&](const mcp::Progress& progress) { steps.push_back(progress.progress); }});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_THAT(steps, testing::ElementsAre(0, 50, 100));
    EXPECT_EQ(client->read_resource("test://template/7/data")->contents.at(0).text,
              R"({"id":"7","templateTest":true,"data":"Data for ID: 7"})");
    EXPECT_EQ(client->get_prompt("test_simple_prompt")->messages.size(), 1u);
    const auto missing = client->read_resource("test://nowhere");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().rpc()->code, GetParam() == Era::kModern ? -32602 : -32002);
}

}  // namespace
}  // namespace gantry
