// A server on the official v2 package that speaks both eras: everything must work the same in each.

#include <atomic>
#include <memory>
#include <ostream>

#include "interop/peers.hpp"

namespace gantry::testing {
namespace {

struct Way {
    bool http;
    Era era;
};
std::ostream& operator<<(std::ostream& out, const Way& way) {
    return out << (way.http ? "http" : "stdio") << (way.era == Era::kLegacy ? "_legacy" : "_modern");
}

class DualEra : public ::testing::TestWithParam<Way> {
protected:
    void SetUp() override {
        script_ = dual_era_js();
        SKIP_WITHOUT(script_);
        SKIP_WITHOUT(node());
        if (GetParam().http) {
            server_ = std::make_unique<Child>(Child::Options{.command = {node(), script_, "http", "both"}, .env = {}});
            ASSERT_TRUE(server_->wait_for_output("listening ")) << server_->err();
            ASSERT_TRUE(server_->wait_for_output("\n"));
            const std::string& out = server_->out();
            port_ = std::stoi(out.substr(out.find("listening ") + 10));
        }
    }

    ConnectOptions options() const {
        ConnectOptions options =
            GetParam().http ? options_for(HttpServer{.url = "http://127.0.0.1:" + std::to_string(port_) + "/mcp"})
                            : options_for(StdioServer{.command = node(), .args = {script_, "stdio"}});
        options.era = GetParam().era;
        options.handlers.elicit = [](const mcp::ElicitParams&) -> Result<mcp::ElicitResult> {
            mcp::ElicitResult result;
            result.action = mcp::ElicitAction::kAccept;
            result.content = JsonObject{{"name", "Ada"}};
            return result;
        };
        return options;
    }

    void with_client(void (*body)(Client& client)) {
        auto client = connect(options());
        ASSERT_TRUE(client) << client.error().to_string();
        EXPECT_EQ(mcp::is_modern(client->server().revision), GetParam().era == Era::kModern);
        body(*client);
    }

    std::string script_;
    std::unique_ptr<Child> server_;
    int port_ = 0;
};

TEST_P(DualEra, CallsToolsWithStructuredResults) {
    with_client([](Client& client) {
        EXPECT_EQ(client.server().info.name, "dual-era-fixture");
        EXPECT_EQ(client.server().instructions, "A fixture for interop tests.");
        const auto tools = client.list_tools();
        ASSERT_TRUE(tools) << tools.error().to_string();
        EXPECT_TRUE(has_tool(*tools, "add"));
        const auto sum = client.call("add", {{"a", 2}, {"b", 3}});
        ASSERT_TRUE(sum) << sum.error().to_string();
        EXPECT_EQ(sum->text(), "5");
        ASSERT_TRUE(sum->structured_content);
        EXPECT_EQ(*sum->structured_content, Json(JsonObject{{"sum", 5}}));
        const auto failed = client.call("fail");
        ASSERT_TRUE(failed) << failed.error().to_string();
        EXPECT_TRUE(failed->is_error);
        EXPECT_TRUE(client.ping());
    });
}

TEST_P(DualEra, MirrorsAnArgumentIntoAHeader) {
    with_client([](Client& client) {
        const auto said = client.call("region", {{"region", "Zürich, CH"}});
        ASSERT_TRUE(said) << said.error().to_string();
        EXPECT_EQ(said->text(), "region Zürich, CH");
    });
}

TEST_P(DualEra, ReportsProgress) {
    with_client([](Client& client) {
        std::atomic<int> steps = 0;
        CallOptions options;
        options.on_progress = [&steps](const mcp::Progress&) { ++steps; };
        const auto counted = client.call("count", {{"to", 5}}, options);
        ASSERT_TRUE(counted) << counted.error().to_string();
        EXPECT_EQ(counted->text(), "counted to 5");
        EXPECT_EQ(steps.load(), 5);
    });
}

TEST_P(DualEra, ReadsResourcesAndPrompts) {
    with_client([](Client& client) {
        const auto motto = client.read_resource("fixture://motto");
        ASSERT_TRUE(motto) << motto.error().to_string();
        ASSERT_EQ(motto->contents.size(), 1u);
        const auto prompt = client.get_prompt("review", {{"topic", "the code"}});
        ASSERT_TRUE(prompt) << prompt.error().to_string();
        EXPECT_EQ(prompt->messages.size(), 1u);
        const auto missing = client.read_resource("fixture://none");
        ASSERT_FALSE(missing);
        EXPECT_NE(missing.error().rpc(), nullptr);
    });
}

TEST_P(DualEra, AsksBackInTheMiddleOfACall) {
    if (GetParam().http && GetParam().era == Era::kLegacy)
        GTEST_SKIP() << "the package serves legacy HTTP without sessions, where a server cannot ask";
    with_client([](Client& client) {
        const auto greeted = client.call("greet");
        ASSERT_TRUE(greeted) << greeted.error().to_string();
        EXPECT_EQ(greeted->text(), "Good day, Ada") << "the default of `polite` was filled in";
    });
}

TEST_P(DualEra, FindsOutTheModernEraByItself) {
    if (GetParam().era == Era::kLegacy) GTEST_SKIP() << "nothing to find out";
    ConnectOptions automatic = options();
    automatic.era = Era::kAuto;
    auto client = connect(std::move(automatic));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_TRUE(mcp::is_modern(client->server().revision));
}

INSTANTIATE_TEST_SUITE_P(EveryWay, DualEra,
                         ::testing::Values(Way{false, Era::kLegacy}, Way{false, Era::kModern}, Way{true, Era::kLegacy},
                                           Way{true, Era::kModern}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace gantry::testing
