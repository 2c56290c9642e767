#include "gateway/approvals/answer_endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "gantry/json.hpp"
#include "gateway/approvals/signed_answer.hpp"
#include "io/http/client.hpp"
#include "io/loop.hpp"
#include "io/net/egress.hpp"

namespace gantry::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kSecret = "s3cret";
const std::string kYes = R"({"id":"q1","approved":true,"reason":"fine"})";

std::int64_t now() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

struct Sent {
    std::string body = kYes;
    std::string signature = sign_webhook(kSecret, kYes, now());
    std::string path = "/mcp/approvals/q1";
    std::string method = "POST";
};
struct Got {
    int status = 0;
    std::string code = {};
    std::string message = {};
    std::string body = {};
};

/// The endpoint behind a real listener, with one open question.
class AnswerEndpointTest : public testing::Test {
protected:
    Task<Result<void>> hear(std::string id, ApprovalAnswer answer) {
        if (broken) co_return fail(ErrorCode::kInternal, "the disk is full");
        if (!open.erase(id)) co_return fail(ErrorCode::kNotFound, "no approval '" + id + "' is waiting");
        heard.push_back(id + (answer.approved ? " yes " : " no ") + answer.reason);
        EXPECT_EQ(answer.channel, AnswerChannel::kWebhook);
        co_return Result<void>();
    }

    Got send(Sent sent) {
        return loop.run_until_done([](AnswerEndpointTest& test, Sent what) -> Task<Got> {
            http::Server server(test.loop, {}, [&test](const Context& ctx, http::Exchange& exchange) {
                return test.endpoint.handle(ctx, exchange);
            });
            EXPECT_TRUE(server.start().has_value());
            const Context ctx = Context::background().within(seconds(30));
            const net::EgressGuard guard{net::EgressRules{}};
            http::Client client(test.loop, guard, {});
            http::Request request{.method = what.method,
                                  .url = *Url::parse("http://127.0.0.1:" + std::to_string(server.port()) + what.path)};
            request.body = what.body;
            if (!what.signature.empty()) request.headers.set("Gantry-Signature", what.signature);
            Got got;
            {
                auto response = co_await client.send(ctx, std::move(request));
                EXPECT_TRUE(response.has_value()) << response.error().to_string();
                got.status = response->status();
                got.body = *co_await response->read_all(ctx, 1u << 20);
            }
            if (const auto json = Json::parse(got.body)) {
                if (const Json* error = json->find("error")) {
                    got.code = error->string_at("code");
                    got.message = error->string_at("message");
                }
            }
            client.close();
            co_await server.stop(seconds(1));
            co_return got;
        }(*this, std::move(sent)));
    }

    Loop loop;
    std::set<std::string> open{"q1", "q2"};
    std::vector<std::string> heard;
    std::vector<std::string> noted;
    bool broken = false;
    AnswerEndpoint endpoint{
        std::string(kSecret),
        [this](std::string id, ApprovalAnswer answer) { return hear(std::move(id), std::move(answer)); },
        [this](std::string_view text) { noted.emplace_back(text); }};
};

TEST_F(AnswerEndpointTest, ASignedAnswerDecidesOnce) {
    const Got first = send({});
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, R"({"id":"q1","approved":true})");
    EXPECT_THAT(heard, ElementsAre("q1 yes fine"));
    const Got replayed = send({});
    EXPECT_EQ(replayed.status, 404);
    EXPECT_EQ(heard.size(), 1u);
}

TEST_F(AnswerEndpointTest, NobodyWithoutTheSecretAnswers) {
    const std::string no = R"({"id":"q1","approved":false})";
    EXPECT_THAT(send({.signature = ""}).message, HasSubstr("not signed"));
    EXPECT_THAT(send({.signature = sign_webhook("wrong", kYes, now())}).message, HasSubstr("not made with the secret"));
    EXPECT_THAT(send({.body = no}).message, HasSubstr("not made with the secret")) << "another body";
    EXPECT_THAT(send({.signature = sign_webhook(kSecret, kYes, now() - 301)}).message, HasSubstr("five minutes"));
    EXPECT_THAT(send({.signature = sign_webhook(kSecret, kYes, now() + 400)}).message, HasSubstr("five minutes"));
    for (const char* odd : {"t=", "t=1", "v1=00", "t=x,v1=00", "x", "t=99999999999999999999,v1=00"})
        EXPECT_EQ(send({.signature = odd}).status, 401) << odd;
    EXPECT_EQ(send({.body = "not even JSON", .signature = ""}).status, 401) << "the signature comes first";
    EXPECT_EQ(send({.signature = "", .path = "/mcp/approvals/unknown"}).status, 401) << "nor learns what is open";
    EXPECT_TRUE(heard.empty());
    EXPECT_EQ(noted.size(), 1u) << "told, but not for each";
}

TEST_F(AnswerEndpointTest, AnAnswerIsForItsOwnQuestion) {
    const Got other = send({.path = "/mcp/approvals/q2"});
    EXPECT_EQ(other.status, 400);
    EXPECT_THAT(other.message, HasSubstr("another question"));
    EXPECT_TRUE(heard.empty());
}

TEST_F(AnswerEndpointTest, WhatIsNoAnswerIsRefusedPrecisely) {
    const auto refusal = [this](const std::string& body) {
        const Got got = send({.body = body, .signature = sign_webhook(kSecret, body, now())});
        EXPECT_EQ(got.status, 400) << body;
        return got.message;
    };
    EXPECT_THAT(refusal("{"), HasSubstr("not a JSON object"));
    EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
    EXPECT_THAT(refusal(R"({"id":"q1"})"), HasSubstr("approved"));
    EXPECT_THAT(refusal(R"({"id":"q1","approved":"yes"})"), HasSubstr("approved"));
    EXPECT_THAT(refusal(R"({"approved":true})"), HasSubstr("id"));
    EXPECT_THAT(refusal(R"({"id":"../q1","approved":true})"), HasSubstr("id"));
    EXPECT_EQ(send({.method = "GET"}).status, 405);
    EXPECT_EQ(send({.body = std::string(100'000, ' ')}).status, 413);
    EXPECT_TRUE(heard.empty());
}

TEST_F(AnswerEndpointTest, WhatCannotBeKeptIsSaidToBeTriedAgain) {
    broken = true;
    EXPECT_EQ(send({}).status, 503);
    broken = false;
    EXPECT_EQ(send({}).status, 200);
}

}  // namespace
}  // namespace gantry::gateway
