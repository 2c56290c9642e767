#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/handlers/test_rig.hpp"
#include "mcp/protocol/errors.hpp"

namespace gantry::mcp {
namespace {

struct AddArgs {
    double a;
    double b;
    std::optional<std::string> note;
};
GANTRY_DESCRIBE(AddArgs, (a, "first summand"), (b, "second summand"), note)
struct Sum {
    double sum;
};
GANTRY_DESCRIBE(Sum, sum)

Task<Result<Sum>> add_slowly(const Context&, ServerCall& call, AddArgs args) {
    call.progress(1, 2, "half");
    call.progress(1, 2);
    call.progress(2, 2);
    call.log(LogLevel::kDebug, "quiet");
    call.log(LogLevel::kWarning, "loud", "adder");
    co_await yield_now();
    co_return Sum{args.a + args.b};
}

Tool tool(std::string name, std::string_view input = R"({"type":"object"})") {
    Tool definition;
    definition.name = std::move(name);
    definition.input_schema = json(input);
    return definition;
}

template <auto kResult>
Task<Result<CallToolResult>> returns(const Context&, ServerCall&, JsonObject) {
    co_return kResult();
}

TEST(ServerTools, AStructAndAFunctionMakeATool) {
    Rig rig;
    ASSERT_TRUE(
        rig.server.add_tool("add", "Adds", [](const AddArgs& args) -> Result<Sum> { return Sum{args.a + args.b}; }));
    ASSERT_TRUE(rig.server.add_tool("add_slowly", "Adds", add_slowly));
    ASSERT_TRUE(rig.server.add_tool("say", "Says", [](const AddArgs&) -> Result<std::string> { return "hello"; }));
    const Json list = rig.result(Rig::modern(), "tools/list");
    EXPECT_EQ(*list.at_pointer("/tools/0/inputSchema"), schema_of<AddArgs>());
    EXPECT_EQ(*list.at_pointer("/tools/0/outputSchema"), schema_of<Sum>());
    EXPECT_EQ(list.at_pointer("/tools/2/outputSchema"), nullptr);

    for (const char* name : {"add", "add_slowly"}) {
        const Json result = rig.call(Rig::modern(), name, json(R"({"a":1,"b":2.5})"));
        EXPECT_EQ(*result.find("structuredContent"), json(R"({"sum":3.5})"));
        EXPECT_EQ(text_of(result), R"({"sum":3.5})");
        EXPECT_EQ(result.string_at("resultType"), "complete");
        EXPECT_EQ(result.find("isError"), nullptr);
        EXPECT_NE(result.at_pointer("/_meta/io.modelcontextprotocol~1serverInfo"), nullptr);
    }
    const Json legacy = rig.call(Rig::legacy(), "add", json(R"({"a":1,"b":2.5})"));
    EXPECT_EQ(legacy, json(R"({"content":[{"type":"text","text":"{\"sum\":3.5}"}],"structuredContent":{"sum":3.5}})"));
    EXPECT_EQ(text_of(rig.call(Rig::modern(), "say", json(R"({"a":1,"b":2})"))), "hello");
}

TEST(ServerTools, BadArgumentsAreAResultTheModelCanReadAndNeverQuoteThem) {
    Rig rig;
    ASSERT_TRUE(rig.server.add_tool("add", "Adds", [](const AddArgs&) -> Result<Sum> { return Sum{0}; }));
    const Json arguments = json(R"({"a":"my secret","b":2})");
    for (const PeerPtr& peer : {Rig::modern(), Rig::legacy()}) {
        const Json result = rig.call(peer, "add", arguments);
        EXPECT_EQ(*result.find("isError"), Json(true));
        EXPECT_EQ(text_of(result), "argument 'a' must be a number");
        EXPECT_THAT(result.dump(), testing::Not(testing::HasSubstr("secret")));
    }
    const Json older = rig.request(Rig::peer(Revision::k2025_06_18), "tools/call",
                                   JsonObject{{"name", "add"}, {"arguments", arguments}});
    EXPECT_EQ(older.at_pointer("/error/code")->as_int(), rpc_code::kInvalidParams);
    EXPECT_THAT(older.dump(), testing::Not(testing::HasSubstr("secret")));
}

TEST(ServerTools, UnknownToolsAndShapesAreProtocolErrors) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("a"), returns<[] { return Result<CallToolResult>(text_result("x")); }>));
    EXPECT_EQ(rig.error(Rig::modern(), "tools/call", json(R"({"name":"b"})")), rpc_code::kInvalidParams);
    EXPECT_THAT(rig.request(Rig::modern(), "tools/call", JsonObject{{"name", "A"}}).dump(),
                testing::HasSubstr("no tool 'A'; did you mean 'a'?"));
    EXPECT_EQ(rig.error(Rig::modern(), "tools/call", json(R"({})")), rpc_code::kInvalidParams);
    EXPECT_EQ(rig.error(Rig::modern(), "tools/call", json(R"({"name":"a","arguments":[1]})")),
              rpc_code::kInvalidParams);
    EXPECT_EQ(text_of(rig.result(Rig::modern(), "tools/call", json(R"({"name":"a"})"))), "x");
}

TEST(ServerTools, AnErrorIsAResultUnlessItSpeaksJsonRpc) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(
        tool("fails"),
        returns<[]() -> Result<CallToolResult> { return fail(ErrorCode::kInternal, "the disk is full"); }>));
    ASSERT_TRUE(rig.server.add(tool("protocol"), returns<[]() -> Result<CallToolResult> {
                                   return fail(Error(ErrorCode::kRpc, "no").rpc({-7, "not today", {}}));
                               }>));
    const Json result = rig.call(Rig::modern(), "fails");
    EXPECT_EQ(*result.find("isError"), Json(true));
    EXPECT_EQ(text_of(result), "the disk is full");
    const Json response = rig.request(Rig::modern(), "tools/call", json(R"({"name":"protocol"})"));
    EXPECT_EQ(*response.at_pointer("/error"), json(R"({"code":-7,"message":"not today"})"));
}

TEST(ServerTools, AResultMustFitItsOutputSchema) {
    Rig rig;
    Tool definition = tool("count");
    definition.output_schema = json(R"({"type":"integer"})");
    ASSERT_TRUE(rig.server.add(definition, returns<[]() -> Result<CallToolResult> {
                                   CallToolResult result;
                                   result.structured_content = 7;
                                   return result;
                               }>));
    const Json good = rig.call(Rig::modern(), "count");
    EXPECT_EQ(*good.find("structuredContent"), Json(7));
    EXPECT_EQ(text_of(good), "7");
    EXPECT_EQ(*rig.call(Rig::legacy(), "count").find("structuredContent"), json(R"({"result":7})"));
    EXPECT_EQ(*rig.result(Rig::legacy(), "tools/list").at_pointer("/tools/0/outputSchema/properties/result"),
              json(R"({"type":"integer"})"));

    ASSERT_TRUE(rig.server.add(definition, returns<[]() -> Result<CallToolResult> {
                                   CallToolResult result;
                                   result.structured_content = "my secret";
                                   return result;
                               }>));
    const Json bad = rig.call(Rig::modern(), "count");
    EXPECT_EQ(*bad.find("isError"), Json(true));
    EXPECT_THAT(bad.dump(), testing::Not(testing::HasSubstr("secret")));
    ASSERT_TRUE(rig.server.add(definition, returns<[]() -> Result<CallToolResult> { return text_result("x"); }>));
    EXPECT_EQ(*rig.call(Rig::modern(), "count").find("isError"), Json(true)) << "nothing structured";
}

TEST(ServerTools, ProgressAndLogsGoOnlyToWhoAskedForThem) {
    Rig rig;
    ASSERT_TRUE(rig.server.add_tool("add", "Adds", add_slowly));
    const Json plain = json(R"({"name":"add","arguments":{"a":1,"b":2}})");
    rig.result(Rig::modern(), "tools/call", plain);
    EXPECT_TRUE(rig.line.told.empty());

    Json with_token = plain;
    with_token.if_object()->set("_meta", JsonObject{{"progressToken", "t7"}});
    rig.log_level = LogLevel::kInfo;
    rig.result(Rig::modern(), "tools/call", with_token);
    ASSERT_EQ(rig.line.told.size(), 3u);
    EXPECT_EQ(rig.line.told[0], json(R"({"jsonrpc":"2.0","method":"notifications/progress",
        "params":{"progressToken":"t7","progress":1,"total":2,"message":"half"}})"));
    EXPECT_EQ(*rig.line.told[1].at_pointer("/params/progress"), Json(2)) << "a value that does not grow is not told";
    EXPECT_EQ(rig.line.told[2], json(R"({"jsonrpc":"2.0","method":"notifications/message",
        "params":{"level":"warning","logger":"adder","data":"loud"}})"));

    rig.line.told.clear();
    with_token.if_object()->set("_meta", JsonObject{{"progressToken", 0}});
    rig.result(Rig::peer(Revision::k2024_11_05), "tools/call", with_token);
    EXPECT_EQ(rig.line.told.at(0).find("params")->dump(), R"({"progressToken":0,"progress":1,"total":2})");
}

TEST(ServerTools, MirroredHeadersMustAgreeWithTheArguments) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(
        tool("t", R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}})"),
        returns<[]() -> Result<CallToolResult> { return text_result("ok"); }>));
    const Json params = json(R"({"name":"t","arguments":{"region":"eu"}})");
    const http::Headers right{{"mcp-param-region", "eu"}};
    const http::Headers wrong{{"Mcp-Param-Region", "us"}};
    const http::Headers none;
    rig.headers = &right;
    EXPECT_EQ(rig.error(Rig::modern(), "tools/call", params), 0);
    for (const http::Headers* headers : {&wrong, &none}) {
        rig.headers = headers;
        EXPECT_EQ(rig.error(Rig::modern(), "tools/call", params), rpc_code::kHeaderMismatch);
        EXPECT_EQ(rig.error(Rig::legacy(), "tools/call", params), 0) << "legacy clients know no such headers";
    }
    rig.headers = nullptr;
    EXPECT_EQ(rig.error(Rig::modern(), "tools/call", params), 0) << "and pipes have none";
}

Task<Result<CallToolResult>> shout(const Context&, std::string name, JsonObject arguments) {
    co_return text_result(name + " " + Json(std::move(arguments)).dump());
}

TEST(ServerTools, ManyToolsMayShareOneExecutor) {
    Rig rig;
    ASSERT_TRUE(rig.server.add_tools({tool("one"), tool("two")}, shout));
    EXPECT_EQ(text_of(rig.call(Rig::modern(), "one", json(R"({"x":1})"))), R"(one {"x":1})");
    EXPECT_EQ(text_of(rig.call(Rig::modern(), "two")), "two {}");
}

Task<Result<CallToolResult>> wait_for_ever(const Context& ctx, ServerCall&, JsonObject) {
    Event never;
    auto waited = co_await never.wait(ctx);
    co_return fail(waited.error());
}

TEST(ServerTools, ACancelledCallIsNotAnswered) {
    Rig rig;
    ASSERT_TRUE(rig.server.add(tool("wait"), wait_for_ever));
    rig.loop.post([&] { rig.cancel.cancel(); });
    EXPECT_TRUE(rig.request(Rig::modern(), "tools/call", json(R"({"name":"wait"})")).is_null());
}

TEST(ServerTools, ACallThatTakesTooLongFails) {
    Rig rig({.call_timeout = milliseconds(1)});
    ASSERT_TRUE(rig.server.add(tool("wait"), wait_for_ever));
    EXPECT_EQ(*rig.call(Rig::modern(), "wait").find("isError"), Json(true));
}

}  // namespace
}  // namespace gantry::mcp
