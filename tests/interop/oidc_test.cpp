// A real OpenID provider in front of a server that requires tokens: discovery, registration, a person's login,
// rotation, step-up, and a program's login with a private key.

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/crypto/base64url.hpp"
#include "interop/browser.hpp"
#include "interop/peers.hpp"

namespace gantry::testing {
namespace {

class OpenIdProvider : public ::testing::Test {
protected:
    void start(const std::string& token_life) {
        ASSERT_FALSE(skipped());
        server_ = std::make_unique<Child>(Child::Options{.command = {node(), script(), token_life}, .env = {}});
        ASSERT_TRUE(server_->wait_for_output("listening ")) << server_->err();
        ASSERT_TRUE(server_->wait_for_output("\n"));
        url_ = "http://127.0.0.1:" + between(server_->out(), "listening ", "\n") + "/mcp";
        key_ = crypto::base64url_decode(between(server_->out(), "key ", "\n")).value_or("");
    }
    static std::string script() {
        return peer_file("node_modules/oidc-provider").empty() ? std::string() : peer_file("oidc_server.mjs");
    }
    static bool skipped() { return node().empty() || script().empty(); }

    ConnectOptions options(Authorization authorization) const {
        authorization.store = Authorization::Store::kMemory;
        return options_for(HttpServer{.url = url_, .authorization = std::move(authorization)});
    }
    static std::string text_of(Client& client, const std::string& tool) {
        const auto result = client.call(tool);
        return result ? result->text() : result.error().to_string();
    }
    /// How often the provider reports an action, e.g. "refresh_token".
    static std::int64_t count(Client& client, const char* what) {
        const auto counts = Json::parse(text_of(client, "counts"));
        const Json* value = counts ? counts->find(what) : nullptr;
        return value ? value->as_int().value_or(-1) : -1;
    }

    std::unique_ptr<Child> server_;
    std::string url_;
    std::string key_;
};

TEST_F(OpenIdProvider, APersonLogsInThroughTheLoopbackListenerAndStepsUp) {
    SKIP_WITHOUT(script());
    SKIP_WITHOUT(node());
    start("3600");
    Browser browser;
    std::vector<std::thread> visits;
    std::mutex mutex;
    std::vector<std::string> pages;
    UserLogin login;
    login.open_browser = false;
    login.announce = [&](const std::string& url) {
        visits.emplace_back([&, url] {
            const auto page = browser.visit(url, "");
            const std::lock_guard guard(mutex);
            pages.push_back(page ? *page : page.error().to_string());
        });
    };
    {
        auto client = connect(options({.how = login}));
        EXPECT_TRUE(client) << client.error().to_string();
        if (client) {
            EXPECT_EQ(count(*client, "registered"), 1);
            EXPECT_EQ(count(*client, "authorization_code"), 1);
            EXPECT_EQ(text_of(*client, "write"), "written") << "the step-up failed";
            EXPECT_EQ(count(*client, "authorization_code"), 2);
            EXPECT_EQ(count(*client, "registered"), 1) << "a second login is no reason to register again";
            EXPECT_EQ(count(*client, "refused"), 0);
        }
    }
    for (std::thread& visit : visits) visit.join();
    ASSERT_EQ(pages.size(), 2u);
    for (const std::string& page : pages) EXPECT_NE(page.find("close this window"), std::string::npos) << page;
}

TEST_F(OpenIdProvider, ShortLivedTokensAreRefreshedWithRotationAndNobodyIsAskedAgain) {
    SKIP_WITHOUT(script());
    SKIP_WITHOUT(node());
    start("5");  // shorter than the margin: every request finds the token expiring
    Browser browser;
    int visits = 0;
    UserLogin login;
    login.redirect_uri = "http://127.0.0.1:7171/callback";
    login.visit = [&](const std::string& url) {
        ++visits;
        return browser.visit(url, "http://127.0.0.1:7171/callback");
    };
    auto client = connect(options({.how = login}));
    ASSERT_TRUE(client) << client.error().to_string();
    const auto before = count(*client, "refresh_token");
    EXPECT_GE(before, 1);
    for (int i = 0; i < 3; ++i) EXPECT_GT(count(*client, "refresh_token"), before + i);
    EXPECT_EQ(count(*client, "refused"), 0) << "a spent refresh token was used again";
    EXPECT_EQ(visits, 1);
}

TEST_F(OpenIdProvider, AProgramLogsInWithItsPrivateKey) {
    SKIP_WITHOUT(script());
    SKIP_WITHOUT(node());
    start("3600");
    ASSERT_FALSE(key_.empty());
    auto client = connect(options({.how = ClientCredentials{.private_key_pem = key_}, .client_id = "robot"}));
    ASSERT_TRUE(client) << client.error().to_string();
    EXPECT_EQ(count(*client, "client_credentials"), 1);
    EXPECT_EQ(text_of(*client, "write"), "written");
    EXPECT_EQ(count(*client, "client_credentials"), 2) << "the step-up asks for a new token";
    EXPECT_EQ(count(*client, "registered"), 0);
    EXPECT_EQ(count(*client, "refused"), 0);
}

TEST_F(OpenIdProvider, AnotherKeyIsRefused) {
    SKIP_WITHOUT(script());
    SKIP_WITHOUT(node());
    start("3600");
    const std::string real = std::exchange(key_, {});
    start("3600");  // another provider with another key
    const auto client = connect(options({.how = ClientCredentials{.private_key_pem = real}, .client_id = "robot"}));
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code(), ErrorCode::kUnauthorized) << client.error().to_string();
    EXPECT_EQ(client.error().to_string().find("BEGIN"), std::string::npos);
}

}  // namespace
}  // namespace gantry::testing
