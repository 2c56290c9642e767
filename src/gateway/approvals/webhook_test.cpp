#include "gateway/approvals/webhook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "gantry/json.hpp"
#include "gateway/approvals/signed_answer.hpp"
#include "io/http/server.hpp"
#include "io/loop.hpp"

namespace gantry::gateway {
namespace {

bool is_signed(std::string_view secret, std::string_view body, std::string_view signature, std::int64_t now) {
    return check_signature(secret, body, signature, now).has_value();
}

TEST(WebhookSignature, HoldsForTheSecretTheBodyAndTheTime) {
    const std::string signature = sign_webhook("key", "body", 1000);
    EXPECT_EQ(sign_webhook("key", "The quick brown fox", 7), sign_webhook("key", "The quick brown fox", 7));
    EXPECT_TRUE(is_signed("key", "body", signature, 1000));
    EXPECT_TRUE(is_signed("key", "body", signature, 1300));
    EXPECT_FALSE(is_signed("key", "body", signature, 1301));
    EXPECT_FALSE(is_signed("key", "body", signature, 600));
    EXPECT_FALSE(is_signed("other", "body", signature, 1000));
    EXPECT_FALSE(is_signed("key", "other", signature, 1000));
    EXPECT_FALSE(is_signed("", "body", sign_webhook("", "body", 1000), 1000)) << "no secret signs nothing";
    for (const char* wrong : {"", "t=", "t=1000", "v1=00", "t=x,v1=00"})
        EXPECT_FALSE(is_signed("key", "body", wrong, 1000)) << wrong;
}

/// The output of another implementation: printf '1.x' | openssl dgst -sha256 -hmac key.
TEST(WebhookSignature, IsPlainHmac) {
    EXPECT_EQ(sign_webhook("key", "x", 1), "t=1,v1=fc4913c41a7bf793267e2a384f3261c9436ec2cd097bd745e7b0d99113f510ec");
}

std::int64_t now() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

/// A receiver configured by the test.
struct Receiver {
    std::string approved = "true";
    std::string secret = "s3cret";
    std::string id;  // empty: the question's own
    int status = 200;
    int in_trouble = 0;  // number of 503 responses before the first answer
    Json asked;
    bool was_signed = false;

    Task<void> answer(const Context& ctx, http::Exchange& exchange) {
        auto body = co_await exchange.read_all(ctx, 1u << 20);
        was_signed = is_signed("s3cret", *body, exchange.headers().get("Gantry-Signature").value_or(""), now());
        asked = *Json::parse(*body);
        if (in_trouble-- > 0) {
            (void)co_await exchange.respond(ctx, 503, {}, "");
            co_return;
        }
        const std::string about = id.empty() ? std::string(asked.string_at("id")) : id;
        const std::string text = R"({"id":")" + about + R"(","approved":)" + approved + R"(,"reason":"r"})";
        http::Headers headers;
        headers.set("Gantry-Signature", sign_webhook(secret, text, now()));
        (void)co_await exchange.respond(ctx, status, headers, text);
    }
};

Task<Result<void>> take_down(std::string& said, std::string id, ApprovalAnswer answer) {
    said = id + (answer.approved ? " yes " : " no ") + answer.reason;
    co_return Result<void>();
}

/// The outcome of the question; empty: none.
std::string outcome(Receiver receiver, Json* asked = nullptr, const std::string& answer_url = {}) {
    Loop loop;
    return loop.run_until_done([](Loop& on, Receiver& peer, Json* seen, std::string later) -> Task<std::string> {
        http::Server server(
            on, {}, [&peer](const Context& ctx, http::Exchange& exchange) { return peer.answer(ctx, exchange); });
        EXPECT_TRUE(server.start().has_value());
        std::string said;
        bool noted = false;
        ApprovalWebhook webhook(
            on,
            {.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/ask",
             .secret = "s3cret",
             .answer_url = later},
            [&said](std::string id, ApprovalAnswer answer) -> Task<Result<void>> {
                return take_down(said, std::move(id), std::move(answer));
            },
            [&noted](std::string_view) { noted = true; });
        const PendingApproval approval{
            .id = "q1", .source = "shop", .tool = "buy", .arguments = R"({"n":1})", .expires_ms = (now() + 30) * 1000};
        webhook.approval_requested({.approval = approval});
        const bool ends_silently = peer.status == 202;
        const bool recovers = peer.in_trouble > 0;
        while (said.empty() && !(noted && !recovers) && !(ends_silently && peer.asked.is_object())) co_await one_turn();
        co_await webhook.stop();
        co_await server.stop(seconds(1));
        EXPECT_TRUE(peer.was_signed);
        if (seen != nullptr) *seen = peer.asked;
        co_return said;
    }(loop, receiver, asked, answer_url));
}

TEST(ApprovalWebhook, ShowsTheQuestionSignedAndTakesASignedAnswer) {
    Json asked;
    EXPECT_EQ(outcome({}, &asked), "q1 yes r");
    EXPECT_EQ(asked.string_at("server"), "shop");
    EXPECT_EQ(asked.at_pointer("/arguments/n")->as_int(), 1);
    EXPECT_EQ(outcome({.approved = "false"}), "q1 no r");
}

TEST(ApprovalWebhook, SaysWhereToAnswerLaterOnlyWhereThatIsKnown) {
    Json asked;
    outcome({}, &asked);
    EXPECT_EQ(asked.find("answerUrl"), nullptr);
    outcome({}, &asked, "https://gateway.example/mcp/approvals");
    EXPECT_EQ(asked.string_at("answerUrl"), "https://gateway.example/mcp/approvals/q1");
}

TEST(ApprovalWebhook, WhatIsNotSignedNotAboutItOrNoAnswerDecidesNothing) {
    EXPECT_EQ(outcome({.secret = "wrong"}), "");
    EXPECT_EQ(outcome({.id = "q2"}), "");
    EXPECT_EQ(outcome({.approved = "\"yes\""}), "");
    EXPECT_EQ(outcome({.status = 500}), "");
    EXPECT_EQ(outcome({.status = 202}), "");
}

TEST(ApprovalWebhook, AReceiverInTroubleIsAskedAgain) {
    EXPECT_EQ(outcome({.in_trouble = 2}), "q1 yes r");
}

class ReceiversTest : public ::testing::Test {
protected:
    /// Never answers, but records questions and disconnects.
    struct Silent {
        Silent(Loop& loop, ReceiversTest& test)
            : server(loop, {}, [this, &test](const Context& ctx, http::Exchange& exchange) {
                  return test.listen(ctx, exchange, *this);
              }) {
            EXPECT_TRUE(server.start().has_value());
        }
        ApprovalWebhookOptions options() {
            return {.url = "http://127.0.0.1:" + std::to_string(server.port()) + "/ask", .secret = "s3cret"};
        }
        int asked = 0;
        int left = 0;
        http::Server server;
    };
    Task<void> listen(const Context& ctx, http::Exchange& exchange, Silent& who) {
        auto body = co_await exchange.read_all(ctx, 1u << 20);
        EXPECT_TRUE(body.has_value());
        ++who.asked;
        auto gone = co_await exchange.wait_for_disconnect(ctx);
        static_cast<void>(gone);
        EXPECT_TRUE(ctx.check().has_value()) << "the receiver was ended instead";
        ++who.left;
    }
    static Task<void> until(const int& count, int reached) {
        while (count < reached) co_await one_turn();
    }
    Task<void> questions_move() {
        ApprovalWebhook webhook(loop, before.options(),
                                [](std::string, ApprovalAnswer) -> Task<Result<void>> { co_return Result<void>(); });
        const PendingApproval first{.id = "q1", .expires_ms = (now() + 30) * 1000};
        const PendingApproval second{.id = "q2", .expires_ms = (now() + 30) * 1000};
        webhook.approval_requested({.approval = first});
        co_await until(before.asked, 1);
        webhook.configure(after.options());
        webhook.approval_requested({.approval = second});
        co_await until(after.asked, 1);
        EXPECT_EQ(before.asked, 1);
        EXPECT_EQ(before.left, 0) << "it may still answer what it was asked";
        // Answered through another channel: the request is cancelled.
        webhook.approval_answered({.approval = first});
        co_await until(before.left, 1);
        webhook.approval_answered({.approval = second});
        co_await until(after.left, 1);
        webhook.configure({});
        webhook.approval_requested({.approval = first});
        co_await webhook.stop();
        EXPECT_EQ(before.asked + after.asked, 2);
        co_await before.server.stop(seconds(1));
        co_await after.server.stop(seconds(1));
    }
    Loop loop;
    Silent before{loop, *this};
    Silent after{loop, *this};
};

TEST_F(ReceiversTest, AnotherOneIsAskedFromThenOnAndNobodyAfterTheAnswer) {
    loop.run_until_done(questions_move());
}

}  // namespace
}  // namespace gantry::gateway
