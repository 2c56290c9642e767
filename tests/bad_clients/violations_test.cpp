// Servers whose large result breaks after part of it has already been passed on: the client's stream ends with an
// error, never as if it were complete.
#include "bad_clients/rig.hpp"
#include "bad_clients/upstream.hpp"

namespace gantry::testing {
namespace {

class ViolationsTest : public BadClientTest, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override {
        // The breaker is off, because each result is checked separately.
        start("demo_tools: true\nservers:\n" + upstream_.entry("    max_result_bytes: 8MB\n    breaker: off\n"));
        bytes_ = std::string_view(GetParam()) == "too_long" ? 12'000'000 : 3'000'000;
    }
    std::string params() const {
        return R"("name":"raw_)" + std::string(GetParam()) + R"(","arguments":{"bytes":)" + std::to_string(bytes_) +
               "}";
    }

    Upstream upstream_;
    std::size_t bytes_ = 0;
};

bool is_success(const RawReply& reply) {
    return reply.whole && reply.status == 200 && reply.json().find("result") != nullptr;
}

TEST_P(ViolationsTest, AModernClientIsNotToldASuccess) {
    RawClient client = connect();
    client.send(request("POST", "/mcp", modern("1", "tools/call", params()),
                        modern_fields("tools/call", "raw_" + std::string(GetParam()))));
    const RawReply reply = client.reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_GT(reply.body.size(), 1'000'000u) << "too little was passed on to prove anything: " << reply.body;
    EXPECT_FALSE(reply.whole && reply.code() == 0) << "it looks complete";
    EXPECT_FALSE(is_success(reply));
}

TEST_P(ViolationsTest, ALegacyClientIsNotToldASuccess) {
    const std::string session = initialize();
    for (const char* accept : {"application/json, text/event-stream", "text/event-stream"}) {
        RawClient client = connect();
        client.send(request("POST", "/mcp", legacy("1", "tools/call", params()),
                            {{"Mcp-Session-Id", session}, {"Accept", accept}}));
        const RawReply reply = client.reply();
        EXPECT_FALSE(reply.whole && reply.code() == 0) << accept << ": it looks complete";
        EXPECT_FALSE(is_success(reply)) << accept;
    }
}

TEST_P(ViolationsTest, TheNextCallIsServed) {
    for (int i = 0; i < 5; ++i) {
        RawClient client = connect();
        client.send(request("POST", "/mcp", modern("1", "tools/call", params()),
                            modern_fields("tools/call", "raw_" + std::string(GetParam()))));
        EXPECT_FALSE(is_success(client.reply()));
    }
    const RawReply good =
        post_modern("2", "tools/call", R"("name":"raw_big","arguments":{"bytes":2000000})", "raw_big");
    EXPECT_EQ(good.text().size(), 2'000'000u);
}

INSTANTIATE_TEST_SUITE_P(All, ViolationsTest, ::testing::Values("cut", "bad_utf8", "twice", "no_json", "too_long"),
                         [](const auto& info) { return std::string(info.param); });

class BrokenOffTest : public BadClientTest {
protected:
    void SetUp() override {
        start("demo_tools: true\nservers:\n" + upstream_.entry("    breaker: {threshold: 3, recovery: 1h}\n"));
    }
    Upstream upstream_;
};

TEST_F(BrokenOffTest, AServerWhoseResultsBreakOffAgainAndAgainIsLeftAlone) {
    for (int i = 0; i < 3; ++i) {
        RawClient client = connect();
        client.send(request("POST", "/mcp",
                            modern("1", "tools/call", R"("name":"raw_cut","arguments":{"bytes":3000000})"),
                            modern_fields("tools/call", "raw_cut")));
        const RawReply reply = client.reply();
        EXPECT_GT(reply.body.size(), 1'000'000u) << "it was not streamed: " << reply.body;
        EXPECT_FALSE(is_success(reply));
    }
    const RawReply refused =
        post_modern("2", "tools/call", R"("name":"raw_big","arguments":{"bytes":2000000})", "raw_big");
    EXPECT_NE(refused.body.find("circuit_open"), std::string::npos) << refused.body.substr(0, 500);
}

}  // namespace
}  // namespace gantry::testing
