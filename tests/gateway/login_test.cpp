// A server behind the gateway that requires OAuth: `gantry login` with a real OpenID provider.
#include <gmock/gmock.h>
#include <signal.h>

#include "gateway/rig.hpp"
#include "interop/browser.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

std::string oidc_script() {
    return peer_file("node_modules/oidc-provider").empty() ? std::string() : peer_file("oidc_server.mjs");
}

/// The server and its provider; tokens expire after this many seconds.
class Guarded {
public:
    explicit Guarded(const std::string& token_life)
        : child_({.command = {node(), oidc_script(), token_life}, .env = {}}) {
        EXPECT_TRUE(child_.wait_for_output("listening ")) << child_.err();
        EXPECT_TRUE(child_.wait_for_output("\n"));
        url_ = "http://127.0.0.1:" + between(child_.out(), "listening ", "\n") + "/mcp";
    }
    const std::string& url() const noexcept { return url_; }

private:
    Child child_;
    std::string url_;
};

/// Logs in from the command line, with a browser that consents to everything.
std::string log_in(const Gateway& gateway, int expected = 0) {
    Child login(
        {.command = {gantry_program(), "login", "guarded", "--no-browser", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_TRUE(login.wait_for_output("http://")) << login.err();
    EXPECT_TRUE(login.wait_for_output("state=")) << login.out();
    EXPECT_TRUE(eventually([&] {
        return login.wait_for_output("\n", std::chrono::seconds(1)) &&
               between(login.out(), "  http", "\n").contains("state=");
    }));
    Browser browser;
    const auto page = browser.visit("http" + between(login.out(), "  http", "\n"), "");
    EXPECT_TRUE(page) << page.error().to_string();
    EXPECT_EQ(login.wait(), expected) << login.err();
    return login.out() + login.err();
}

std::string text_of_call(Client& client, const std::string& tool) {
    const auto result = client.call(tool);
    return result ? result->text() : result.error().to_string();
}

std::int64_t refreshes(Client& client) {
    const auto counts = Json::parse(text_of_call(client, "guarded_counts"));
    const Json* const value = counts ? counts->find("refresh_token") : nullptr;
    return value == nullptr ? -1 : value->as_int().value_or(-1);
}

class LoginTest : public ::testing::Test {
protected:
    void SetUp() override {
        SKIP_WITHOUT(node());
        SKIP_WITHOUT(oidc_script());
    }
};

TEST_F(LoginTest, APersonLogsInAndTheGatewayKeepsTheTokensAcrossRestarts) {
    const Guarded server("3600");
    const TempDir folder;
    const std::string config = "servers:\n  - name: guarded\n    url: " + server.url() + "\n";
    {
        Gateway gateway(config, folder.path() + "/state");
        EXPECT_THAT(log_in(gateway), HasSubstr("guarded: ready, "));
        auto client = connect(options_for(HttpServer{.url = gateway.url()}));
        ASSERT_TRUE(client);
        EXPECT_EQ(refreshes(*client), 0);
        ::kill(gateway.child().pid(), SIGTERM);
        EXPECT_EQ(gateway.child().wait(), 0);
    }
    Gateway gateway(config, folder.path() + "/state");
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    EXPECT_GE(refreshes(*client), 0) << "nobody has to log in again";
}

TEST_F(LoginTest, TokensThatExpireAreRefreshedWithoutAPerson) {
    const Guarded server("2");
    Gateway gateway("servers:\n  - name: guarded\n    url: " + server.url() + "\n");
    EXPECT_THAT(log_in(gateway), HasSubstr("logged in to 'guarded'"));
    auto client = connect(options_for(HttpServer{.url = gateway.url()}));
    ASSERT_TRUE(client);
    EXPECT_TRUE(eventually([&] { return refreshes(*client) > 0; }));
}

TEST_F(LoginTest, WithoutALoginTheTroubleSaysHowToLogIn) {
    const Guarded server("3600");
    Gateway gateway("servers:\n  - name: guarded\n    url: " + server.url() + "\n");
    Child restart({.command = {gantry_program(), "restart", "guarded", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_EQ(restart.wait(), 3);
    EXPECT_THAT(restart.out(), HasSubstr("gantry login guarded"));
    Child other({.command = {gantry_program(), "login", "nobody", "--state-dir", gateway.state()}, .env = {}});
    EXPECT_NE(other.wait(), 0);
    EXPECT_THAT(other.err(), HasSubstr("no server 'nobody'"));
}

}  // namespace
}  // namespace gantry::testing
