// Tools: how they are presented and called.

#include <gtest/gtest.h>

#include <atomic>

#include "gantry/local_tool.hpp"
#include "library/tool_server.hpp"

namespace gantry::testing {
namespace {

struct Numbers {
    double a;
    double b;
};
GANTRY_DESCRIBE(Numbers, a, b)

Tool local_adder() {
    return make_tool("add", "Adds", [](const Numbers& numbers) -> Result<std::string> {
        return std::to_string(static_cast<int>(numbers.a + numbers.b));
    });
}

ToolServer::Answer lists(std::vector<std::string> names) {
    return [names](const Json&) { return ToolServer::Reply{.result = tool_list(names)}; };
}

/// Answers every call with the name used in it.
ToolServer::Reply says_its_name(const Json& params) {
    return {.result = text_result(std::string(params.string_at("name")))};
}

std::vector<std::string> names_of(const std::vector<Tool>& tools) {
    std::vector<std::string> names;
    for (const Tool& tool : tools) names.push_back(tool.name());
    return names;
}

TEST(Tools, APrefixedHandleCallsByTheServersOwnName) {
    ToolServer server({{"tools/list", lists({"log", "status"})}, {"tools/call", says_its_name}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools({.prefix = "git"});
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_EQ(names_of(*tools), (std::vector<std::string>{"git_log", "git_status"}));
    const auto result = tools->at(1).call({{"short", true}});
    ASSERT_TRUE(result) << result.error().to_string();
    EXPECT_EQ(result->text(), "status");
    EXPECT_EQ(server.count(R"(tools/call {"name":"status","arguments":{"short":true}})"), 1);
}

TEST(ToolFilters, WhatIsRefusedIsNeitherListedNorCalled) {
    ToolServer server({{"tools/list", lists({"read", "write"})}, {"tools/call", says_its_name}});
    ConnectOptions options = server.options();
    std::atomic<bool> may_write = false;
    options.tool_filter = [&](const mcp::Tool& tool) {
        if (tool.name == "trap") throw std::runtime_error("a mistake of the program");
        return tool.name == "read" || may_write;
    };
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    // Called before anything was listed.
    const auto refused = client->call("write");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kDenied);
    EXPECT_EQ(refused.error().tool(), "write");
    EXPECT_EQ(refused.error().message(), "the client's tool filter refuses tool 'write'");
    EXPECT_EQ(names_of(*client->list_tools()), std::vector<std::string>{"read"});
    EXPECT_EQ(client->start("write").error().code(), ErrorCode::kDenied) << "also as a task";
    EXPECT_EQ(client->call("unlisted").error().code(), ErrorCode::kDenied) << "judged by its name";
    EXPECT_EQ(client->call("trap").error().code(), ErrorCode::kDenied) << "an exception refuses";
    EXPECT_EQ(client->call("read")->text(), "read");
    EXPECT_EQ(server.count(R"(tools/call {"name":"read","arguments":{}})"), 1);
    for (const std::string& request : server.seen()) {
        EXPECT_TRUE(!request.starts_with("tools/call") || request.contains("read")) << request;
    }

    may_write = true;
    const auto tools = client->list_tools();
    EXPECT_EQ(names_of(*tools), (std::vector<std::string>{"read", "write"})) << "asked again for every list";
    EXPECT_EQ(tools->at(1).call({})->text(), "write");
    may_write = false;
    EXPECT_EQ(tools->at(1).call({}).error().code(), ErrorCode::kDenied) << "also for a tool that was listed before";
}

TEST(ToolFilters, MayBeAListOfNames) {
    ToolServer server({{"tools/list", lists({"read", "stat", "write"})}, {"tools/call", says_its_name}});
    ConnectOptions options = server.options();
    options.tool_filter = only_tools({"stat", "read"});
    auto client = connect(std::move(options));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_EQ(names_of(*client->list_tools({.prefix = "fs"})), (std::vector<std::string>{"fs_read", "fs_stat"}));
    EXPECT_EQ(client->call("stat")->text(), "stat");
    EXPECT_EQ(client->call("write").error().code(), ErrorCode::kDenied);
}

TEST(Tools, OfTwoServersAndOfTheProgramAreOneVectorAndAreCalledAlike) {
    ToolServer git({{"tools/list", lists({"log"})}, {"tools/call", says_its_name}});
    ToolServer files({{"tools/list", lists({"log"})}, {"tools/call", says_its_name}});
    auto first = connect(git.options());
    auto second = connect(files.options());
    ASSERT_TRUE(first) << first.error().to_string();
    ASSERT_TRUE(second) << second.error().to_string();
    std::vector<Tool> tools = {local_adder()};
    for (const auto& [client, prefix] : {std::pair{&*first, "git"}, std::pair{&*second, "files"}}) {
        auto more = client->list_tools({.prefix = prefix});
        ASSERT_TRUE(more) << more.error().to_string();
        tools.insert(tools.end(), more->begin(), more->end());
    }
    EXPECT_EQ(names_of(tools), (std::vector<std::string>{"add", "git_log", "files_log"}));
    std::string said;
    for (const Tool& tool : tools) {
        EXPECT_EQ(tool.input_schema().string_at("type"), "object") << tool.name();
        const auto result = tool.call({{"a", 1}, {"b", 2}});
        ASSERT_TRUE(result) << tool.name() << ": " << result.error().to_string();
        said += result->text() + " ";
    }
    EXPECT_EQ(said, "3 log log ");
    EXPECT_EQ(git.count("tools/call"), 1);
    EXPECT_EQ(files.count("tools/call"), 1);
}

TEST(Tools, AKeptToolAnswersInvalidArgumentAfterCloseAndAfterTheScope) {
    ToolServer server({{"tools/list", lists({"log"})}, {"tools/call", says_its_name}});
    std::vector<Tool> kept;
    {
        auto client = connect(server.options());
        ASSERT_TRUE(client) << client.error().to_string();
        kept = client->list_tools().value();
        ASSERT_TRUE(kept.at(0).call({}));
        client->close();
        EXPECT_EQ(kept.at(0).call({}).error().code(), ErrorCode::kInvalidArgument);
    }
    EXPECT_EQ(kept.at(0).call({}).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(kept.at(0).call_async({}).get().error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(server.count("tools/call"), 1);
}

TEST(Tools, AListThatChangedIsAskedForAgainAndKeepsItsPrefix) {
    std::atomic<bool> grown = false;
    ToolServer server({{"tools/list",
                        [&grown](const Json&) {
                            return ToolServer::Reply{.result = grown ? tool_list({"log", "grow", "blame"})
                                                                     : tool_list({"log", "grow"})};
                        }},
                       {"tools/call", [&grown](const Json& params) {
                            auto reply = says_its_name(params);
                            if (params.string_at("name") == "grow") {
                                grown = true;
                                reply.before = {R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"};
                            }
                            return reply;
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto before = client->list_tools({.prefix = "git"}).value();
    EXPECT_EQ(names_of(client->list_tools({.prefix = "git"}).value()), names_of(before));
    EXPECT_EQ(server.count("tools/list"), 1) << "a fresh list is not asked for again";

    ASSERT_TRUE(before.at(1).call({}));
    const auto after = client->list_tools({.prefix = "git"}).value();
    EXPECT_EQ(names_of(after), (std::vector<std::string>{"git_log", "git_grow", "git_blame"}));
    EXPECT_EQ(server.count("tools/list"), 2);
    EXPECT_EQ(after.at(2).call({}).value().text(), "blame");
    EXPECT_EQ(before.at(0).call({}).value().text(), "log") << "what was listed before still works";

    EXPECT_EQ(names_of(client->list_tools({.prefix = "git", .refresh = true}).value()), names_of(after));
    EXPECT_EQ(server.count("tools/list"), 3);
}

TEST(Tools, TheDefinitionComesOutAsTheServerSentIt) {
    const std::string schema = R"({"type":"object","properties":{"z":{"enum":["b","a"]},"n":{"type":"integer",)"
                               R"("maximum":9007199254740993},"tags":{"type":"array","items":{"type":"string"}},)"
                               R"("opt":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["z"],"x-odd":1.50})";
    ToolServer server({{"tools/list", [&schema](const Json&) {
                            return ToolServer::Reply{.result =
                                                         R"({"tools":[{"name":"t","inputSchema":)" + schema + "}]}"};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto tools = client->list_tools();
    ASSERT_TRUE(tools) << tools.error().to_string();
    EXPECT_EQ(tools->at(0).input_schema().dump(), schema);
    EXPECT_EQ(tools->at(0).description(), "") << "none was given";
}

TEST(Tools, PicturesSoundLinksAndResourcesStayPartsBesideTheText) {
    ToolServer server({{"tools/call", [](const Json&) {
                            return ToolServer::Reply{
                                .result = R"({"content":[{"type":"text","text":"one"},)"
                                          R"({"type":"image","data":"AAAA","mimeType":"image/png"},)"
                                          R"({"type":"audio","data":"BBBB","mimeType":"audio/wav"},)"
                                          R"({"type":"resource_link","uri":"file:///a","name":"a"},)"
                                          R"({"type":"resource","resource":{"uri":"file:///b","text":"inside"}},)"
                                          R"({"type":"hologram","depth":3},{"type":"text","text":"two"}]})"};
                        }}});
    auto client = connect(server.options());
    ASSERT_TRUE(client) << client.error().to_string();
    const auto result = client->call("t");
    ASSERT_TRUE(result) << result.error().to_string();
    ASSERT_EQ(result->content.size(), 7u);
    EXPECT_EQ(std::get<mcp::ImageContent>(result->content[1]).data, "AAAA");
    EXPECT_EQ(std::get<mcp::AudioContent>(result->content[2]).mime_type, "audio/wav");
    EXPECT_EQ(std::get<mcp::ResourceLink>(result->content[3]).resource.uri, "file:///a");
    EXPECT_TRUE(std::holds_alternative<mcp::EmbeddedResource>(result->content[4]));
    EXPECT_EQ(Json(std::get<mcp::UnknownContent>(result->content[5]).block).dump(), R"({"type":"hologram","depth":3})");
    EXPECT_EQ(result->text(), "one\ninside\ntwo");
}

}  // namespace
}  // namespace gantry::testing
