#include <gtest/gtest.h>

#include "auth/oauth/authorizer_rig.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::auth {
namespace {

using std::chrono::seconds;

/// Two processes with one store: each has its own authorizer, its own TokenStore, and the same folder.
class SharedStore : public AuthorizerRig {
public:
    SharedStore() {
        store_ = std::make_unique<TokenStore>(*make_file_backend(temporary_.path() / "gantry"));
        other_store_ = std::make_unique<TokenStore>(*make_file_backend(temporary_.path() / "gantry"));
        other_ = std::make_unique<Authorizer>(*Url::parse(kServer), options_, gated(), *other_store_, nullptr);
    }

    /// The fake world, but with a token endpoint that waits for `gate_`.
    Fetch gated() {
        return [this, world = world_.fetch()](const Context& ctx, http::Request request) {
            return pass(*this, world, ctx, std::move(request));
        };
    }
    static Task<Result<FetchedResponse>> pass(SharedStore& rig, Fetch world, const Context& ctx,
                                              http::Request request) {
        const bool token = request.url.path() == "/token";
        auto answer = co_await world(ctx, std::move(request));
        if (!token) co_return answer;
        rig.answered_.set();  // from here on the old refresh token is used up
        if (auto waited = co_await rig.gate_.wait(ctx); !waited) co_return std::unexpected(waited.error());
        co_return answer;
    }

    static Task<void> ask(Authorizer& authorizer, Context ctx, std::string& out) {
        const Url url = *Url::parse(kServer);
        const auto fields = co_await authorizer.headers_for(ctx, {.method = "POST", .url = url});
        out = !fields ? fields.error().to_string() : fields->empty() ? "none" : (*fields)[0].second;
    }
    void expire() { now_ += seconds(as_.expires_in); }

    TemporaryFolder temporary_;
    Event gate_, answered_;
    std::unique_ptr<TokenStore> other_store_;
    std::unique_ptr<Authorizer> other_;
};

TEST_F(SharedStore, TwoProcessesRefreshOnceAndBothHaveTheNewToken) {
    ASSERT_EQ(call().value(), 200);
    std::string ours, theirs;
    gate_.set();
    loop_.run_until_done(ask(*other_, Context(), theirs));
    ASSERT_EQ(theirs, "Bearer access-1");
    for (int round = 2; round < 5; ++round) {
        expire();
        struct Body {
            static Task<void> run(Authorizer& a, Authorizer& b, std::string& first, std::string& second) {
                Scope scope(Context{});
                scope.spawn(ask(a, Context(), first));
                scope.spawn(ask(b, Context(), second));
                co_await scope.join();
            }
        };
        loop_.run_until_done(Body::run(authorizer(), *other_, ours, theirs));
        EXPECT_EQ(ours, "Bearer access-" + std::to_string(round));
        EXPECT_EQ(theirs, ours);
        EXPECT_EQ(as_.count("/token"), round) << "the token was refreshed twice";
    }
}

TEST_F(SharedStore, ARefusedTokenIsReplacedByTheOneAnotherProcessStored) {
    ASSERT_EQ(call().value(), 200);
    std::string theirs;
    gate_.set();
    loop_.run_until_done(ask(*other_, Context(), theirs));
    expire();
    loop_.run_until_done(ask(*other_, Context(), theirs));
    ASSERT_EQ(theirs, "Bearer access-2");
    now_ -= seconds(as_.expires_in);  // by our clock the token is still valid; the server knows better
    server_ = [this](const std::string& authorization, const Authorizer::Fields&) {
        return authorization == "Bearer access-2" ? Answer{} : refuse(401, first_challenge_);
    };
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(as_.count("/token"), 2);
    EXPECT_EQ(as_.count("/authorize"), 1);
}

TEST_F(SharedStore, ATokenOfAnotherProcessIsNotErasedWithOurs) {
    as_.give_refresh_token = false;
    ASSERT_EQ(call().value(), 200);
    const TokenKey key{kIssuer, "registered-client", kServer};
    Tokens newer;
    newer.access_token = "access-of-another";
    newer.token_type = "Bearer";
    server_ = [&](const std::string& authorization, const Authorizer::Fields&) {
        return authorization == "Bearer access-of-another" ? Answer{} : refuse(401, first_challenge_);
    };
    ASSERT_TRUE(loop_.run_until_done(other_store_->save_tokens(Context(), key, newer)));
    EXPECT_EQ(call().value(), 200);
    EXPECT_EQ(loop_.run_until_done(store_->tokens(Context(), key)).value()->access_token, "access-of-another");
    EXPECT_EQ(as_.count("/authorize"), 1);
}

TEST_F(SharedStore, ARotationIsStoredAlsoWhenNobodyWaitsForItAnyMore) {
    ASSERT_EQ(call().value(), 200);
    expire();
    std::string theirs;
    struct Body {
        static Task<void> run(SharedStore& rig, std::string& out) {
            Scope scope(Context{});
            CancelSource gone;
            scope.spawn(ask(*rig.other_, Context().stopped_by(gone), out));
            (void)co_await rig.answered_.wait(Context());
            gone.cancel();
            rig.gate_.set();
            co_await scope.join();
        }
    };
    loop_.run_until_done(Body::run(*this, theirs));
    EXPECT_NE(theirs.find("cancelled"), std::string::npos) << theirs;
    restart();
    EXPECT_EQ(fields().value()[0].second, "Bearer access-2");
    EXPECT_EQ(as_.count("/token"), 2);
}

}  // namespace
}  // namespace gantry::auth
