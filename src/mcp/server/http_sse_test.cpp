// HTTP+SSE of 2024-11-05.
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kHello =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"a","version":"1"}}})";

TEST(HttpSse, SaysWhereToPostAndAnswersOnItsStream) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.open("GET", "", {}, "/sse");
        CO_ASSERT(stream && stream->status() == 200);
        const auto first = co_await stream->next();
        CO_ASSERT(first && first->type == "endpoint");
        EXPECT_THAT(first->data, StartsWith("/messages?sessionId="));
        const std::string where = first->data;
        const Reply early = co_await rig.send("POST", legacy_request("9", "tools/list"), {}, where);
        EXPECT_EQ(early.status, 202);
        EXPECT_EQ((co_await stream->message()).at_pointer("/error/code")->dump(), "-32600") << "not initialized";
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, where)).status, 202);
        const Json hello = co_await stream->message();
        EXPECT_EQ(hello.at_pointer("/result/protocolVersion")->dump(), "\"2024-11-05\"");
        EXPECT_EQ(
            (co_await rig.send("POST", R"({"jsonrpc":"2.0","method":"notifications/initialized"})", {}, where)).status,
            202);
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
        rig.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/tools/list_changed");
        (void)co_await rig.send("POST", legacy_request("1", "tools/call", call("ask")), {}, where);
        const std::string id = (co_await stream->message()).find("id")->dump();
        (void)co_await rig.send("POST", R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"a":1}})", {}, where);
        EXPECT_THAT((co_await stream->message()).dump(), HasSubstr("said"));
        (void)co_await rig.send("POST", "{", {}, where);
        EXPECT_EQ((co_await stream->message()).at_pointer("/error/code")->dump(), "-32700");
        (void)co_await rig.send("POST", legacy_request("2", "tools/call", call("stream")), {}, where);
        EXPECT_EQ((co_await stream->message()).find("id")->dump(), "2");
        EXPECT_EQ(rig.endpoint->counts().sessions, 1u);
        stream->abort();
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.ended.size() == 1; }));
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, where)).status, 404);
    });
}

TEST(HttpSse, ModernRequestsAreToldWhatIsSpokenHere) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.open("GET", "", {}, "/sse");
        CO_ASSERT(stream);
        const std::string where = (co_await stream->next())->data;
        (void)co_await rig.send("POST", modern_body("1", "tools/list"), {}, where);
        EXPECT_EQ((co_await stream->message()).at_pointer("/error/code")->dump(), "-32022");
        stream->abort();
    });
}

TEST(HttpSse, OnlyItsOwnClientMayPost) {
    run_rig([](Rig& rig) -> Task<void> {
        rig.backend.demands = true;
        EXPECT_EQ((co_await rig.send("GET", "", {}, "/sse")).status, 401);
        rig.token = "Bearer me";
        auto stream = co_await rig.open("GET", "", {}, "/sse");
        CO_ASSERT(stream);
        const std::string where = (co_await stream->next())->data;
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, "/messages?sessionId=guess")).status, 404);
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, "/messages")).status, 404);
        EXPECT_EQ((co_await rig.send("GET", "", {}, where)).status, 405);
        EXPECT_EQ((co_await rig.send("POST", kHello, {{"Content-Type", "text/plain"}}, where)).status, 415);
        EXPECT_EQ((co_await rig.send("POST", kHello, {{"Origin", "http://evil.com"}}, where)).status, 403);
        rig.token = "Bearer you";
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, where)).status, 404);
        rig.token = "";
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, where)).status, 401);
        rig.token = "Bearer me";
        EXPECT_EQ((co_await rig.send("POST", kHello, {}, where)).status, 202);
        EXPECT_EQ((co_await stream->message()).find("id")->dump(), "0");
        stream->abort();
    });
}

TEST(HttpSse, DrainingEndsIt) {
    run_rig([](Rig& rig) -> Task<void> {
        auto stream = co_await rig.open("GET", "", {}, "/sse");
        CO_ASSERT(stream);
        (void)co_await stream->next();
        rig.endpoint->drain();
        EXPECT_FALSE((co_await stream->next()).has_value());
        EXPECT_FALSE(stream->broken());
    });
}

}  // namespace
}  // namespace gantry::mcp::testing
