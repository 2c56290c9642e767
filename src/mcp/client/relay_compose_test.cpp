#include "mcp/client/relay_compose.hpp"

#include "mcp/client/test_relay.hpp"
#include "mcp/protocol/meta.hpp"

namespace gantry::mcp {
namespace {

using testing::ClientRequest;

const std::string kStamp = make_stamp(Revision::k2026_07_28, R"({"elicitation":{}})", {.name = "g", .version = "1"});
constexpr std::string_view kOurs = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                                   R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},)"
                                   R"("io.modelcontextprotocol/clientInfo":{"name":"g","version":"1"})";

std::string composed(const ClientRequest& client_request, bool modern = true) {
    auto text = compose_relay(client_request.request, 41, modern ? std::string_view(kStamp) : std::string_view());
    if (!text) return text.error().to_string();
    EXPECT_TRUE(decode_message(*text)) << *text;
    return *text;
}

std::string message(std::string_view params) {
    return R"({"jsonrpc":"2.0","id":41,"method":"tools/call","params":)" + std::string(params) + "}";
}

TEST(RelayCompose, ParamsAreMadeWhereTheEraNeedsThem) {
    const ClientRequest bare("tools/list", "");
    EXPECT_EQ(composed(bare, false), R"({"jsonrpc":"2.0","id":41,"method":"tools/list"})");
    EXPECT_EQ(composed(bare),
              R"({"jsonrpc":"2.0","id":41,"method":"tools/list","params":{"_meta":{)" + std::string(kOurs) + "}}}");
    ClientRequest curious("tools/list", "");
    curious.request.wants_progress = true;
    EXPECT_EQ(composed(curious, false),
              R"({"jsonrpc":"2.0","id":41,"method":"tools/list","params":{"_meta":{"progressToken":41}}})");
}

TEST(RelayCompose, WhatTheOtherHopSaidAboutItselfIsExchanged) {
    ClientRequest client_request(
        "tools/call", R"({"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x.y/z":[1],)"
                      R"("io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"traceparent":"00-a",)"
                      R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"2"},"progressToken":"t",)"
                      R"("io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/subscriptionId":7,)"
                      R"("io.modelcontextprotocol/serverInfo":{}}})");
    EXPECT_EQ(composed(client_request),
              message(R"({"name":"a","_meta":{)" + std::string(kOurs) + R"(,"x.y/z":[1],"traceparent":"00-a"}})"));
    EXPECT_EQ(composed(client_request, false), message(R"({"name":"a","_meta":{"x.y/z":[1],"traceparent":"00-a"}})"));
    client_request.request.wants_progress = true;
    client_request.request.log_level = LogLevel::kWarning;
    EXPECT_EQ(
        composed(client_request),
        message(
            R"({"name":"a","_meta":{)" + std::string(kOurs) +
            R"(,"io.modelcontextprotocol/logLevel":"warning","x.y/z":[1],"traceparent":"00-a","progressToken":41}})"));
    EXPECT_EQ(composed(client_request, false),
              message(R"({"name":"a","_meta":{"x.y/z":[1],"traceparent":"00-a","progressToken":41}})"));
}

TEST(RelayCompose, AProgressTokenIsAskedForAlsoWhereThereWasNone) {
    ClientRequest client_request("tools/call", R"({"name":"a","_meta":{}})");
    client_request.request.wants_progress = true;
    EXPECT_EQ(composed(client_request, false), message(R"({"name":"a","_meta":{"progressToken":41}})"));
    EXPECT_EQ(composed(client_request),
              message(R"({"name":"a","_meta":{)" + std::string(kOurs) + R"(,"progressToken":41}})"));
    ClientRequest odd("tools/call", R"({"_meta":null,"name":"a"})");
    EXPECT_EQ(composed(odd), message(R"({"_meta":{)" + std::string(kOurs) + R"(},"name":"a"})"));
    EXPECT_EQ(composed(odd, false), message(R"({"_meta":null,"name":"a"})"));
}

TEST(RelayCompose, TheCorrelationIdReachesEveryServerAndReplacesTheCallers) {
    constexpr std::string_view kId = R"("io.gantry/correlationId":"c-1")";
    ClientRequest bare("tools/list", "");
    bare.request.correlation_id = "c-1";
    EXPECT_EQ(composed(bare, false),
              R"({"jsonrpc":"2.0","id":41,"method":"tools/list","params":{"_meta":{)" + std::string(kId) + "}}}");
    ClientRequest plain("tools/call", R"({"name":"a"})");
    plain.request.correlation_id = "c-1";
    EXPECT_EQ(composed(plain, false), message(R"({"_meta":{)" + std::string(kId) + R"(},"name":"a"})"));
    EXPECT_EQ(composed(plain),
              message(R"({"_meta":{)" + std::string(kOurs) + "," + std::string(kId) + R"(},"name":"a"})"));
    for (const char* theirs : {R"("io.gantry/correlationId":"theirs")", R"("io.gantry\/correlation\u0049d" : [1])"}) {
        ClientRequest client_request("tools/call", R"({"_meta":{"x":1,)" + std::string(theirs) + R"(},"name":"a"})");
        for (const bool modern : {false, true}) {
            client_request.request.correlation_id = "c-1";
            const auto replaced = Json::parse(composed(client_request, modern));
            ASSERT_TRUE(replaced);
            EXPECT_EQ(replaced->find("params")->find("_meta")->string_at("io.gantry/correlationId"), "c-1");
            EXPECT_NE(replaced->at_pointer("/params/_meta/x"), nullptr);
            client_request.request.correlation_id = {};
            EXPECT_FALSE(composed(client_request, modern).contains("correlation"));
        }
    }
}

TEST(RelayCompose, NamesAndUrisAreExchangedWhereTheyBelong) {
    ClientRequest tool("tools/call", R"({"uri":"stays","name":"srv__echo","arguments":{"name":"inner"}})");
    tool.request.name = "ec\"ho";
    EXPECT_EQ(composed(tool, false), message(R"({"uri":"stays","name":"ec\"ho","arguments":{"name":"inner"}})"));
    EXPECT_EQ(relayed_name(tool.request, Revision::k2026_07_28), "ec\"ho");
    ClientRequest resource("resources/read", R"({"name":"stays","uri":"gw://x"})");
    resource.request.name = "file:///x";
    EXPECT_TRUE(composed(resource, false).contains(R"({"name":"stays","uri":"file:///x"})"));
    EXPECT_EQ(relayed_name(resource.request, Revision::k2026_07_28), "file:///x");
    const ClientRequest escaped("tools/call", R"({"name":"a\u0062"})");
    EXPECT_EQ(relayed_name(escaped.request, Revision::k2026_07_28), "ab");
    const ClientRequest task("tasks/get", R"({"taskId":"t1"})");
    EXPECT_EQ(relayed_name(task.request, Revision::k2026_07_28), "t1");
    const ClientRequest list("tools/list", R"({"name":"x"})");
    EXPECT_EQ(relayed_name(list.request, Revision::k2026_07_28), "");
}

TEST(RelayCompose, StateIsReplacedRemovedOrAddedAndNeverReachesALegacyServer) {
    ClientRequest client_request("tools/call", R"({"requestState":"sealed","name":"a","inputResponses":{"q":{}}})");
    EXPECT_EQ(composed(client_request, false), message(R"({"name":"a"})"));
    EXPECT_TRUE(composed(client_request).contains(R"("requestState":"sealed","name":"a","inputResponses":{"q":{}}})"));
    client_request.request.request_state = "in\nner";
    EXPECT_TRUE(composed(client_request).contains(R"("requestState":"in\nner","name":"a")"));
    client_request.request.request_state = "";
    EXPECT_FALSE(composed(client_request).contains("requestState"));
    ClientRequest fresh("tools/call", R"({"name":"a"})");
    fresh.request.request_state = "s";
    EXPECT_TRUE(composed(fresh).contains(R"("requestState":"s")"));
    EXPECT_EQ(composed(fresh, false), message(R"({"name":"a"})"));
}

TEST(RelayCompose, ATaskOfALegacyClientStaysAmongLegacyPeers) {
    ClientRequest client_request(
        "tools/call", R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},"v":9007199254740993}})");
    EXPECT_EQ(composed(client_request, false),
              message(R"({"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t"},"v":9007199254740993}})"));
    EXPECT_EQ(composed(client_request), message(R"({"_meta":{)" + std::string(kOurs) + R"(,"v":9007199254740993}})"));
}

/// Everything around the replaced parts is preserved byte for byte.
TEST(RelayCompose, EverythingElseStaysByteForByte) {
    const std::string odd =
        R"( "zeta" : 1e400, "alpha":[ 9007199254740993 ,-0.0,1.50,{"":null}],"\u0041\/\"":"\ud83d\ude00 é",)";
    const char* metas[] = {"", R"("_meta":{"progressToken":1},)", R"("_meta" : { } ,)",
                           R"("_meta":{ "a/b" : 1.0 , "io.modelcontextprotocol/clientInfo" : {"name":"x"} },)"};
    for (const char* meta : metas) {
        for (const bool modern : {true, false}) {
            for (const bool progress : {true, false}) {
                ClientRequest client_request("tools/call",
                                             "{" + odd + meta + R"("name" : "n","arguments":{ "k":1E+2 }})");
                client_request.request.wants_progress = progress;
                client_request.request.name = "new";
                const std::string text = composed(client_request, modern);
                EXPECT_TRUE(text.contains(odd)) << text;
                EXPECT_TRUE(text.contains(R"("name" : "new","arguments":{ "k":1E+2 }}})")) << text;
                const auto tree = Json::parse(text);
                ASSERT_TRUE(tree) << text;
                const Json* token = tree->at_pointer("/params/_meta/progressToken");
                EXPECT_EQ(token != nullptr, progress) << text;
                EXPECT_EQ(claims_modern(*tree->find("params")), modern) << text;
            }
        }
    }
}

/// The fast and the general path agree: a space determines which one is taken.
TEST(RelayCompose, TheShortWaySaysWhatTheLongOneSays) {
    const std::string keys[] = {R"("progressToken":"t")", R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")",
                                R"("io.modelcontextprotocol/clientInfo":{"name":"c","version":"2"})",
                                R"("io.modelcontextprotocol/logLevel":"debug")",
                                R"("io.gantry/correlationId":"theirs")"};
    for (unsigned mask = 0; mask < 256; ++mask) {
        std::string members;
        for (unsigned i = 0; i < 5; ++i) {
            if (mask & (1u << i)) members += (members.empty() ? "" : ",") + keys[i];
        }
        for (const char* shape :
             {R"({"name":"n","_meta":{%}})", R"({"_meta":{%},"name":"n","z":1.0})", R"({"_meta":{%}})"}) {
            std::string tight(shape);
            tight.replace(tight.find('%'), 1, members);
            std::string loose(shape);
            loose.replace(loose.find('%'), 1, members + " ");
            ClientRequest one("tools/call", tight);
            ClientRequest other("tools/call", loose);
            for (ClientRequest* client_request : {&one, &other}) {
                client_request->request.wants_progress = (mask & 32) != 0;
                if (mask & 64) client_request->request.name = "new";
                if (mask & 128) client_request->request.correlation_id = "c-1";
            }
            for (const bool modern : {true, false}) {
                const auto a = Json::parse(composed(one, modern));
                const auto b = Json::parse(composed(other, modern));
                ASSERT_TRUE(a && b) << tight;
                EXPECT_EQ(*a, *b) << tight;
            }
        }
    }
}

}  // namespace
}  // namespace gantry::mcp
