// Handles that a client received (request states, task ids) and returns modified, twice, or to the wrong place.
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

const std::string kAble =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":)"
    R"({"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}})";
const std::string kAsking = "every_test_input_required_result_request_state";
const std::string kOther = "every_test_input_required_result_elicitation";

class HandlesTest : public BadClientTest, public ::testing::WithParamInterface<const char*> {
protected:
    void SetUp() override { start(config()); }

    static std::string config() {
        return "demo_tools: true\nservers:\n" + everything_server("    era: " + std::string(GetParam()) + "\n");
    }

    RawReply call(const std::string& tool, const std::string& more = {}, const std::string& arguments = "{}") const {
        return post(modern("5", "tools/call", R"("name":")" + tool + R"(","arguments":)" + arguments + more, kAble),
                    modern_fields("tools/call", tool));
    }
    static std::string answers(const RawReply& asked, const std::string& content) {
        const Json message = asked.json();
        const Json* requests = message.at_pointer("/result/inputRequests");
        if (requests == nullptr || !requests->is_object()) return {};
        JsonObject out;
        for (const auto& [key, value] : *requests->if_object())
            out.set(key, JsonObject{{"action", "accept"}, {"content", *Json::parse(content)}});
        return R"(,"inputResponses":)" + Json(std::move(out)).dump();
    }
    static std::string state(const RawReply& asked) {
        const Json message = asked.json();
        const Json* given = message.at_pointer("/result/requestState");
        return given != nullptr && given->is_string() ? *given->if_string() : "";
    }
    static std::string with_state(const std::string& state) { return R"(,"requestState":)" + Json(state).dump(); }
};

std::vector<std::string> forgeries(const std::string& good) {
    std::string flipped = good;
    flipped[good.size() / 2] = flipped[good.size() / 2] == 'A' ? 'B' : 'A';
    return {"",
            "x",
            "null",
            flipped,
            good + "A",
            good.substr(4),
            good.substr(0, good.size() - 4),
            good + good,
            std::string(100'000, 'A'),
            std::string("a\0b", 3)};
}

TEST_P(HandlesTest, AForgedStateIsRefusedAndTheRightOneStillServes) {
    const RawReply asked = call(kAsking);
    const std::string good = state(asked);
    ASSERT_FALSE(good.empty()) << asked.body;
    const std::string given = answers(asked, R"({"ok":true})");
    ASSERT_FALSE(given.empty()) << asked.body;
    for (const std::string& bad : forgeries(good)) {
        const RawReply reply = call(kAsking, given + with_state(bad));
        EXPECT_EQ(reply.code(), -32602) << bad.substr(0, 60) << reply.body;
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.id(), "5");
        EXPECT_THAT(reply.body, ::testing::Not(HasSubstr("every"))) << "it says who is behind";
    }
    for (const char* odd : {"7", "{}", "[]", "true"})
        EXPECT_EQ(call(kAsking, given + R"(,"requestState":)" + odd).code(), -32602) << odd;
    EXPECT_EQ(call(kOther, given + with_state(good)).code(), -32602) << "of another tool";
    EXPECT_EQ(call(kAsking, given + with_state(good), R"({"x":1})").code(), -32602) << "of other arguments";
    EXPECT_EQ(call(kAsking, given + with_state(initialize())).code(), -32602) << "a session id";
    const RawReply answered = call(kAsking, given + with_state(good));
    EXPECT_THAT(answered.body, HasSubstr(R"("resultType":"complete")"));
    EXPECT_EQ(answered.code(), 0) << answered.body;
}

TEST_P(HandlesTest, AStateOfAnotherInstallationIsRefused) {
    const RawReply asked = call(kAsking);
    Gateway other(config());
    RawClient client(other.port());
    client.send(request("POST", "/mcp",
                        modern("5", "tools/call",
                               R"("name":")" + kAsking + R"(","arguments":{})" + answers(asked, R"({"ok":true})") +
                                   with_state(state(asked)),
                               kAble),
                        modern_fields("tools/call", kAsking)));
    EXPECT_EQ(client.reply().code(), -32602);
}

TEST_P(HandlesTest, AStateBroughtBackTwiceRunsNothingTwice) {
    const RawReply asked = call(kAsking);
    const std::string retry = answers(asked, R"({"ok":true})") + with_state(state(asked));
    EXPECT_EQ(call(kAsking, retry).code(), 0);
    const RawReply again = call(kAsking, retry);
    // A modern server is stateless and decides for itself; a call parked for a legacy one has ended.
    if (std::string_view(GetParam()) == "legacy") {
        EXPECT_EQ(again.code(), -32602) << again.body;
    } else {
        EXPECT_EQ(again.status, 200);
    }
}

TEST_P(HandlesTest, AnswersOfAnyShapeAreRefusedOrAskedForAgain) {
    // Each leaves an unanswered question behind; there are eight slots for those.
    for (const char* bad : {"[]", "7", "null", "\"x\"", "{}", R"({"unknown":{}})", R"({"confirm":7})",
                            R"({"confirm":{"action":"sell"}})"}) {
        const RawReply fresh = call(kAsking);
        const RawReply reply = call(kAsking, R"(,"inputResponses":)" + std::string(bad) + with_state(state(fresh)));
        EXPECT_EQ(reply.status, 200) << bad;
        EXPECT_TRUE(reply.code() == -32602 || reply.body.find("input_required") != std::string::npos ||
                    reply.body.find("isError") != std::string::npos)
            << bad << reply.body;
    }
}

TEST_P(HandlesTest, ClientsThatNeverComeBackHoldNobodyUpForLong) {
    start(config() + "    timeout: 1s\n");
    for (int i = 0; i < 12; ++i) {
        const RawReply asked = call(kAsking);
        EXPECT_EQ(asked.status, 200);
        // A legacy server's calls hold a connection each; a call that gets none is refused with an explanation.
        EXPECT_TRUE(asked.body.find("input_required") != std::string::npos ||
                    (asked.code() == -32603 && asked.body.find("in use") != std::string::npos))
            << asked.body;
    }
    // A client that accepts no requests needs no connection of its own.
    const std::string plain = "every_test_simple_text";
    EXPECT_THAT(post_modern("1", "tools/call", R"("name":")" + plain + R"(","arguments":{})", plain).text(),
                HasSubstr("simple text"));
}

TEST_P(HandlesTest, AForgedTaskIdIsUnknownForEveryVerb) {
    const RawReply created = call("every_slow_compute", "", R"({"seconds":0})");
    const Json message = created.json();
    const Json* id = message.at_pointer("/result/taskId");
    ASSERT_NE(id, nullptr) << created.body;
    const std::string good = *id->if_string();
    const auto task = [&](const std::string& method, const std::string& which, const std::string& more = {}) {
        return post(modern("6", method, R"("taskId":)" + Json(which).dump() + more, kAble),
                    modern_fields(method, which.find_first_of(std::string("\0", 1)) == std::string::npos ? which : ""));
    };
    for (const std::string& bad : forgeries(good)) {
        if (bad.empty() || bad.size() > 60'000 || bad.find('\0') != std::string::npos) continue;  // no valid header
        for (const char* method : {"tasks/get", "tasks/cancel", "tasks/update"}) {
            const RawReply reply =
                task(method, bad, std::string_view(method) == "tasks/update" ? R"(,"inputResponses":{})" : "");
            EXPECT_EQ(reply.code(), -32602) << method << bad.substr(0, 60) << reply.body;
            EXPECT_EQ(reply.id(), "6");
        }
    }
    EXPECT_EQ(task("tasks/get", state(call(kAsking))).code(), -32602) << "a request state";
    const RawReply found = task("tasks/get", good);
    EXPECT_EQ(found.code(), 0) << found.body;
}

INSTANTIATE_TEST_SUITE_P(BothEras, HandlesTest, ::testing::Values("modern", "legacy"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gantry::testing
