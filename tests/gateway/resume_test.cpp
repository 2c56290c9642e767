// Losing the connection does not cancel a legacy client's call: it continues, and its answer can be fetched.
#include "gateway/raw_http.hpp"
#include "gateway/watched.hpp"

namespace gantry::testing {
namespace {

class ResumeTest : public ::testing::TestWithParam<Reached> {
protected:
    void SetUp() override { SKIP_WITHOUT(watched_js()); }
};

/// Opens a session; returns its header line.
std::string open_session(int port) {
    RawHttp hello(port);
    hello.send("POST", "",
               R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
               R"("capabilities":{},"clientInfo":{"name":"raw","version":"1"}}})");
    EXPECT_TRUE(hello.read_until("protocolVersion")) << hello.received();
    std::string session = hello.last("Mcp-Session-Id: ");
    if (session.empty()) session = hello.last("mcp-session-id: ");
    EXPECT_FALSE(session.empty()) << hello.received();
    session = "Mcp-Session-Id: " + session + "\r\nMCP-Protocol-Version: 2025-06-18\r\n";
    RawHttp ready(port);
    ready.send("POST", session, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    EXPECT_TRUE(ready.read_until(" 202 ")) << ready.received();
    return session;
}

TEST_P(ResumeTest, TheAnswerIsFetchedAfterALostConnection) {
    const Watched server("w", GetParam());
    Gateway gateway("servers:\n" + server.entry());
    Ear witness(over_http(gateway, Era::kModern));
    ASSERT_TRUE(witness.lists("w_work"));
    const std::string session = open_session(gateway.port());

    RawHttp call(gateway.port());
    call.send("POST", session,
              R"({"jsonrpc":"2.0","id":"the call","method":"tools/call","params":{"name":"w_work",)"
              R"("arguments":{"value":"survives","ms":300},"_meta":{"progressToken":"mine"}}})");
    ASSERT_TRUE(call.read_until(R"("progressToken":"mine")")) << call.received();
    const std::string seen = call.last("id: ");
    ASSERT_FALSE(seen.empty()) << call.received();
    call.hang_up();

    RawHttp back(gateway.port());
    back.send("GET", session + "Last-Event-ID: " + seen + "\r\n");
    EXPECT_TRUE(back.read_until(R"("id":"the call")")) << back.received();
    EXPECT_TRUE(back.read_until(R"("text":"survives")")) << back.received();
    EXPECT_FALSE(back.received().contains("progressToken")) << "what was seen is not sent again";

    EXPECT_THAT(witness.say("w_executed"), ::testing::HasSubstr(R"("survives":1)"));
    EXPECT_EQ(witness.say("w_cancelled"), "[]");
}

INSTANTIATE_TEST_SUITE_P(EitherEra, ResumeTest, ::testing::Values(Reached::kStdioLegacy, Reached::kHttpModern),
                         [](const auto& info) { return to_string(info.param); });

}  // namespace
}  // namespace gantry::testing
