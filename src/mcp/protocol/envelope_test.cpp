#include <gtest/gtest.h>

#include "mcp/protocol/errors.hpp"
#include "mcp/protocol/meta.hpp"
#include "mcp/protocol/result.hpp"

namespace gantry::mcp {
namespace {

constexpr Revision kModern = Revision::k2026_07_28;

Json parse(std::string_view text) {
    return Json::parse(text).value();
}

TEST(StampMeta, DescribesAModernRequestAndKeepsForeignKeys) {
    Json params = parse(R"({"name":"x","_meta":{"traceparent":"00-a","com.acme/k":1,
        "io.modelcontextprotocol/protocolVersion":"stale","io.modelcontextprotocol/serverInfo":{},"progressToken":"old"}})");
    RequestMeta meta;
    meta.capabilities.elicitation.emplace();
    meta.client_info = Implementation{.name = "c", .version = "1"};
    meta.log_level = LogLevel::kWarning;
    meta.progress_token = "t";
    stamp_meta(params, kModern, meta);
    EXPECT_EQ(params, parse(R"({"name":"x","_meta":{"traceparent":"00-a","com.acme/k":1,"progressToken":"t",
        "io.modelcontextprotocol/protocolVersion":"2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},
        "io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},
        "io.modelcontextprotocol/logLevel":"warning"}})"));
    EXPECT_TRUE(claims_modern(params));
}

TEST(StampMeta, MakesParamsWhereThereWereNone) {
    Json params;
    stamp_meta(params, kModern, {});
    EXPECT_TRUE(claims_modern(params));
    EXPECT_TRUE(read_meta(params));
}

TEST(StampMeta, GivesLegacyPeersTheProgressTokenOnly) {
    Json params = parse(R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","com.acme/k":1}})");
    RequestMeta meta;
    meta.client_info = Implementation{.name = "c", .version = "1"};
    meta.progress_token = 5;
    stamp_meta(params, Revision::k2025_11_25, meta);
    EXPECT_EQ(params.dump(), R"({"_meta":{"com.acme/k":1,"progressToken":5}})");
    Json none;
    stamp_meta(none, Revision::k2025_11_25, {});
    EXPECT_TRUE(none.is_null());
    Json emptied = parse(R"({"_meta":{"io.modelcontextprotocol/logLevel":"info"}})");
    stamp_meta(emptied, Revision::k2024_11_05, {});
    EXPECT_EQ(emptied.dump(), "{}");
}

TEST(ReadMeta, ReturnsWhatWasStamped) {
    Json params;
    RequestMeta meta;
    meta.capabilities.sampling.emplace().tools = JsonObject{};
    meta.log_level = LogLevel::kDebug;
    meta.progress_token = 0;
    stamp_meta(params, kModern, meta);
    const auto read = read_meta(params);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->protocol_version, "2026-07-28");
    EXPECT_EQ(read->capabilities, meta.capabilities);
    EXPECT_EQ(read->log_level, LogLevel::kDebug);
    EXPECT_EQ(read->progress_token, ProgressToken(0));
}

TEST(ReadMeta, NamesTheKeyThatIsMissingOrWrong) {
    const std::string version = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
    const std::string capabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";
    const auto complaint = [](const std::string& meta) {
        const auto read = read_meta(parse(R"({"_meta":{)" + meta + "}}"));
        return read ? "accepted" : read.error().message();
    };
    EXPECT_NE(complaint(capabilities).find("protocolVersion is missing"), std::string::npos);
    EXPECT_NE(complaint(version).find("clientCapabilities is missing"), std::string::npos);
    const std::string both = version + "," + capabilities;
    EXPECT_EQ(complaint(both), "accepted");
    EXPECT_NE(complaint(both + R"(,"io.modelcontextprotocol/logLevel":"loud")").find("logLevel"), std::string::npos);
    EXPECT_NE(complaint(both + R"(,"io.modelcontextprotocol/clientInfo":{})").find("clientInfo"), std::string::npos);
    EXPECT_NE(complaint(both + R"(,"progressToken":1.5)").find("progressToken"), std::string::npos);
    EXPECT_FALSE(read_meta(Json()));
}

TEST(Meta, SubscriptionIdKeepsItsType) {
    EXPECT_EQ(read_subscription_id(parse(R"({"_meta":{"io.modelcontextprotocol/subscriptionId":1}})")), RequestId(1));
    EXPECT_EQ(read_subscription_id(parse(R"({"_meta":{"io.modelcontextprotocol/subscriptionId":"1"}})")),
              RequestId("1"));
    EXPECT_FALSE(read_subscription_id(parse("{}")));
}

TEST(Meta, KnowsItsKeyGrammar) {
    for (const std::string_view good :
         {"a", "progressToken", "com.acme/k", "a-b.c/x_y.z", "io.modelcontextprotocol/", "x/"}) {
        EXPECT_TRUE(is_valid_meta_key(good)) << good;
    }
    for (const std::string_view bad : {"/x", "-a", "a-", "1a.b/x", "a./x", "a..b/x", "a-/x", "a b", "a/b/c"}) {
        EXPECT_FALSE(is_valid_meta_key(bad)) << bad;
    }
    EXPECT_TRUE(is_reserved_meta_key("io.modelcontextprotocol/x"));
    EXPECT_TRUE(is_reserved_meta_key("dev.mcp/x"));
    EXPECT_FALSE(is_reserved_meta_key("com.example.mcp/x"));
    EXPECT_FALSE(is_reserved_meta_key("mcp"));
}

TEST(ResultKind, GoesByTheDiscriminatorAlone) {
    EXPECT_EQ(result_kind(parse(R"({"inputRequests":{}})"), kModern), ResultKind::kComplete);
    EXPECT_EQ(result_kind(parse(R"({"resultType":"complete"})"), kModern), ResultKind::kComplete);
    EXPECT_EQ(result_kind(parse(R"({"resultType":"input_required","content":[]})"), kModern),
              ResultKind::kInputRequired);
    EXPECT_EQ(result_kind(parse(R"({"resultType":"task"})"), kModern), ResultKind::kTask);
    EXPECT_EQ(result_kind(parse(R"({"resultType":"later"})"), kModern), ResultKind::kUnknown);
    EXPECT_EQ(result_kind(parse(R"({"resultType":1})"), kModern), ResultKind::kUnknown);
    EXPECT_EQ(result_kind(parse(R"({"resultType":"later"})"), Revision::k2025_11_25), ResultKind::kComplete);
}

TEST(DecodeAnswer, TellsResultInputAndTaskApart) {
    const MethodInfo& call = *find_method(method::kCallTool, kModern);
    const auto done = decode_answer<CallToolResult>(parse(R"({"content":[]})"), kModern, call);
    EXPECT_TRUE(std::holds_alternative<CallToolResult>(done.value()));
    const auto asked = decode_answer<CallToolResult>(
        parse(
            R"({"resultType":"input_required","requestState":"s\u0000\u00e9","inputRequests":{"b":{"method":"roots/list"},
            "a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://x"}},
            "c":{"method":"x/y","params":{"k":1}}}})"),
        kModern, call);
    ASSERT_TRUE(asked) << asked.error().message();
    const auto& input = std::get<InputRequired>(*asked);
    EXPECT_EQ(*input.request_state, std::string("s\0\xC3\xA9", 4));
    ASSERT_EQ(input.input_requests.size(), 3U);
    EXPECT_EQ(input.input_requests[0].first, "b");
    EXPECT_TRUE(std::holds_alternative<ListRootsInput>(input.input_requests[0].second));
    EXPECT_EQ(std::get<ElicitParams>(input.input_requests[1].second).mode, ElicitMode::kUrl);
    EXPECT_EQ(std::get<UnknownInput>(input.input_requests[2].second).method, "x/y");
    const auto task = decode_answer<CallToolResult>(
        parse(R"({"resultType":"task","taskId":"t","status":"working","ttlMs":null})"), kModern, call);
    EXPECT_EQ(std::get<CreateTaskResult>(task.value()).task.task_id, "t");
    const auto legacy = decode_answer<CallToolResult>(parse(R"({"task":{"taskId":"t","status":"working","ttl":5}})"),
                                                      Revision::k2025_11_25, call, true);
    EXPECT_EQ(std::get<CreateTaskResult>(legacy.value()).task.ttl_ms, 5);
}

TEST(DecodeAnswer, RefusesWhatTheMethodMayNotAnswer) {
    const auto refused = [](std::string_view method, std::string_view result) {
        return !decode_answer<EmptyResult>(parse(result), kModern, *find_method(method, kModern)).has_value();
    };
    EXPECT_TRUE(refused("tools/list", R"({"resultType":"input_required","requestState":"s"})"));
    EXPECT_TRUE(refused("tools/call", R"({"resultType":"input_required"})"));
    EXPECT_TRUE(refused("prompts/get", R"({"resultType":"task","taskId":"t"})"));
    EXPECT_TRUE(refused("tools/call", R"({"resultType":"later"})"));
    EXPECT_TRUE(refused("tools/call", "[]"));
    EXPECT_FALSE(refused("resources/read", R"({"resultType":"input_required","requestState":""})"));
}

TEST(Methods, KnowWhichRevisionHasThem) {
    EXPECT_EQ(find_method("initialize", kModern), nullptr);
    EXPECT_EQ(find_method("ping", kModern), nullptr);
    EXPECT_EQ(find_method("server/discover", Revision::k2025_11_25), nullptr);
    EXPECT_EQ(find_method("elicitation/create", Revision::k2025_03_26), nullptr);
    EXPECT_EQ(find_method("tasks/list", kModern), nullptr);
    EXPECT_EQ(find_method("tasks/get", Revision::k2025_06_18), nullptr);
    EXPECT_EQ(find_method("tasks/get", Revision::k2025_11_25)->direction, Direction::kBoth);
    EXPECT_EQ(find_method("tasks/get", kModern)->name_source, NameSource::kTaskId);
    EXPECT_EQ(find_method("completion/complete", Revision::k2024_11_05)->capability, Capability::kNone);
    EXPECT_EQ(find_method("completion/complete", Revision::k2025_03_26)->capability, Capability::kCompletions);
    EXPECT_EQ(find_method("no/such", kModern), nullptr);
    std::size_t client_requests = 0;
    for (const MethodInfo& info : all_methods()) {
        if (!info.notification && info.last == kModern && info.capability != Capability::kExtensionTasks)
            ++client_requests;
    }
    EXPECT_EQ(client_requests, 10U);
}

TEST(Methods, AskForTheCapabilityTheReceiverDeclared) {
    ServerCapabilities server;
    EXPECT_TRUE(declares(server, Capability::kNone));
    EXPECT_FALSE(declares(server, Capability::kResourceSubscriptions));
    server.resources.emplace().subscribe = true;
    EXPECT_TRUE(declares(server, Capability::kResourceSubscriptions));
    EXPECT_FALSE(declares(server, Capability::kExtensionTasks));
    server.extensions.set(std::string(kTasksExtension), JsonObject{});
    EXPECT_TRUE(declares(server, Capability::kExtensionTasks));
    EXPECT_FALSE(declares(server, Capability::kSampling));
}

TEST(RpcErrors, CarryTypedData) {
    const std::array supported = {Revision::k2025_11_25, kModern};
    const auto versions = as_unsupported_version(unsupported_version("1", supported));
    ASSERT_TRUE(versions);
    EXPECT_EQ(versions->supported, (std::vector<std::string>{"2025-11-25", "2026-07-28"}));
    EXPECT_EQ(versions->requested, "1");
    ClientCapabilities needed;
    needed.sampling.emplace();
    const RpcError missing = missing_capability(needed, "m");
    EXPECT_EQ(missing.data, R"({"requiredCapabilities":{"sampling":{}}})");
    EXPECT_EQ(as_missing_capability(missing), needed);
    EXPECT_EQ(resource_not_found("u", Revision::k2025_11_25).code, -32002);
    EXPECT_EQ(resource_not_found("u", kModern).code, -32602);
    EXPECT_EQ(as_missing_resource(resource_not_found("u", kModern)), "u");
    const std::array pages = {
        ElicitParams{.mode = ElicitMode::kUrl, .message = "m", .url = "https://x", .elicitation_id = "e"}};
    const auto read = as_url_elicitations(url_elicitation_required(pages));
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0], pages[0]);
}

TEST(RpcErrors, SurviveDataOfAnyShape) {
    for (const std::string_view data :
         {"", "{", "1", "[]", R"({"supported":1,"requiredCapabilities":2,"elicitations":3,"uri":4})"}) {
        for (const std::int64_t code : {-32022, -32021, -32042, -32002}) {
            const RpcError error{code, "m", std::string(data)};
            EXPECT_FALSE(as_unsupported_version(error));
            EXPECT_FALSE(as_missing_capability(error));
            EXPECT_TRUE(as_url_elicitations(error).empty());
            EXPECT_FALSE(as_missing_resource(error));
        }
    }
}

TEST(RpcErrors, BecomeOurErrorsWithTheMethodAndABoundedText) {
    const Error error = to_error({-32602, std::string(2000, 'x'), {}}, "tools/call");
    EXPECT_EQ(error.code(), ErrorCode::kRpc);
    EXPECT_TRUE(error.message().starts_with("tools/call: the peer answered -32602: xxx"));
    EXPECT_LT(error.message().size(), 600U);
    EXPECT_EQ(error.rpc()->message.size(), 2000U);
}

TEST(RpcErrors, WithoutAMessageGetTheTextOfTheirCode) {
    const struct {
        std::int64_t code;
        std::string_view text;
    } rows[] = {{-32700, "parse error"},
                {-32600, "invalid request"},
                {-32601, "method not found"},
                {-32602, "invalid params"},
                {-32603, "internal error"},
                {-32020, "header mismatch"},
                {-32021, "missing client capability"},
                {-32022, "unsupported protocol version"},
                {-32002, "resource not found"},
                {-32042, "URL elicitation required"},
                {-32000, "the peer gave no reason"},
                {7, "the peer gave no reason"}};
    for (const auto& [code, text] : rows) {
        const Error error = to_error({code, "", {}}, "tools/call");
        EXPECT_EQ(error.message(), "tools/call: the peer answered " + std::to_string(code) + ": " + std::string(text));
        EXPECT_EQ(error.rpc()->message, text) << "also for programs, and for the gateway's clients";
        EXPECT_EQ(to_error({code, "its own", {}}, "tools/call").rpc()->message, "its own");
    }
}

}  // namespace
}  // namespace gantry::mcp
