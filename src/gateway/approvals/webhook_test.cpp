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

/// The bytes another implementation gives: printf '1.x' | openssl dgst -sha256 -hmac key.
TEST(WebhookSignature, IsPlainHmac) {
    EXPECT_EQ(sign_webhook("key", "x", 1), "t=1,v1=fc4913c41a7bf793267e2a384f3261c9436ec2cd097bd745e7b0d99113f510ec");
}

std::int64_t now() {
    return std::chrono::floor<seconds>(std::chrono::system_clock::now()).time_since_epoch().count();
}

/// A receiver that answers as the test says.
struct Receiver {
    std::string approved = "true";
    std::string secret = "s3cret";
    std::string id;  // empty: the question's own
    int status = 200;
    Json asked;
    bool was_signed = false;

    Task<void> answer(const Context& ctx, http::Exchange& exchange) {
        auto body = co_await exchange.read_all(ctx, 1u << 20);
        was_signed = is_signed("s3cret", *body, exchange.headers().get("Gantry-Signature").value_or(""), now());
        asked = *Json::parse(*body);
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

/// What the question came to; empty: nothing.
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
        while (said.empty() && !noted && !(ends_silently && peer.asked.is_object())) co_await one_turn();
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

}  // namespace
}  // namespace gantry::gateway
