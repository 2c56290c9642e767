// The validation steps of a request, in the recommended order: a request that is wrong in every respect fails at the
// first step; with that one fixed, it fails at the next.
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

class LadderTest : public BadClientTest {};

const std::string kTool = "every_test_x_mcp_header";
const std::string kAsks = "every_test_input_required_result_elicitation";

std::string meta(const std::string& version, const std::string& capabilities = "{}") {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
           R"(","io.modelcontextprotocol/clientCapabilities":)" + capabilities + "}";
}

TEST_F(LadderTest, EveryRungIsReachedInItsTurn) {
    const auto expect = [](const RawReply& reply, int status, std::int64_t code, const std::string& id,
                           const char* check) {
        EXPECT_EQ(reply.status, status) << check << reply.body;
        EXPECT_EQ(reply.code(), code) << check << reply.body;
        EXPECT_EQ(reply.id(), id) << check << reply.body;
    };
    Fields fields{{"Host", "evil.example.com"},     {"Origin", "http://evil.example.com"},
                  {"Content-Type", "text/plain"},   {"MCP-Protocol-Version", "2026-07-28"},
                  {"Mcp-Method", "prompts/get"},    {"Mcp-Name", "other"},
                  {"Content-Length", "99999999999"}};
    const auto mend = [&](const std::string& name, const std::string& value) {
        std::erase_if(fields, [&](const auto& field) { return field.first == name; });
        fields.emplace_back(name, value);
    };
    const auto put = [&](const std::string& method) { return say(request(method, "/mcp", "{", fields)); };
    EXPECT_EQ(put("PUT").status, 403) << "Host";
    mend("Host", "localhost:" + std::to_string(port()));
    EXPECT_EQ(put("PUT").status, 403) << "Origin";
    mend("Origin", "http://localhost:1234");
    EXPECT_EQ(put("PUT").status, 405) << "HTTP method";
    EXPECT_THAT(put("PUT").header("allow"), HasSubstr("POST"));
    expect(put("POST"), 415, -32600, "-", "content type");
    mend("Content-Type", "application/json");
    expect(put("POST"), 413, -32600, "-", "size");
    std::erase_if(fields, [](const auto& field) { return field.first == "Content-Length"; });
    expect(put("POST"), 400, -32700, "-", "JSON");

    const std::string arguments = R"("name":")" + kTool + R"(","arguments":{"region":"north","level":1})";
    const auto shaped = [&](const std::string& rest) {
        return post(R"({"jsonrpc":"2.0","id":"x","method":"tools/frob","params":{)" + arguments + rest + "}}", fields);
    };
    expect(post(R"({"id":"x","method":"tools/frob"})", fields), 400, -32600, "\"x\"", "shape");
    expect(shaped(""), 400, -32602, "\"x\"", "era claim");
    expect(shaped(R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"})"), 400, -32602, "\"x\"",
           "required metadata");
    expect(shaped("," + meta("1900-01-01")), 400, -32020, "\"x\"", "header and body version");
    mend("MCP-Protocol-Version", "1900-01-01");
    const RawReply version = shaped("," + meta("1900-01-01"));
    expect(version, 400, -32022, "\"x\"", "version supported");
    EXPECT_THAT(version.body, HasSubstr("\"2026-07-28\""));
    EXPECT_THAT(version.body, HasSubstr(R"("requested":"1900-01-01")"));
    mend("MCP-Protocol-Version", "2026-07-28");
    expect(shaped("," + meta("2026-07-28")), 400, -32020, "\"x\"", "Mcp-Method");
    mend("Mcp-Method", "tools/frob");
    expect(shaped("," + meta("2026-07-28")), 404, -32601, "\"x\"", "method known");

    const auto call = [&](const std::string& tool, const std::string& given) {
        return post(modern("\"x\"", "tools/call", R"("name":")" + tool + R"(","arguments":)" + given), fields);
    };
    mend("Mcp-Method", "tools/call");
    expect(call(kTool, R"({"region":"north"})"), 400, -32020, "\"x\"", "Mcp-Name");
    mend("Mcp-Name", kTool);
    expect(call(kTool, R"({"region":"north"})"), 400, -32020, "\"x\"", "Mcp-Param missing");
    mend("Mcp-Param-Region", "south");
    expect(call(kTool, R"({"region":"north"})"), 400, -32020, "\"x\"", "Mcp-Param different");
    mend("Mcp-Name", kAsks);
    const RawReply capability = call(kAsks, "{}");
    expect(capability, 400, -32021, "\"x\"", "capability");
    EXPECT_NE(capability.json().at_pointer("/error/data/requiredCapabilities/elicitation"), nullptr) << capability.body;
    mend("Mcp-Name", kTool);
    mend("Mcp-Param-Region", "north");
    EXPECT_THAT(call(kTool, R"({"region":"north"})").text(), HasSubstr("1 argument"));
}

TEST_F(LadderTest, StrangeHostsAndOriginsAreRefusedOnEveryPath) {
    for (const char* path : {"/mcp", "/mcp/servers/every", "/sse", "/messages", "/health", "/ready", "/mcp/tools"}) {
        for (const char* method : {"POST", "GET", "DELETE", "OPTIONS"}) {
            for (const char* host : {"evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil.example.com",
                                     "[::1", "localhost:99999999", "0x7f000001"}) {
                const RawReply reply = say(request(method, path, "", {{"Host", host}}));
                EXPECT_TRUE(reply.status == 403 || reply.status == 400) << method << path << host << reply.status;
            }
            for (const char* origin : {"http://evil.example.com", "null", "http://localhost.evil.example.com",
                                       "file://", "http://127.0.0.1@evil.example.com"}) {
                const RawReply reply = say(request(method, path, "", {{"Origin", origin}}));
                EXPECT_EQ(reply.status, 403) << method << path << origin;
                EXPECT_EQ(reply.header("access-control-allow-origin"), "");
            }
        }
    }
}

TEST_F(LadderTest, RepeatedRoutingFieldsAreNotChosenFrom) {
    const std::string body = modern("3", "tools/call", echo_params("hi"));
    for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
        std::string bytes = request("POST", "/mcp", body, modern_fields("tools/call", "demo_echo"));
        const std::size_t at = bytes.find(name);
        const std::string line = bytes.substr(at, bytes.find("\r\n", at) - at + 2);
        bytes.insert(at, line);
        const RawReply reply = say(bytes);
        EXPECT_EQ(reply.status, 400) << name;
        EXPECT_EQ(reply.code(), -32020) << name;
        EXPECT_EQ(reply.id(), "3") << name;
    }
}

TEST_F(LadderTest, IdsOfEveryFormAreEchoedOrRefused) {
    const std::string longest(60'000, 'i');
    for (const std::string& id : {std::string("0"), std::string("\"\""), std::string("-7"),
                                  std::string("9223372036854775807"), std::string("-9223372036854775808"),
                                  std::string("\"0\""), std::string(R"("\u00e4\n")"), "\"" + longest + "\""}) {
        const RawReply good = post_modern(id, "tools/call", echo_params("hi"), "demo_echo");
        EXPECT_EQ(good.status, 200) << id.substr(0, 50);
        EXPECT_EQ(good.json().find("id") != nullptr, true);
        EXPECT_EQ(*good.json().find("id"), *Json::parse(id)) << good.body.substr(0, 200);
        const RawReply bad = post_modern(id, "tools/frob");
        EXPECT_EQ(bad.status, 404) << id.substr(0, 50);
        EXPECT_EQ(*bad.json().find("id"), *Json::parse(id)) << bad.body.substr(0, 200);
    }
    for (const char* id : {"null", "1.5", "1e3", "-0", "{}", "[]", "true", "9223372036854775808",
                           "123456789012345678901234567890", "{\"a\":{}}"}) {
        const RawReply reply = post_modern(id, "tools/call", echo_params("hi"), "demo_echo");
        EXPECT_EQ(reply.status, 400) << id;
        EXPECT_EQ(reply.code(), -32600) << id;
        EXPECT_EQ(reply.id(), "-") << id;
    }
}

TEST_F(LadderTest, BatchesAreRefusedWhereTheyAreNotPartOfTheRevision) {
    const std::string pings = "[" + legacy("1", "ping") + "," + legacy("\"b\"", "ping") + "]";
    const RawReply claimed = post("[" + modern("1", "tools/list") + "]", {{"MCP-Protocol-Version", "2026-07-28"}});
    EXPECT_EQ(claimed.status, 400);
    EXPECT_EQ(claimed.code(), -32600);
    for (const char* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
        const RawReply reply = post(pings, {{"Mcp-Session-Id", initialize("/mcp", version)}});
        EXPECT_EQ(reply.status, 400) << version;
        EXPECT_EQ(reply.code(), -32600) << version;
    }
    const Fields session{{"Mcp-Session-Id", initialize("/mcp", "2025-03-26")}};
    const RawReply served = post(pings, session);
    EXPECT_EQ(served.status, 200);
    EXPECT_EQ(served.json(),
              *Json::parse(R"([{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}])"));
    for (const std::string& bad : {std::string("[]"), "[" + modern("1", "tools/list") + "]"}) {
        EXPECT_EQ(post(bad, session).status, 400) << bad;
        EXPECT_EQ(post(bad, session).code(), -32600) << bad;
    }
    std::string many = "[" + legacy("0", "ping");
    for (int i = 1; i < 5000; ++i) many += "," + legacy(std::to_string(i), "ping");
    EXPECT_EQ(post(many + "]", session).status, 400);
    const RawReply mixed = post("[1,[],{}," + legacy("7", "initialize") + "," + legacy("8", "ping") + "]", session);
    EXPECT_EQ(mixed.status, 200);
    EXPECT_EQ(mixed.json().if_array()->size(), 5u) << mixed.body;
    EXPECT_THAT(mixed.body, HasSubstr(R"({"jsonrpc":"2.0","id":8,"result":{}})"));
}

TEST_F(LadderTest, BodiesThatAreNoStrictJsonAreParseErrors) {
    const std::string deep_arguments = std::string(40'000, '[') + std::string(40'000, ']');
    const std::string open_forever(2'000'000, '[');
    const auto call = [](const std::string& message) {
        return modern("1", "tools/call", R"("name":"demo_echo","arguments":{"message":)" + message + "}");
    };
    for (const std::string& bad : {std::string(),
                                   std::string("{"),
                                   std::string("nul"),
                                   std::string(1, '\0'),
                                   call("\"\xff\xfe\""),
                                   call("\"\xed\xa0\x80\""),
                                   call("\"\xc0\xaf\""),
                                   call("\"\\ud800\""),
                                   call("\"a\nb\""),
                                   call(std::string("\"a\0b\"", 5)),
                                   call(R"("x","message":"y")"),
                                   call("01"),
                                   call("+1"),
                                   call("NaN"),
                                   call("1e"),
                                   call("'x'"),
                                   call("\"x\",}"),
                                   call("\"x\"") + "x",
                                   call("\"x\"") + call("\"x\""),
                                   "\xef\xbb\xbf" + call("\"x\""),
                                   call(deep_arguments),
                                   open_forever,
                                   std::string(3'000'000, '{')}) {
        const RawReply reply = post(bad, modern_fields("tools/call", "demo_echo"));
        EXPECT_EQ(reply.status, 400) << bad.substr(0, 120);
        EXPECT_EQ(reply.code(), -32700) << bad.substr(0, 120) << reply.body;
        EXPECT_EQ(reply.id(), "-");
    }
    // Numbers of any size are valid JSON; this tool expects a string.
    const RawReply number =
        post(call("1" + std::string(100'000, '0') + "e99999"), modern_fields("tools/call", "demo_echo"));
    EXPECT_EQ(number.status, 200);
    EXPECT_THAT(number.body, HasSubstr("isError"));
    EXPECT_EQ(post(call(R"("a\u0000b")"), modern_fields("tools/call", "demo_echo")).text(), std::string("a\0b", 3));
}

TEST_F(LadderTest, BodiesOverTheLimitAreRefusedDeclaredOrNot) {
    const RawReply declared = say(request("POST", "/mcp", "", {{"Content-Length", "4194305"}}));
    EXPECT_EQ(declared.status, 413);
    EXPECT_EQ(declared.code(), -32600);
    RawClient patient = connect();
    patient.send(request("POST", "/mcp", "", {{"Content-Length", "4194305"}, {"Expect", "100-continue"}}));
    EXPECT_TRUE(patient.see("HTTP/1.1 ")) << "an answer instead of 100 Continue";
    EXPECT_EQ(patient.seen().find("100 Continue"), std::string::npos);
    EXPECT_EQ(patient.reply().status, 413);

    RawClient chunked = connect();
    chunked.send(request("POST", "/mcp", "", {{"Content-Length", ""}, {"Transfer-Encoding", "chunked"}}));
    const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
    for (int i = 0; i < 64 && chunked.send(chunk); ++i) {}
    chunked.send("1\r\n{\r\n");
    const RawReply reply = chunked.reply();
    EXPECT_EQ(reply.status, 413);
    EXPECT_EQ(reply.code(), -32600);

    const std::string most(4'000'000, 'm');
    EXPECT_EQ(call_echo(most).size(), most.size()) << "below the limit it passes";
}

}  // namespace
}  // namespace gantry::testing
