// Servers whose answers are not valid JSON by our rules: reported at once to the waiting caller, or repaired.
#include "bad_clients/bad_servers.hpp"
#include "bad_clients/rig.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Far longer than a busy machine needs, so that an answer can only come from the report, not from the timeout.
constexpr const char* kPatient = "    timeout: 10m\n    breaker: off\n";

class UnreadableTest : public BadClientTest {
protected:
    void SetUp() override {}
    void start_with(const std::string& mode, const std::string& more = kPatient) {
        start("demo_tools: true\nservers:\n" + bad_child("bad", mode, more));
        ASSERT_EQ(call_echo("warm"), "warm");
    }
    RawReply call_bad() { return post_modern("1", "tools/call", R"("name":"bad_t","arguments":{})", "bad_t"); }
    std::string status() {
        Child asked({.command = {gantry_program(), "status", "--json", "--state-dir", gateway().state()}, .env = {}});
        EXPECT_TRUE(asked.wait(std::chrono::seconds(60)));
        return asked.out();
    }
};

TEST_F(UnreadableTest, ALoneSurrogateIsReplaced) {
    start_with("surrogate");
    const RawReply reply = call_bad();
    EXPECT_EQ(reply.text(), "cut \xEF\xBF\xBD, whole \xF0\x9F\x98\x80") << reply.body;
}

TEST_F(UnreadableTest, ALoneSurrogateIsReplacedInALargeResultToo) {
    start_with("surrogate-large");
    const RawReply reply = call_bad();
    const std::string text = reply.text();
    ASSERT_EQ(text.size(), 300'000u * 9) << reply.body.substr(0, 300);
    EXPECT_EQ(text.substr(0, 18), "x\xEF\xBF\xBDy\xF0\x9F\x98\x80x\xEF\xBF\xBDy\xF0\x9F\x98\x80");
}

TEST_F(UnreadableTest, ALoneSurrogateIsRefusedAtOnceWhereTheServerIsHeldToTheRules) {
    start_with("surrogate", std::string(kPatient) + "    strict_json: true\n");
    EXPECT_THAT(call_bad().body, HasSubstr("lone surrogate"));
}

TEST_F(UnreadableTest, DeepNestingIsReportedAtOnceWhereverTheIdStands) {
    for (const char* mode : {"deep", "deep-id-last"}) {
        start_with(mode);
        EXPECT_THAT(call_bad().body, HasSubstr("nested too deeply")) << mode;
    }
}

TEST_F(UnreadableTest, ALargeResultNestedTooDeeplyIsNotCalledTooLarge) {
    start_with("deep-large", std::string(kPatient) + "    max_result_bytes: 8MB\n");
    const RawReply reply = call_bad();
    EXPECT_THAT(reply.body, HasSubstr("nested too deeply"));
    EXPECT_THAT(reply.body, Not(HasSubstr("larger than")));
}

TEST_F(UnreadableTest, AListThatCannotBeReadIsTroubleInStatus) {
    start_with("deep-list");
    EXPECT_TRUE(eventually([this] { return status().find("tools/list failed") != std::string::npos; })) << status();
    EXPECT_THAT(status(), HasSubstr("nested too deeply"));
}

}  // namespace
}  // namespace gantry::testing
