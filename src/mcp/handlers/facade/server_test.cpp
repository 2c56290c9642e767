#include "gantry/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

#include "gantry/client.hpp"

namespace gantry {
namespace {

struct AddArgs {
    double a;
    double b;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"))
struct Sum {
    double sum;
};
GANTRY_DESCRIBE(Sum, sum)
mcp::ElicitParams ask_name() {
    mcp::ElicitParams params;
    params.message = "Who are you?";
    params.requested_schema =
        *Json::parse(R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})");
    return params;
}

Result<std::string> greet(ServedCall& call) {
    call.progress(1, 2, "asking");
    call.log(mcp::LogLevel::kInfo, "asking");
    auto answer = call.elicit("name", ask_name());
    if (!answer) return std::unexpected(answer.error());
    const Json* name = answer->content ? answer->content->find("name") : nullptr;
    return "Hello " + (name != nullptr && name->is_string() ? *name->if_string() : "nobody");
}

class PublicServer : public testing::TestWithParam<Era> {
protected:
    Client connect_to(const Server& server) {
        ConnectOptions options;
        options.server = HttpServer{.url = server.url(), .headers = {}, .authorization = {}, .ca_file = {}};
        options.era = GetParam();
        options.handlers.elicit = [](const mcp::ElicitParams&) -> Result<mcp::ElicitResult> {
            mcp::ElicitResult answer;
            answer.action = mcp::ElicitAction::kAccept;
            answer.content = JsonObject{{"name", "Ann"}};
            return answer;
        };
        options.handlers.on_list_changed = [this](std::string_view what) {
            if (what == "tools") tools_changed = true;
            tools_changed.notify_all();
        };
        auto client = connect(std::move(options));
        if (!client) throw std::runtime_error(client.error().to_string());
        return *std::move(client);
    }

    std::atomic<bool> tools_changed = false;
};
INSTANTIATE_TEST_SUITE_P(BothEras, PublicServer, testing::Values(Era::kLegacy, Era::kModern),
                         [](const auto& era) { return std::string(era.param == Era::kLegacy ? "legacy" : "modern"); });

TEST_P(PublicServer, ServesAStructAndAFunction) {
    Server server("test", "1");
    ASSERT_TRUE(
        server.add_tool("add", "Adds", [](const AddArgs& args) -> Result<Sum> { return Sum{args.a + args.b}; }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    const auto tools = client.list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    ASSERT_EQ(tools->size(), 1u);
    EXPECT_EQ(tools->front().description(), "Adds");
    const auto result = client.call("add", {{"a", 1}, {"b", 2.5}});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->structured_content->dump(), R"({"sum":3.5})");
}

mcp::Tool tool_named(std::string name) {
    mcp::Tool tool;
    tool.name = std::move(name);
    tool.input_schema = *Json::parse(R"({"type":"object","properties":{"n":{"type":"integer"}}})");
    return tool;
}

TEST_P(PublicServer, AListOfToolsIsRunByOneExecutor) {
    Server server("test", "1");
    ASSERT_TRUE(server.add_tools({tool_named("up"), tool_named("down")},
                                 [](const std::string& tool, JsonObject arguments) -> Result<mcp::CallToolResult> {
                                     mcp::CallToolResult result;
                                     result.content.push_back(
                                         mcp::TextContent{.text = tool + " by " + arguments.find("n")->dump()});
                                     return result;
                                 }));
    ASSERT_TRUE(
        server.add_tools({tool_named("refuse")},
                         [](ServedCall& call, const std::string& tool, JsonObject) -> Result<mcp::CallToolResult> {
                             call.progress(1);
                             return fail(ErrorCode::kNotFound, "nothing for " + tool);
                         }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    EXPECT_EQ(client.list_tools()->size(), 3u);
    EXPECT_EQ(client.call("up", {{"n", 2}})->text(), "up by 2");
    EXPECT_EQ(client.call("down", {{"n", 3}})->text(), "down by 3");
    const auto refused = client.call("refuse");
    ASSERT_TRUE(refused);
    EXPECT_TRUE(refused->is_error);
    EXPECT_EQ(refused->text(), "nothing for refuse");
    EXPECT_TRUE(client.call("up", {{"n", "two"}}, {.validate = false})->is_error) << "the executor is not called";
}

TEST_P(PublicServer, HandlersMayBlockAskAndTell) {
    Server server("test", "1");
    ASSERT_TRUE(server.add_tool("greet", "Greets", greet));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    std::atomic<int> told = 0;
    const auto result = client.call("greet", {}, {.on_progress = [&](const mcp::Progress&) { ++told; }});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "Hello Ann");
    EXPECT_GE(told, 1);
}

TEST_P(PublicServer, CallsRunBesideOneAnother) {
    Server server("test", "1");
    std::latch both(2);
    ASSERT_TRUE(server.add_tool("meet", "Waits for another call", [&both]() -> Result<std::string> {
        both.arrive_and_wait();
        return "met";
    }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    auto first = client.call_async("meet");
    auto second = client.call_async("meet");
    EXPECT_EQ(first.get()->text(), "met");
    EXPECT_EQ(second.get()->text(), "met");
}

TEST_P(PublicServer, AnExceptionIsAFailedCall) {
    Server server("test", "1");
    ASSERT_TRUE(
        server.add_tool("throw", "Throws", []() -> Result<std::string> { throw std::runtime_error("out of paper"); }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    const auto result = client.call("throw");
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_TRUE(result->is_error);
    EXPECT_EQ(result->text(), "the handler failed: out of paper");
}

TEST_P(PublicServer, WhatIsAddedWhileServingIsTold) {
    Server server("test", "1");
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    ASSERT_TRUE(client.list_tools());
    // The listening stream opens asynchronously: change the list until a notification arrives.
    std::jthread changing([&](const std::stop_token& stop) {
        while (!stop.stop_requested() && !tools_changed) {
            EXPECT_TRUE(server.add_tool("late", "Came late", []() -> Result<std::string> { return "x"; }));
            std::this_thread::yield();
        }
    });
    tools_changed.wait(false);
    changing.request_stop();
    changing.join();
    EXPECT_EQ(client.list_tools({.refresh = true})->size(), 1u);
    EXPECT_TRUE(server.remove_tool("late"));
    EXPECT_EQ(client.list_tools({.refresh = true})->size(), 0u);
}

TEST_P(PublicServer, ResourcesAndPromptsAreServedToo) {
    Server server("test", "1");
    mcp::ResourceTemplate items;
    items.uri_template = "item:{id}";
    items.name = "items";
    ASSERT_TRUE(server.add(items, [](ServedCall&, const std::string& uri, const mcp::StringMap& variables) {
        mcp::ReadResourceResult result;
        result.contents.push_back({.uri = uri, .text = variables.at("id")});
        return Result<mcp::ReadResourceResult>(result);
    }));
    mcp::Prompt prompt;
    prompt.name = "say";
    ASSERT_TRUE(server.add(prompt, [](ServedCall&, const mcp::StringMap& arguments) {
        mcp::GetPromptResult result;
        result.description = arguments.at("what");
        return Result<mcp::GetPromptResult>(result);
    }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    EXPECT_EQ(client.read_resource("item:7")->contents.at(0).text, "7");
    EXPECT_EQ(client.get_prompt("say", {{"what", "hi"}})->description, "hi");
}

TEST_P(PublicServer, StopsWhileAHandlerIsBusy) {
    auto server = std::make_unique<Server>("test", "1");
    std::latch entered(1);
    auto leave = std::make_shared<std::atomic<bool>>(false);
    std::latch left(1);
    ASSERT_TRUE(server->add_tool("busy", "Takes long", [&, leave](ServedCall& call) -> Result<std::string> {
        entered.count_down();
        leave->wait(false);
        EXPECT_TRUE(call.cancelled());
        EXPECT_FALSE(call.elicit("late", ask_name())) << "nobody is left to ask";
        left.count_down();
        return "late";
    }));
    ASSERT_TRUE(server->serve_http());
    Client client = connect_to(*server);
    auto pending = client.call_async("busy");
    entered.wait();
    server->stop(std::chrono::milliseconds(0));
    server.reset();
    *leave = true;
    leave->notify_all();
    left.wait();
    EXPECT_FALSE(pending.get());
}

TEST_P(PublicServer, StopOnlySignalsAndWaitWaitsForTheEnd) {
    Server server("test", "1");
    ASSERT_TRUE(server.add_tool("stop", "Stops the server", [&]() -> Result<std::string> {
        server.stop(std::chrono::minutes(1));  // would wait for this call if it waited
        return "stopping";
    }));
    ASSERT_TRUE(server.serve_http());
    Client client = connect_to(server);
    const auto result = client.call("stop");
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "stopping") << "what was in flight is answered";
    client.close();
    server.wait();
    EXPECT_FALSE(connect({.server = HttpServer{.url = server.url()}, .era = GetParam()})) << "the port is closed";
    server.wait();
}

TEST(PublicServerAlone, AListOfToolsStopsAtTheFirstThatCannotBeAdded) {
    Server server("test", "1", {.max_tools = 1});
    const auto added =
        server.add_tools({tool_named("one"), tool_named("two")},
                         [](const std::string&, JsonObject) -> Result<mcp::CallToolResult> { return {}; });
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code(), ErrorCode::kLimit);
    EXPECT_TRUE(added.error().message().starts_with("tool 'two': ")) << added.error().message();
    EXPECT_TRUE(server.remove_tool("one"));
    EXPECT_FALSE(server.remove_tool("two"));
}

TEST(PublicServerAlone, RegistersAHundredToolsAndRefusesMoreByValue) {
    Server server("test", "1");
    const auto run = [](ServedCall&, JsonObject) -> Result<mcp::CallToolResult> { return {}; };
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(server.register_tool(tool_named("tool" + std::to_string(i)), run)) << i;
    EXPECT_FALSE(server.register_tool(tool_named("one_more"), run));
    EXPECT_FALSE(server.remove_tool("one_more")) << "it is not there";
    EXPECT_TRUE(server.register_tool(tool_named("tool7"), run)) << "replaces one";
    mcp::Resource resource;
    resource.uri = "a:1";
    resource.name = "a";
    EXPECT_TRUE(server.add(resource, [](ServedCall&, const std::string&, const mcp::StringMap&) {
        return Result<mcp::ReadResourceResult>();
    })) << "tools only";
    EXPECT_TRUE(server.remove_tool("tool7"));
    EXPECT_TRUE(server.register_tool(tool_named("one_more"), run));

    Server other("test", "1");
    EXPECT_FALSE(other.register_tool(tool_named(""), run)) << "unusable";
}

TEST(PublicServerAlone, StopBeforeServingEndsItAsItBegins) {
    Server server("test", "1");
    server.wait();  // nothing is served yet
    server.stop();
    ASSERT_TRUE(server.serve_http());
    server.wait();
}

TEST(PublicServerAlone, DoesNotServeBeyondThisMachineUnasked) {
    Server server("test", "1");
    const auto refused = server.serve_http({.host = "0.0.0.0"});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kDenied);
    ASSERT_TRUE(server.serve_http());
    EXPECT_TRUE(server.url().starts_with("http://127.0.0.1:"));
    EXPECT_FALSE(server.serve_http()) << "once";
    server.stop();
    server.stop();
}

}  // namespace
}  // namespace gantry
