// A client's life cycle, from connect to close.

#include <gtest/gtest.h>

#include <coroutine>
#include <future>
#include <latch>

#include "library/tool_server.hpp"
#include "support/child.hpp"

namespace gantry::testing {
namespace {

using std::chrono::seconds;

std::map<std::string, ToolServer::Answer> library() {
    using Reply = ToolServer::Reply;
    return {
        {"ping", [](const Json&) { return Reply{}; }},
        {"resources/list",
         [](const Json&) { return Reply{.result = R"({"resources":[{"uri":"a:1","name":"one"}]})"}; }},
        {"resources/templates/list",
         [](const Json&) {
             return Reply{.result = R"({"resourceTemplates":[{"uriTemplate":"a:{n}","name":"any"}]})"};
         }},
        {"resources/read",
         [](const Json& params) {
             return Reply{.result = R"({"contents":[{"uri":")" + std::string(params.string_at("uri")) +
                                    R"(","text":"inside"}]})"};
         }},
        {"resources/subscribe", [](const Json&) { return Reply{}; }},
        {"resources/unsubscribe", [](const Json&) { return Reply{}; }},
        {"prompts/list", [](const Json&) { return Reply{.result = R"({"prompts":[{"name":"review"}]})"}; }},
        {"prompts/get",
         [](const Json&) {
             return Reply{.result =
                              R"({"messages":[{"role":"user","content":{"type":"text","text":"Look at this"}}]})"};
         }},
        {"completion/complete", [](const Json&) { return Reply{.result = R"({"completion":{"values":["C++"]}})"}; }},
        {"logging/setLevel", [](const Json&) { return Reply{}; }},
        {"tools/list", [](const Json&) { return Reply{.result = tool_list({"t"})}; }},
        {"tools/call", [](const Json&) { return Reply{.result = text_result("done")}; }},
    };
}

TEST(Life, ReadsResourcesPromptsAndCompletions) {
    ToolServer server(library());
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_EQ(client->server().info.name, "tools");
    EXPECT_EQ(client->list_resources().value().at(0).uri, "a:1");
    EXPECT_EQ(client->list_resource_templates().value().at(0).uri_template, "a:{n}");
    EXPECT_EQ(client->read_resource("a:7").value().contents.size(), 1u);
    EXPECT_EQ(server.count(R"(resources/read {"uri":"a:7"})"), 1);
    EXPECT_TRUE(client->subscribe("a:7"));
    EXPECT_TRUE(client->unsubscribe("a:7"));
    EXPECT_EQ(client->list_prompts().value().at(0).name, "review");
    EXPECT_EQ(client->get_prompt("review", {{"language", "C++"}}).value().messages.size(), 1u);
    EXPECT_EQ(server.count(R"(prompts/get {"name":"review","arguments":{"language":"C++"}})"), 1);
    mcp::CompleteParams question{.ref = mcp::PromptReference{.name = "review"},
                                 .argument = {.name = "language", .value = "C"}};
    EXPECT_EQ(client->complete(question).value().completion.values, std::vector<std::string>{"C++"});
    EXPECT_TRUE(client->set_log_level(mcp::LogLevel::kWarning));
    EXPECT_TRUE(client->ping());
}

TEST(Life, AfterCloseEveryOperationIsTheCallersMistake) {
    ToolServer server(library());
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    client->close();
    client->close();
    const auto before = server.seen().size();
    auto code = [](const auto& result) { return result.error().code(); };
    EXPECT_EQ(code(client->list_tools()), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->call("t")), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->list_resources()), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->list_resource_templates()), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->read_resource("a:1")), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->list_prompts()), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->get_prompt("review")), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->complete({})), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->subscribe("a:1")), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->unsubscribe("a:1")), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->set_log_level(mcp::LogLevel::kInfo)), ErrorCode::kInvalidArgument);
    EXPECT_EQ(code(client->ping()), ErrorCode::kInvalidArgument);
    EXPECT_EQ(client->state(), ConnectionState::kDisconnected);
    EXPECT_EQ(server.seen().size(), before) << "nothing is sent any more";
}

TEST(Life, LeavingTheScopeEndsTheSessionAndTheConnection) {
    ToolServer server(library());
    {
        auto warm = connect(server.options());  // starts what lives as long as the process
        ASSERT_TRUE(warm) << warm.error().to_string();
    }
    const auto descriptors = open_descriptors();
    {
        auto client = connect(server.options());
        ASSERT_TRUE(client) << client.error().to_string();
        EXPECT_EQ(client->state(), ConnectionState::kConnected);
    }
    EXPECT_EQ(server.count("DELETE"), 2);
    EXPECT_TRUE(eventually([&] { return open_descriptors() <= descriptors; }));
}

TEST(Life, HeadersReachTheServerUnchanged) {
    ToolServer server(library());
    ConnectOptions options = server.options();
    std::get<HttpServer>(options.server).headers = {{"Authorization", "Bearer a.b-c~d"}, {"X-Team", "one, two"}};
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    ASSERT_TRUE(client->call("t"));
    for (const char* method : {"initialize", "notifications/initialized", "tools/call"}) {
        const std::string head = server.head_of(method);
        EXPECT_NE(head.find("\r\nAuthorization: Bearer a.b-c~d\r\n"), std::string::npos) << method << "\n" << head;
        EXPECT_NE((head + "\r\n").find("\r\nX-Team: one, two\r\n"), std::string::npos) << method << "\n" << head;
    }
}

TEST(Life, CallsRunSideBySide) {
    const Watchdog watchdog("side by side", seconds(600));
    constexpr int kCalls = 8;
    auto methods = library();
    std::latch all_there(kCalls);
    // No call is answered before all have arrived.
    methods["tools/call"] = [&all_there](const Json& params) {
        all_there.arrive_and_wait();
        return ToolServer::Reply{.result = text_result(params.at_pointer("/arguments/n")->dump())};
    };
    ToolServer server(std::move(methods));
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    std::vector<Pending<mcp::CallToolResult>> calls;
    for (int i = 0; i < kCalls; ++i) calls.push_back(client->call_async("t", {{"n", i}}));
    for (int i = 0; i < kCalls; ++i) {
        const auto result = calls[static_cast<std::size_t>(i)].get();
        ASSERT_TRUE(result) << result.error().to_string();
        EXPECT_EQ(result->text(), std::to_string(i));
    }
}

/// A coroutine type unknown to Gantry.
struct Program {
    struct promise_type {
        Program get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

Program ask(ConnectOptions options, std::promise<std::string>& said) {
    auto client = co_await connect_async(std::move(options));
    if (!client) {
        said.set_value(client.error().to_string());
        co_return;
    }
    auto tools = co_await client->list_tools_async();
    auto result = co_await tools.value().at(0).call_async({});
    said.set_value(result ? result->text() : result.error().to_string());
}

TEST(Life, ACoroutineOfTheProgramCanAwaitEverything) {
    const Watchdog watchdog("coroutine", seconds(600));
    ToolServer server(library());
    std::promise<std::string> said;
    ask(server.options(), said);
    EXPECT_EQ(said.get_future().get(), "done");
    EXPECT_TRUE(eventually([&] { return server.count("DELETE") == 1; })) << "its client went with it";
}

}  // namespace
}  // namespace gantry::testing
