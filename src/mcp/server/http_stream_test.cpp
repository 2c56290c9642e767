// Event streams of legacy sessions: messages before an answer, questions, GET, and resumption.
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void release(FakeBackend& backend) {
    backend.open = true;
    backend.changed.pulse();
}

std::string data_of(const Json& message) {
    const Json* data = message.at_pointer("/params/data");
    return data != nullptr ? data->dump() : message.dump();
}

TEST(LegacyStream, BeginsWithAnIdForClientsThatKnowThatForm) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize("2025-11-25"));
        const Reply reply = co_await rig.legacy(legacy_request("1", "tools/call", call("progress")));
        EXPECT_TRUE(reply.is_stream());
        EXPECT_EQ(reply.body.rfind("id: ", 0), 0u) << reply.body;
        EXPECT_THAT(reply.body, HasSubstr("\ndata: \n\nevent: message\nid: "));
        EXPECT_EQ(reply.messages().size(), 3u);
        CO_ASSERT(co_await rig.initialize("2025-06-18"));
        const Reply older = co_await rig.legacy(legacy_request("1", "tools/call", call("progress")));
        EXPECT_EQ(older.body.rfind("event: message\nid: ", 0), 0u) << older.body;
    });
}

TEST(LegacyStream, AQuestionGoesOutAndItsAnswerIsPosted) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("ask")));
        CO_ASSERT(stream);
        const Json question = co_await stream->message();
        EXPECT_EQ(question.string_at("method"), "elicitation/create");
        EXPECT_EQ(question.at_pointer("/params/message")->dump(), "\"well?\"");
        const std::string id = question.find("id")->dump();
        EXPECT_EQ((co_await rig.legacy(R"({"jsonrpc":"2.0","id":"nobody","result":{}})")).status, 202);
        const Reply posted =
            co_await rig.legacy(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"accept"}})");
        EXPECT_EQ(posted.status, 202);
        const Json answer = co_await stream->message();
        EXPECT_EQ(answer.find("id")->dump(), "5");
        EXPECT_EQ(answer.at_pointer("/result/said")->dump(), R"("{\"action\":\"accept\"}")");
        EXPECT_TRUE((co_await stream->message()).is_null());
    });
}

TEST(LegacyStream, AnErrorIsAnAnswerToAQuestionToo) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("ask")));
        CO_ASSERT(stream);
        const std::string id = (co_await stream->message()).find("id")->dump();
        (void)co_await rig.legacy(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-1,"message":"no"}})");
        EXPECT_EQ((co_await stream->message()).at_pointer("/result/said")->dump(), "\"server error\"");
    });
}

TEST(LegacyStream, AnUnansweredQuestionIsTakenBack) {
    HttpEndpointOptions options;
    options.ask_timeout = milliseconds(30);
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("ask")));
            CO_ASSERT(stream);
            const Json question = co_await stream->message();
            const Json taken_back = co_await stream->message();
            EXPECT_EQ(taken_back.string_at("method"), "notifications/cancelled");
            EXPECT_EQ(*taken_back.at_pointer("/params/requestId"), *question.find("id"));
            EXPECT_EQ((co_await stream->message()).at_pointer("/result/said")->dump(), "\"timeout\"");
        },
        options);
}

TEST(LegacyStream, NobodyElseAnswersAQuestion) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("ask")));
        CO_ASSERT(stream);
        const std::string id = (co_await stream->message()).find("id")->dump();
        const std::string own = rig.session;
        CO_ASSERT(co_await rig.initialize());
        (void)co_await rig.legacy(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"from":"another session"}})");
        rig.session = own;
        (void)co_await rig.legacy(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"from":"the right one"}})");
        EXPECT_THAT((co_await stream->message()).dump(), HasSubstr("the right one"));
    });
}

TEST(LegacyStream, WhatABrokenStreamMissedIsSentToWhoeverComesBack) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("chat")));
        CO_ASSERT(stream);
        EXPECT_EQ(data_of(co_await stream->message()), "\"before\"");
        const std::string last = stream->last_id;
        stream->abort();
        release(rig.backend);
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 0; }));
        EXPECT_EQ(rig.backend.cancelled, 0u) << "going away is not cancelling";
        Fields fields = rig.session_headers();
        fields.emplace_back("Last-Event-ID", last);
        auto again = co_await rig.open("GET", "", fields);
        CO_ASSERT(again);
        EXPECT_EQ(data_of(co_await again->message()), "\"after\"");
        EXPECT_EQ((co_await again->message()).find("id")->dump(), "5");
        EXPECT_TRUE((co_await again->message()).is_null()) << "it ends with the answer";
    });
}

TEST(LegacyStream, AClientThatComesBackEarlyGetsTheRestAsItHappens) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("chat")));
        CO_ASSERT(stream);
        (void)co_await stream->message();
        const std::string last = stream->last_id;
        stream->abort();
        Fields fields = rig.session_headers();
        fields.emplace_back("Last-Event-ID", last);
        auto again = co_await rig.open("GET", "", fields);
        CO_ASSERT(again);
        release(rig.backend);
        EXPECT_EQ(data_of(co_await again->message()), "\"after\"");
        EXPECT_EQ((co_await again->message()).find("id")->dump(), "5");
        EXPECT_TRUE((co_await again->message()).is_null());
    });
}

TEST(LegacyStream, HangingUpTellsWhenToComeBackAndKeepsTheAnswer) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.legacy_stream(legacy_request("5", "tools/call", call("hang")));
        CO_ASSERT(stream);
        std::optional<milliseconds> retry;
        while (const auto event = co_await stream->next()) {
            if (event->retry) retry = event->retry;
            EXPECT_EQ(event->data, "");
        }
        EXPECT_FALSE(stream->broken());
        EXPECT_EQ(retry, milliseconds(10));
        CO_ASSERT(!stream->last_id.empty());
        EXPECT_EQ(rig.backend.waiting, 1u);
        Fields fields = rig.session_headers();
        fields.emplace_back("Last-Event-ID", stream->last_id);
        auto again = co_await rig.open("GET", "", fields);
        CO_ASSERT(again);
        release(rig.backend);
        EXPECT_EQ((co_await again->message()).find("id")->dump(), "5");
    });
}

TEST(LegacyStream, JsonOnlyHasNoWayBack) {
    HttpEndpointOptions options;
    options.json_only = true;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            const Reply asked = co_await rig.legacy(legacy_request("1", "tools/call", call("ask")));
            EXPECT_EQ(asked.header("content-type"), "application/json");
            EXPECT_THAT(asked.body, HasSubstr("unsupported"));
            EXPECT_EQ((co_await rig.send("GET", "", rig.session_headers())).status, 405);
            rig.backend.open = true;
            EXPECT_EQ((co_await rig.legacy(legacy_request("2", "tools/call", call("hang")))).status, 200);
        },
        options);
}

TEST(GetStream, CarriesWhatIsToldUnasked) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(stream && stream->status() == 200);
        EXPECT_EQ(stream->header("content-type"), "text/event-stream");
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
        EXPECT_EQ(rig.endpoint->counts().streams, 1u);
        rig.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await stream->message()).dump(),
                  R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});  // no client subscribed
        EXPECT_EQ((co_await rig.legacy(legacy_request("1", "resources/subscribe", R"("uri":"test://x")"))).error(), 0);
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});
        EXPECT_EQ((co_await stream->message()).at_pointer("/params/uri")->dump(), "\"test://x\"");
        EXPECT_EQ((co_await rig.legacy(legacy_request("2", "resources/unsubscribe", R"("uri":"test://x")"))).body,
                  R"({"jsonrpc":"2.0","id":2,"result":{}})");
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});
        rig.backend.change({.kind = Change::Kind::kResources});
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/resources/list_changed");
        const Reply missing =
            co_await rig.legacy(legacy_request("3", "resources/subscribe", R"("uri":"test://missing")"));
        EXPECT_EQ(missing.error(), -32002);
        EXPECT_EQ((co_await rig.legacy(legacy_request("4", "resources/subscribe"))).error(), -32602);
        stream->abort();
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.empty(); }));
    });
}

TEST(GetStream, ASecondOneReplacesTheFirst) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto first = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(first);
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
        auto second = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(second && second->status() == 200);
        EXPECT_TRUE((co_await first->message()).is_null());
        EXPECT_FALSE(first->broken());
        rig.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await second->message()).string_at("method"), "notifications/tools/list_changed");
    });
}

TEST(GetStream, WhatASubscriberMissedWaitsForTheNextStream) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        EXPECT_EQ((co_await rig.legacy(legacy_request("1", "resources/subscribe", R"("uri":"test://x")"))).error(), 0);
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});
        rig.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});
        rig.backend.change({.kind = Change::Kind::kTools});
        auto stream = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(stream);
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/resources/updated");
        EXPECT_EQ((co_await stream->message()).string_at("method"), "notifications/tools/list_changed")
            << "once is enough";
        const std::string last = stream->last_id;
        stream->abort();
        rig.backend.change({.kind = Change::Kind::kResources});
        Fields fields = rig.session_headers();
        fields.emplace_back("Last-Event-ID", last);
        auto again = co_await rig.open("GET", "", fields);
        CO_ASSERT(again);
        EXPECT_EQ((co_await again->message()).string_at("method"), "notifications/resources/list_changed");
    });
}

TEST(GetStream, AnIdOfBeforeTheRestartOpensAPlainStream) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        const Reply before = co_await rig.legacy(legacy_request("1", "tools/call", call("progress")));
        const std::size_t at = before.body.find("id: ") + 4;
        const std::string id = before.body.substr(at, before.body.find('\n', at) - at);
        co_await rig.restart();
        for (const std::string& from : {id, std::string("nonsense")}) {
            Fields fields = rig.session_headers();
            fields.emplace_back("Last-Event-ID", from);
            auto stream = co_await rig.open("GET", "", fields);
            CO_ASSERT(stream && stream->status() == 200);
            EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
            stream->abort();
            EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.watches.empty(); }));
        }
    });
}

TEST(GetStream, EndsWithItsSession) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(stream);
        EXPECT_EQ((co_await rig.send("DELETE", "", rig.session_headers())).status, 204);
        EXPECT_TRUE((co_await stream->message()).is_null());
        EXPECT_FALSE(stream->broken());
    });
}

TEST(GetStream, DrainingEndsItCleanly) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        auto stream = co_await rig.open("GET", "", rig.session_headers());
        CO_ASSERT(stream);
        rig.endpoint->drain();
        EXPECT_TRUE((co_await stream->message()).is_null());
        EXPECT_FALSE(stream->broken());
    });
}

TEST(GetStream, TheNumberOfStreamsIsBounded) {
    HttpEndpointOptions options;
    options.max_streams = 1;
    run_rig(
        [](Rig& rig) -> Task<void> {
            CO_ASSERT(co_await rig.initialize());
            auto stream = co_await rig.open("GET", "", rig.session_headers());
            CO_ASSERT(stream);
            CO_ASSERT(co_await rig.initialize());
            EXPECT_EQ((co_await rig.send("GET", "", rig.session_headers())).status, 503);
            stream->abort();
        },
        options);
}

TEST(SlowReader, LosesNotificationsBeyondTheBoundButNotTheAnswer) {
    HttpEndpointOptions options;
    options.max_queued_bytes = 64u << 10;
    run_rig(
        [](Rig& rig) -> Task<void> {
            const Reply reply = co_await rig.modern("1", "tools/call", call("flood"));
            // All were offered without suspending, so nothing could be written in between.
            EXPECT_GT(rig.backend.dropped, 1900u);
            EXPECT_LT(rig.backend.dropped, 2000u);
            const auto messages = reply.messages();
            CO_ASSERT(!messages.empty());
            EXPECT_EQ(messages.size() - 1 + rig.backend.dropped, 2000u);
            EXPECT_EQ(messages.back().find("id")->dump(), "1");
        },
        options);
}

TEST(Closing, CancelsWhatDoesNotEndInTime) {
    run_rig([](Rig& rig) -> Task<void> {
        CO_ASSERT(co_await rig.initialize());
        Scope scope(patiently());
        constexpr auto kLegacy = [](Rig& on) -> Task<void> {
            (void)co_await on.legacy(legacy_request("1", "tools/call", call("wait")));
        };
        constexpr auto kModern = [](Rig& on) -> Task<void> {
            (void)co_await on.modern("1", "tools/call", call("wait"));
        };
        scope.spawn(kLegacy(rig));
        scope.spawn(kModern(rig));
        EXPECT_TRUE(co_await rig.backend.until([](FakeBackend& b) { return b.waiting == 2; }));
        co_await rig.endpoint->close(milliseconds(1));
        EXPECT_EQ(rig.backend.cancelled, 2u);
        co_await scope.join();
    });
}

}  // namespace
}  // namespace gantry::mcp::testing
