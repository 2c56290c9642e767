#include <gmock/gmock.h>

#include "auth/oauth/authorizer_rig.hpp"
#include "auth/oauth/loopback_agent.hpp"
#include "base/try.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"

namespace gantry::auth {
namespace {

using ::testing::Each;

/// Requests that are rejected while a user logs in slowly.
class Concurrent : public AuthorizerRig {
public:
    Concurrent() {
        agent_ = make_callback_agent(
            redirect_uri_, [this](const Context& ctx, std::string url) { return visit(*this, ctx, std::move(url)); });
        challenge_.set("WWW-Authenticate", first_challenge_);
    }

    static Task<Result<std::string>> visit(Concurrent& rig, const Context& ctx, std::string url) {
        ++rig.asked_;
        rig.shown_.set();
        auto waited = co_await rig.person_.wait(ctx);
        if (!waited) co_return std::unexpected(waited.error());
        co_return Result<std::string>(rig.browse_(url));
    }

    struct Refused {
        std::optional<Result<http::Retry>> result = {};
        std::vector<bool> told = {};  // of a login
    };

    Task<void> refuse_one(Context ctx, Refused& out, std::string sent = {}) {
        const Url url = *Url::parse(kServer);
        Authorizer::Fields fields;
        if (!sent.empty()) fields.emplace_back("Authorization", sent);
        out.result = co_await authorizer().on_response(
            ctx, {.method = "POST", .url = url, .on_login = [&out](bool waiting) { out.told.push_back(waiting); }},
            {.status = 401, .headers = challenge_, .sent = fields});
    }

    Task<void> until(std::function<bool()> holds) {
        const Context ctx = Context().within(seconds(60));
        while (!holds())
            if (!co_await sleep_for(ctx, milliseconds(1))) co_return;
    }

    Event shown_, person_;
    int asked_ = 0;
    http::Headers challenge_;
};

TEST_F(Concurrent, RefusedRequestsShareOneLoginAndAllAreToldOfIt) {
    std::vector<Refused> all(5);
    struct Body {
        static Task<void> run(Concurrent& rig, std::vector<Refused>& all) {
            Scope scope(Context{});
            for (std::size_t i = 0; i < 4; ++i) scope.spawn(rig.refuse_one(Context(), all[i]));
            (void)co_await rig.shown_.wait(Context());
            scope.spawn(rig.refuse_one(Context(), all[4]));  // while it is in progress
            co_await rig.until([&] { return all[4].told.size() == 1; });
            rig.person_.set();
            co_await scope.join();
        }
    };
    loop_.run_until_done(Body::run(*this, all));
    for (const Refused& one : all) {
        EXPECT_EQ(one.result->value(), http::Retry::kYes);
        EXPECT_EQ(one.told, (std::vector<bool>{true, false}));
    }
    EXPECT_EQ(asked_, 1);
    EXPECT_EQ(as_.count("/token"), 1);
}

TEST_F(Concurrent, ARefusedLoginIsNotRepeatedForEachWhoWaited) {
    as_.authorize_error = "access_denied";
    std::vector<Refused> all(3);
    struct Body {
        static Task<void> run(Concurrent& rig, std::vector<Refused>& all) {
            Scope scope(Context{});
            for (Refused& one : all) scope.spawn(rig.refuse_one(Context(), one));
            co_await rig.until([&] { return all[2].told.size() == 1; });
            rig.person_.set();
            co_await scope.join();
        }
    };
    loop_.run_until_done(Body::run(*this, all));
    for (const Refused& one : all) EXPECT_EQ(one.result->error().code(), ErrorCode::kUnauthorized);
    EXPECT_EQ(asked_, 1);
    Refused later;
    loop_.run_until_done(refuse_one(Context(), later));
    EXPECT_EQ(asked_, 2) << "who comes later may ask again";
}

TEST_F(Concurrent, ALoginOutlivesTheRequestThatBeganIt) {
    Refused first, second;
    struct Body {
        static Task<void> run(Concurrent& rig, Refused& first, Refused& second) {
            Scope scope(Context{});
            CancelSource impatient;
            scope.spawn(rig.refuse_one(Context().stopped_by(impatient), first));
            (void)co_await rig.shown_.wait(Context());
            scope.spawn(rig.refuse_one(Context(), second));
            co_await rig.until([&] { return second.told.size() == 1; });
            impatient.cancel();
            EXPECT_EQ(first.told, (std::vector<bool>{true, false})) << "it no longer waits";
            rig.person_.set();
            co_await scope.join();
        }
    };
    loop_.run_until_done(Body::run(*this, first, second));
    EXPECT_EQ(first.result->error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(second.result->value(), http::Retry::kYes);
    EXPECT_EQ(asked_, 1);
}

TEST_F(Concurrent, ALoginNobodyWaitsForIsGivenUp) {
    Refused first, second;
    struct Body {
        static Task<void> run(Concurrent& rig, Refused& first, Refused& second) {
            Scope scope(Context{});
            CancelSource gone;
            scope.spawn(rig.refuse_one(Context().stopped_by(gone), first));
            scope.spawn(rig.refuse_one(Context().within(milliseconds(1)), second));
            (void)co_await rig.shown_.wait(Context());
            gone.cancel();
            co_await scope.join();  // the user never completes the login
        }
    };
    loop_.run_until_done(Body::run(*this, first, second));
    EXPECT_EQ(first.result->error().code(), ErrorCode::kCancelled);
    EXPECT_EQ(second.result->error().code(), ErrorCode::kTimeout);
    person_.set();
    EXPECT_EQ(call().value(), 200) << "the next one starts anew";
    EXPECT_EQ(asked_, 2);
}

TEST_F(Concurrent, ALateRefusalOfAnOldTokenNeedsNoNewLogin) {
    person_.set();
    ASSERT_EQ(call().value(), 200);
    const auto before = world_.visited.size();
    for (const char* sent : {"", "Bearer of-yesterday"}) {
        Refused late;
        loop_.run_until_done(refuse_one(Context(), late, sent));
        EXPECT_EQ(late.result->value(), http::Retry::kYes);
    }
    EXPECT_EQ(world_.visited.size(), before);
}

TEST_F(Concurrent, AStaleRegistrationIsReplacedAfterALoginNobodyFinished) {
    person_.set();
    ASSERT_EQ(call().value(), 200);
    ASSERT_TRUE(loop_.run_until_done(authorizer().log_out(Context())));
    // What a user sees if the authorization server forgot the client: an error page, and no redirect.
    struct Never {
        static Task<Result<std::string>> come() { co_return fail(ErrorCode::kTimeout, "nobody came"); }
    };
    agent_ = make_callback_agent(redirect_uri_, [](const Context&, std::string) { return Never::come(); });
    restart();
    EXPECT_EQ(call().error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(as_.count("/register"), 1);
    EXPECT_FALSE(call());
    EXPECT_EQ(as_.count("/register"), 2);
}

TEST_F(Concurrent, TheListenerEndsWithALoginThatNeverReachedTheBrowser) {
    agent_ = make_loopback_agent(loop_, {});
    as_.metadata.set("registration_endpoint", "https://nowhere.example/register");
    EXPECT_EQ(call().error().code(), ErrorCode::kConnection);
    agent_.reset();  // a listener that is still open would not allow this
}

}  // namespace
}  // namespace gantry::auth
