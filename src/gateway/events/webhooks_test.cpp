#include "gateway/events/webhooks.hpp"

#include <gmock/gmock.h>
#include <algorithm>

#include "base/crypto/base64url.hpp"
#include "base/crypto/sha256.hpp"
#include "gateway/events/test_outcome.hpp"
#include "gateway/events/test_receiver.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Counts = std::map<std::string, std::map<std::string, std::int64_t>>;

class WebhooksTest : public ::testing::Test {
protected:
    WebhooksTest() { std::filesystem::create_directories(folder()); }
    ~WebhooksTest() override {
        stop();
        loop.run_until_done(receiver.stop());
    }

    WebhookOptions hook() {
        return {.name = "pager",
                .url = receiver.url(),
                .secret = "a secret of enough length",
                .first_retry = milliseconds(5),
                .allow_private = true};
    }
    void start(std::vector<WebhookOptions> options) {
        writer =
            std::make_unique<Writer>(loop, AuditOptions{.gather = milliseconds(1)},
                                     Writer::Parts{.folder = folder(),
                                                   .journal = {.run = "run", .consumers = Webhooks::consumers(options)},
                                                   .on_news = [this] {
                                                       if (webhooks) webhooks->news();
                                                   }});
        ASSERT_TRUE(writer->start().has_value());
        auto made =
            Webhooks::make(loop, std::move(options),
                           {.writer = *writer, .note = [this](std::string_view text) { notes.emplace_back(text); }});
        ASSERT_TRUE(made.has_value()) << made.error().message();
        webhooks = *std::move(made);
        loop.run_until_done(start_on_loop(*webhooks));
    }
    static Task<void> start_on_loop(Webhooks& webhooks) {
        webhooks.start(true);
        co_return;
    }
    void stop() {
        if (webhooks) loop.run_until_done(webhooks->stop());
        if (writer) loop.run_until_done(writer->stop());
        webhooks.reset();
        writer.reset();
    }
    void happen(int count, bool failed = false) {
        for (int i = 0; i < count; ++i) {
            Outcome outcome = good_call();
            outcome.tool_failed = failed;
            Record record = record_of(outcome);
            record.number = ++number_;
            writer->keep(record);
        }
    }
    bool eventually(std::function<bool()> met) { return loop.run_until_done(until(std::move(met))); }
    Counts counts() {
        auto asked = loop.run_until_done(ask_counts(*writer));
        EXPECT_TRUE(asked.has_value());
        return asked ? *asked : Counts();
    }
    bool eventually_are(const std::string& state, std::int64_t count) {
        for (int i = 0; i < 3000; ++i) {
            if (counts()["pager"][state] == count) return true;
            loop.run_until_done(sleep_a_little());
        }
        return false;
    }
    static Task<void> sleep_a_little() {
        auto slept = co_await sleep_for(Context::background(), milliseconds(10));
        static_cast<void>(slept);
    }
    static Task<Result<Counts>> ask_counts(Writer& writer) {
        co_return co_await writer.ask<Counts>(Context::background(), [](Journal& journal) { return journal.counts(); });
    }
    static Task<Result<std::int64_t>> revive(Writer& writer) {
        co_return co_await writer.ask<std::int64_t>(
            Context::background(), [](Journal& journal) { return journal.revive("pager", unix_micros()); });
    }
    std::filesystem::path folder() const { return folder_.path() / "state"; }

    Loop loop;
    Receiver receiver{loop};
    TemporaryFolder folder_;
    std::vector<std::string> notes;
    std::unique_ptr<Writer> writer;
    std::unique_ptr<Webhooks> webhooks;
    std::uint64_t number_ = 0;
};

TEST_F(WebhooksTest, WhatIsRevivedIsTriedAtOnceThoughTheReceiverWasLeftAlone) {
    auto options = hook();
    options.max_attempts = 1;
    options.first_retry = std::chrono::hours(1);
    receiver.status = [](std::size_t n) { return n == 0 ? 503 : 204; };
    start({options});
    happen(1);
    ASSERT_TRUE(eventually_are("dead_letter", 1));
    EXPECT_EQ(*loop.run_until_done(revive(*writer)), 1);
    webhooks->try_now();
    EXPECT_TRUE(eventually([&] { return webhooks->delivered() == 1; }));
    EXPECT_THAT(webhooks->names(), ::testing::ElementsAre("pager"));
}

TEST_F(WebhooksTest, AReceiverMayHaveTheNamesOfAgentRuntimes) {
    auto options = hook();
    options.names = EventNames::kMcp;
    options.events = {"mcp.tool_*"};
    start({options});
    happen(1);
    happen(1, true);
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 2; }));
    ASSERT_THAT(receiver.got, SizeIs(2));
    const Json called = *Json::parse(receiver.got[0].body), failed = *Json::parse(receiver.got[1].body);
    EXPECT_EQ(called.string_at("type"), "mcp.tool_called");
    EXPECT_EQ(called.at_pointer("/data/tool_name")->dump(), R"("files_read")");
    EXPECT_EQ(failed.string_at("type"), "mcp.tool_failed");
}

TEST_F(WebhooksTest, DeliversEachEventOnceInOrderAndSigned) {
    start({hook()});
    happen(5);
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 5; }));
    ASSERT_THAT(receiver.got, SizeIs(5));
    for (std::size_t i = 0; i < 5; ++i) {
        const auto& got = receiver.got[i];
        EXPECT_EQ(got.header("Content-Type"), "application/cloudevents+json");
        const Json event = *Json::parse(got.body);
        EXPECT_EQ(event.string_at("specversion"), "1.0");
        EXPECT_EQ(event.string_at("type"), "gantry.tool.called.v1");
        EXPECT_EQ(event.string_at("id"), "run-" + std::to_string(i + 1));
        EXPECT_EQ(event.string_at("id"), got.header("webhook-id"));
        EXPECT_EQ(event.string_at("subject"), "files_read");
        EXPECT_EQ(event.at_pointer("/data/server")->dump(), "\"files\"");
        const std::string signed_text =
            got.header("webhook-id") + "." + got.header("webhook-timestamp") + "." + got.body;
        EXPECT_EQ(got.header("webhook-signature"),
                  "v1," + crypto::base64_encode(crypto::hmac_sha256("a secret of enough length", signed_text)));
    }
    ASSERT_TRUE(eventually_are("done", 5));
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(WebhooksTest, GetsOnlyWhatItWants) {
    auto wanted = hook();
    wanted.events = {"tool.failed"};
    start({wanted});
    happen(3);
    happen(1, true);
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 1; }));
    EXPECT_THAT(receiver.got[0].body, HasSubstr("gantry.tool.failed.v1"));
    EXPECT_THAT(receiver.got, SizeIs(1));
}

TEST_F(WebhooksTest, ARefusalIsTriedAgainUntilItIsTaken) {
    receiver.status = [](std::size_t n) { return n < 3 ? 503 : 200; };
    start({hook()});
    happen(2);
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 2; }));
    EXPECT_EQ(webhooks->failed(), 3u);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("pager: answered 503"), HasSubstr("accepts events again")));
}

TEST_F(WebhooksTest, ADeadReceiverGetsDeadLettersAndIsReported) {
    receiver.status = [](std::size_t) { return 500; };
    auto few = hook();
    few.max_attempts = 3;
    start({few});
    happen(1);
    ASSERT_TRUE(eventually_are("dead_letter", 1));
    EXPECT_THAT(receiver.got, SizeIs(3));
    EXPECT_THAT(notes, Contains(HasSubstr("event run-1 is a dead letter: answered 500")));
}

TEST_F(WebhooksTest, OneThatIsGoneHoldsNobodyElseUp) {
    auto gone = hook();
    gone.name = "gone";
    gone.url = "http://127.0.0.1:1/";
    gone.first_retry = seconds(3600);
    start({gone, hook()});
    happen(20);
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 20; }));
    // Both receivers are served concurrently, so the refused connection may be noticed after the last delivery.
    EXPECT_TRUE(eventually([&] {
        return std::ranges::any_of(notes, [](const std::string& note) { return note.contains("webhook gone: "); });
    }));
    // The journal may not have recorded its only attempt yet.
    for (int i = 0; i < 3000 && counts()["gone"]["pending"] != 20; ++i) loop.run_until_done(sleep_a_little());
    EXPECT_EQ(counts()["gone"]["pending"], 20);
}

TEST_F(WebhooksTest, WhatWasNotDeliveredBeforeTheEndIsDeliveredAfterTheNextStart) {
    receiver.status = [](std::size_t) { return 503; };
    auto patient = hook();
    patient.first_retry = seconds(1);
    start({patient});
    happen(3);
    ASSERT_TRUE(eventually([&] { return webhooks->failed() == 1; }));
    stop();
    receiver.status = [](std::size_t) { return 200; };
    start({patient});
    ASSERT_TRUE(eventually([&] { return webhooks->delivered() == 3; }));
}

TEST_F(WebhooksTest, InsideIsOffLimitsUnlessSaidOtherwise) {
    auto strict = hook();
    strict.allow_private = false;
    start({strict});
    happen(1);
    ASSERT_TRUE(eventually([&] { return webhooks->failed() == 1; }));
    EXPECT_THAT(receiver.got, IsEmpty());
    EXPECT_THAT(notes, Contains(HasSubstr("denied")));
}

TEST(WebhookSigner, SignsAsTheSpecificationsExampleDoes) {
    const auto signer = WebhookSigner::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    ASSERT_TRUE(signer.has_value());
    EXPECT_EQ(signer->sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"),
              "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(WebhookSigner, RefusesSecretsThatAreNone) {
    EXPECT_FALSE(WebhookSigner::from("").has_value());
    EXPECT_FALSE(WebhookSigner::from("short").has_value());
    EXPECT_FALSE(WebhookSigner::from("whsec_!!!!").has_value());
}

}  // namespace
}  // namespace gantry::gateway::events
