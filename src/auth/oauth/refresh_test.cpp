#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/oauth/authorizer_rig.hpp"
#include "io/scope.hpp"

namespace gantry::auth {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

/// A memory backend whose disk can fill up.
class FullDisk final : public SecretBackend {
public:
    explicit FullDisk(const bool& full) : full_(full) {}
    Result<std::optional<std::string>> load(const SecretId& id) override { return inner_->load(id); }
    Result<void> save(const SecretId& id, std::string_view secret) override {
        if (full_) return fail(ErrorCode::kInternal, "disk full");
        return inner_->save(id, secret);
    }
    Result<void> erase(const SecretId& id) override { return inner_->erase(id); }
    Result<std::vector<SecretId>> list(std::string_view kind) override { return inner_->list(kind); }
    Result<std::unique_ptr<SecretLock>> try_lock(const SecretId& id) override { return inner_->try_lock(id); }
    std::string_view name() const noexcept override { return "full disk"; }

private:
    const bool& full_;
    std::unique_ptr<SecretBackend> inner_ = make_memory_backend();
};

class Refresh : public AuthorizerRig {
protected:
    void expire() { now_ += seconds(as_.expires_in); }
};

TEST_F(Refresh, ReplacesAnExpiredTokenBeforeItIsUsed) {
    ASSERT_EQ(call().value(), 200);
    expire();
    EXPECT_EQ(fields().value()[0].second, "Bearer access-2");
    EXPECT_EQ(sent("/token", "grant_type"), "refresh_token");
    EXPECT_EQ(sent("/token", "refresh_token"), "refresh-1");
    EXPECT_EQ(sent("/token", "resource"), kServer);
    EXPECT_EQ(as_.count("/authorize"), 1);
    expire();
    EXPECT_EQ(fields().value()[0].second, "Bearer access-3");
    EXPECT_EQ(sent("/token", "refresh_token"), "refresh-2") << "the rotated token was not used";
}

TEST_F(Refresh, KeepsTheOldRefreshTokenWithoutRotation) {
    as_.rotate = false;
    ASSERT_EQ(call().value(), 200);
    for (int i = 0; i < 2; ++i) {
        expire();
        EXPECT_TRUE(fields());
        EXPECT_EQ(sent("/token", "refresh_token"), "refresh-1");
    }
}

TEST_F(Refresh, TheRotatedTokenSurvivesARestart) {
    ASSERT_EQ(call().value(), 200);
    expire();
    EXPECT_TRUE(fields());
    restart();
    expire();
    EXPECT_EQ(fields().value()[0].second, "Bearer access-3");
    EXPECT_EQ(sent("/token", "refresh_token"), "refresh-2");
}

Task<void> ask(Authorizer& authorizer, const Url& url, std::vector<std::string>& answers) {
    const Context ctx;
    const auto fields = co_await authorizer.headers_for(ctx, {.method = "POST", .url = url});
    answers.push_back(fields ? (*fields)[0].second : fields.error().to_string());
}

Task<void> ask_many(Authorizer& authorizer, const Url& url, std::vector<std::string>& answers) {
    const Context ctx;
    Scope scope(ctx);
    for (int i = 0; i < 8; ++i) scope.spawn(ask(authorizer, url, answers));
    co_await scope.join();
}

TEST_F(Refresh, HappensOnceHoweverManyAskAtTheSameTime) {
    ASSERT_EQ(call().value(), 200);
    expire();
    const int before = as_.count("/token");
    const Url url = *Url::parse(kServer);
    std::vector<std::string> answers;
    loop_.run_until_done(ask_many(authorizer(), url, answers));
    EXPECT_EQ(answers, std::vector<std::string>(8, "Bearer access-2"));
    EXPECT_EQ(as_.count("/token"), before + 1);
}

TEST_F(Refresh, IsTriedBeforeANewLoginWhenTheServerRefusesTheToken) {
    ASSERT_EQ(call().value(), 200);
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        return authorization == "Bearer access-1" ? refuse(401, first_challenge_) : Answer{};
    };
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/authorize"), 1);
    EXPECT_EQ(sent("/token", "grant_type"), "refresh_token");
}

TEST_F(Refresh, IsNotMissedByAShortLivedTokenWithoutOne) {
    as_.give_refresh_token = false;
    as_.expires_in = 5;  // shorter than the margin before which others are refreshed
    ASSERT_EQ(call().value(), 200);
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/authorize"), 1);
    expire();
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/authorize"), 2);
}

TEST_F(Refresh, LeadsToANewLoginWhenTheGrantIsGone) {
    ASSERT_EQ(call().value(), 200);
    expire();
    as_.token_error = "invalid_grant";
    EXPECT_TRUE(fields().value().empty());
    as_.token_error.clear();
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/authorize"), 2);
}

TEST_F(Refresh, ReportsARefusalAndKeepsTheGrant) {
    ASSERT_EQ(call().value(), 200);
    expire();
    as_.token_error = "temporarily_unavailable";
    const auto refused = fields();
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnauthorized);
    EXPECT_THAT(refused.error().to_string(), Not(HasSubstr("refresh-1")));
    as_.token_error.clear();
    EXPECT_EQ(fields().value()[0].second, "Bearer access-2");
}

TEST_F(Refresh, SurfacesThatARotatedTokenCouldNotBeStored) {
    bool full = false;
    store_ = std::make_unique<TokenStore>(std::make_unique<FullDisk>(full));
    ASSERT_EQ(call().value(), 200);
    expire();
    full = true;
    const auto lost = fields();
    ASSERT_FALSE(lost);
    EXPECT_THAT(lost.error().message(), HasSubstr("could not be stored"));
    EXPECT_EQ(fields().value()[0].second, "Bearer access-2") << "the token in hand is still good";
}

TEST_F(Refresh, WarnsWhenTheTokensOfALoginCannotBeStored) {
    const bool full = true;
    store_ = std::make_unique<TokenStore>(std::make_unique<FullDisk>(full));
    std::vector<std::string> warnings;
    options_.warn = [&](const Error& error) { warnings.push_back(error.message()); };
    EXPECT_EQ(call().value(), 200);
    EXPECT_FALSE(warnings.empty());
}

TEST_F(Refresh, NeverGoesToAnotherAuthorizationServer) {
    ASSERT_EQ(call().value(), 200);
    FakeAuthorizationServer second("https://as2.example");
    world_.serve("https://as2.example", second);
    resource_metadata_.if_object()->set("authorization_servers", JsonArray{"https://as2.example"});
    restart();
    expire();
    EXPECT_TRUE(fields().value().empty());
    EXPECT_EQ(second.count("/token"), 0);
}

}  // namespace
}  // namespace gantry::auth
