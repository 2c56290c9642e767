#include "mcp/transport/http_caller.hpp"

#include "mcp/transport/http_rig.hpp"

namespace gantry::mcp {
namespace {

using namespace testing;

TEST(HttpCaller, RefusesARedirectToAnotherOriginAndSendsNothingThere) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            const std::string elsewhere = "http://localhost:" + std::to_string(rig.server.port()) + "/mcp";
            (void)co_await exchange.respond(ctx, 307, {{"Location", elsewhere}}, "");
        },
        [](HttpRig& rig) -> Task<void> {
            HttpFailure failure;
            auto out = request(1, "tools/list", modern_params());
            out.failure = &failure;
            auto written = co_await rig.connection->write(watchdog(), std::move(out));
            CO_ASSERT(!written);
            EXPECT_EQ(written.error().code(), ErrorCode::kDenied);
            const std::string origin = "http://localhost:" + std::to_string(rig.server.port());
            EXPECT_TRUE(written.error().message().contains(origin)) << written.error().message();
            EXPECT_EQ(failure.status, 307);
            EXPECT_EQ(failure.redirect_origin, origin);
            EXPECT_EQ(rig.seen.size(), 1u);
        });
}

TEST(HttpCaller, FollowsARedirectWithinTheOriginWithMethodAndBody) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            if (seen.target == "/mcp") {
                (void)co_await exchange.respond(ctx, 307, {{"Location", "/mcp/"}}, "");
            } else {
                co_await say_json(ctx, exchange, 200, result_for(seen));
            }
        },
        [](HttpRig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.connection->write(watchdog(), request(1, "tools/list", modern_params())));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 1 {}");
            CO_ASSERT(rig.seen.size() == 2);
            EXPECT_EQ(rig.seen[1].target, "/mcp/");
            EXPECT_EQ(rig.seen[1].method, "POST");
            EXPECT_EQ(rig.seen[1].body, rig.seen[0].body);
        });
}

TEST(HttpCaller, RefusesRedirectLoopsAndRedirectsThatChangeTheMethod) {
    run_rig(
        [](HttpRig& rig, const Context& ctx, http::Exchange& exchange, const Seen&) -> Task<void> {
            (void)co_await exchange.respond(ctx, rig.step, {{"Location", "/mcp"}}, "");
        },
        [](HttpRig& rig) -> Task<void> {
            for (const int status : {308, 303}) {
                rig.step = status;
                rig.seen.clear();
                auto written = co_await rig.connection->write(watchdog(), request(1, "x", modern_params()));
                CO_ASSERT(!written);
                EXPECT_EQ(written.error().code(), ErrorCode::kProtocol);
                EXPECT_LE(rig.seen.size(), 4u);
            }
        });
}

/// Supplies token "t1", and "t2" after a 401.
class Rotating final : public http::Authorization {
public:
    Task<Result<Fields>> headers_for(const Context&, Request request) override {
        asked.push_back(std::string(request.method) + " " + request.url.path());
        co_return Result<Fields>(Fields{{"Authorization", "Bearer t" + std::to_string(round)}});
    }
    Task<Result<http::Retry>> on_response(const Context&, Request request, Answer answer) override {
        if (answer.status != 401) co_return http::Retry::kNo;
        EXPECT_EQ(answer.peer, "127.0.0.1");
        EXPECT_EQ(answer.sent, (Fields{{"Authorization", "Bearer t" + std::to_string(round)}}));
        if (request.on_login) {
            request.on_login(true);
            request.on_login(false);
        }
        if (refuse) co_return fail(ErrorCode::kUnauthorized, "nobody is there to log in");
        challenge = answer.headers.get("WWW-Authenticate").value_or("");
        ++round;
        co_return http::Retry::kYes;
    }

    int round = 1;
    bool refuse = false;
    std::string challenge;
    std::vector<std::string> asked;
};

Task<void> wants_t2(HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) {
    if (seen.header("authorization") == "Bearer t2") {
        co_await say_json(ctx, exchange, 200, result_for(seen));
    } else {
        (void)co_await exchange.respond(ctx, 401, {{"WWW-Authenticate", "Bearer"}}, "");
    }
}

TEST(HttpCaller, RepeatsARequestWhenAuthorizationSaysSo) {
    run_rig(
        wants_t2,
        [](HttpRig& rig) -> Task<void> {
            Rotating authorization;
            auto config = rig.config();
            config.http.authorization = &authorization;
            config.http.headers = {{"X-Team", "blue"}, {"Content-Type", "text/plain"}};
            co_await rig.connect(std::move(config));
            CO_ASSERT(rig.connection);
            std::vector<bool> logins;
            auto out = request(1, "tools/list", modern_params());
            out.on_login = [&](bool waiting) { logins.push_back(waiting); };
            EXPECT_TRUE(co_await rig.connection->write(watchdog(), std::move(out)));
            EXPECT_EQ(text_of(co_await rig.connection->read(watchdog())), "result 1 {}");
            EXPECT_EQ(authorization.challenge, "Bearer");
            EXPECT_EQ(logins, (std::vector<bool>{true, false})) << "the session is not told of the login";
            EXPECT_EQ(authorization.asked, (std::vector<std::string>{"POST /mcp", "POST /mcp"}));
            EXPECT_EQ(rig.seen.back().header("x-team"), "blue");
            EXPECT_EQ(rig.seen.back().header("content-type"), "application/json");
            co_await rig.connection->close();
        },
        false);
}

TEST(HttpCaller, PassesAFailedAuthorizationOnAndBoundsItsRounds) {
    run_rig(
        wants_t2,
        [](HttpRig& rig) -> Task<void> {
            Rotating authorization;
            auto config = rig.config();
            config.http.authorization = &authorization;
            co_await rig.connect(std::move(config));
            CO_ASSERT(rig.connection);
            HttpFailure failure;
            authorization.refuse = true;
            auto out = request(1, "tools/list", modern_params());
            out.failure = &failure;
            auto written = co_await rig.connection->write(watchdog(), std::move(out));
            EXPECT_FALSE(written.has_value());
            EXPECT_EQ(written.error().message(), "nobody is there to log in");
            EXPECT_EQ(failure.status, 401);

            authorization.refuse = false;
            authorization.round = 5;  // never returns to t2
            rig.seen.clear();
            written = co_await rig.connection->write(watchdog(), request(2, "tools/list", modern_params()));
            EXPECT_FALSE(written.has_value());
            EXPECT_EQ(written.error().code(), ErrorCode::kUnauthorized);
            EXPECT_EQ(rig.seen.size(), 5u);
            co_await rig.connection->close();
        },
        false);
}

TEST(HttpCaller, ShowsRequestsAndResponsesToTheTapWithSecretsMasked) {
    run_rig(
        [](HttpRig&, const Context& ctx, http::Exchange& exchange, const Seen& seen) -> Task<void> {
            co_await say_json(ctx, exchange, 200, result_for(seen), {{"Set-Cookie", "s3cret"}});
        },
        [](HttpRig& rig) -> Task<void> {
            std::string trace;
            auto config = rig.config();
            config.http.url = rig.url("/mcp?key=s3cret");
            config.http.headers = {{"X-Api-Key", "s3cret"}};
            config.http.tap = [&trace](const WireEvent& event) {
                trace += event.direction == WireEvent::Direction::kSent ? "> " : "< ";
                trace += std::string(event.method) + " " + std::to_string(event.status) + " " + std::string(event.text);
                for (const auto& [name, value] : event.headers) trace += " " + name + "=" + value;
                trace += " " + std::string(event.url) + "\n";
            };
            co_await rig.connect(std::move(config));
            CO_ASSERT(rig.connection);
            EXPECT_TRUE(co_await rig.connection->write(watchdog(), request(1, "tools/list", modern_params())));
            co_await rig.connection->close();
            EXPECT_EQ(rig.seen.front().header("x-api-key"), "s3cret");
            EXPECT_FALSE(trace.contains("s3cret")) << trace;
            EXPECT_TRUE(trace.contains("> POST 0 {\"jsonrpc\"")) << trace;
            EXPECT_TRUE(trace.contains("X-Api-Key=***")) << trace;
            EXPECT_TRUE(trace.contains("< POST 200")) << trace;
            EXPECT_TRUE(trace.contains("\"result\":{}")) << trace;
        },
        false);
}

TEST(HttpCaller, RefusesConfigurationThatCouldNotBeSent) {
    run_rig(
        wants_t2,
        [](HttpRig& rig) -> Task<void> {
            auto config = rig.config();
            config.http.headers = {{"X-Evil", "a\r\nX-Other: b"}};
            auto refused = co_await StreamableHttpTransport(config).connect(watchdog());
            CO_ASSERT(!refused);
            EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
            co_await rig.connect(rig.config());
            CO_ASSERT(rig.connection);
            auto out = request(1, "x", modern_params());
            out.headers = {{"Mcp-Param-X", "a\nb"}};
            auto written = co_await rig.connection->write(watchdog(), std::move(out));
            CO_ASSERT(!written);
            EXPECT_EQ(written.error().code(), ErrorCode::kInvalidArgument);
            EXPECT_TRUE(rig.seen.empty());
        },
        false);
}

}  // namespace
}  // namespace gantry::mcp
