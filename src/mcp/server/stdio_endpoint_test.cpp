#include "mcp/server/stdio_endpoint.hpp"

#include "io/net/memory_stream.hpp"
#include "mcp/server/line_reader.hpp"
#include "mcp/server/test_rig.hpp"

namespace gantry::mcp::testing {
namespace {

using ::testing::HasSubstr;

/// A client at the other end of two pipes.
struct Pipes {
    explicit Pipes(std::size_t capacity = 64u << 10)
        : to_server(net::make_memory_streams(capacity)),
          to_client(net::make_memory_streams(capacity)),
          lines(*to_client.second, 64u << 20) {
        backend.self->self = {.name = "fake", .version = "1"};
        backend.self->capabilities.tools = ListChangedCapability{.list_changed = true};
        backend.self->capabilities.resources = ResourcesCapability{.subscribe = true, .list_changed = true};
        backend.self->capabilities.logging = JsonObject{};
    }
    Task<void> say(std::string bytes) {
        EXPECT_TRUE((co_await to_server.first->write(patiently(), bytes)).has_value());
    }
    /// The next message; null at end of stream.
    Task<Json> hear() {
        const auto line = co_await lines.next(patiently());
        if (!line || !*line) co_return Json();
        co_return Json::parse(**line).value_or(Json("unreadable"));
    }
    Task<void> finish() { (void)co_await to_server.first->shutdown_write(patiently()); }

    FakeBackend backend;
    std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> to_server;
    std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> to_client;
    LineReader lines;
    StdioEndpointOptions options;
    std::optional<Result<void>> outcome;
};

using PipeTest = Task<void> (*)(Pipes& pipes);

Task<void> serve(Pipes& pipes) {
    pipes.outcome = co_await serve_lines(patiently(), *pipes.to_server.second, *pipes.to_client.first, pipes.backend,
                                         pipes.options, seconds(5));
    pipes.to_client.first->close();
}

Task<void> piped(PipeTest body, StdioEndpointOptions options) {
    Pipes pipes;
    pipes.options = options;
    Scope scope(patiently());
    scope.spawn(serve(pipes));
    co_await body(pipes);
    pipes.backend.open = true;
    pipes.backend.changed.pulse();
    co_await pipes.finish();
    while (!(co_await pipes.hear()).is_null()) {}
    co_await scope.join();
    EXPECT_TRUE(pipes.outcome && pipes.outcome->has_value());
    EXPECT_TRUE(pipes.backend.watches.empty());
}

void run_pipe(PipeTest body, StdioEndpointOptions options = {}) {
    Loop loop;
    loop.run_until_done(piped(body, options));
}

constexpr const char* kHello =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}})"
    "\n";
constexpr const char* kReady = R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                               "\n";

TEST(Stdio, BothErasShareOnePipe) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("1", "server/discover") + "\n");
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/result/supportedVersions/0")->dump(), "\"2026-07-28\"");
        co_await pipes.say(legacy_request("2", "tools/list") + "\n");
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32600") << "before initialize";
        co_await pipes.say(legacy_request("3", "ping") + "\n");
        EXPECT_EQ((co_await pipes.hear()).dump(), R"({"jsonrpc":"2.0","id":3,"result":{}})");
        co_await pipes.say(kHello);
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/result/protocolVersion")->dump(), "\"2025-11-25\"");
        co_await pipes.say(kReady);
        co_await pipes.say(kHello);
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32600") << "once only";
        co_await pipes.say(legacy_request("4", "tools/list") + "\n" + modern_body("5", "tools/list") + "\n");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "4");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "5");
        EXPECT_THAT(pipes.backend.seen, ::testing::ElementsAre("tools/list 2025-11-25", "tools/list 2026-07-28"));
    });
}

TEST(Stdio, WhatIsSentBehindInitializeIsServedOnceThatIsAnswered) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        pipes.backend.slow_profile = true;
        co_await pipes.say(std::string(kHello) + kReady + legacy_request("1", "tools/list") + "\n" +
                           legacy_request("2", "ping") + "\n");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "2") << "a ping waits for nothing";
        EXPECT_TRUE(pipes.backend.seen.empty());
        pipes.backend.open = true;
        pipes.backend.changed.pulse();
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/result/protocolVersion")->dump(), "\"2025-11-25\"");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "1");
        EXPECT_EQ(pipes.backend.watches.size(), 1u) << "initialized counts too";
    });
}

TEST(Stdio, OddLinesDoNotEndTheConversation) {
    StdioEndpointOptions options;
    options.max_line_bytes = 2000;
    run_pipe(
        [](Pipes& pipes) -> Task<void> {
            co_await pipes.say("\n\r\n  \n");
            co_await pipes.say("not json\n");
            const Json unread = co_await pipes.hear();
            EXPECT_EQ(unread.at_pointer("/error/code")->dump(), "-32700");
            EXPECT_EQ(unread.find("id"), nullptr);
            co_await pipes.say(std::string(50'000, 'x') + "\n");
            EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32600");
            co_await pipes.say("[]\n");
            EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32600");
            co_await pipes.say(modern_body("1", "tools/list") + "\r\n");
            EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "1");
            co_await pipes.say(modern_body("2", "tools/list"));  // no line end before end of stream
            co_await pipes.finish();
            EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "2");
        },
        options);
}

TEST(Stdio, ToldToFinishItReadsNoMoreAndStillAnswersWhatRuns) {
    static CancelSource finish;
    static bool was_last = false;
    StdioEndpointOptions options;
    options.finish = finish.token();
    options.on_last = [] { was_last = true; };
    run_pipe(
        [](Pipes& pipes) -> Task<void> {
            pipes.backend.open = false;
            co_await pipes.say(modern_body("1", "tools/call", call("wait")) + "\n");
            while (pipes.backend.seen.empty()) co_await one_turn();
            finish.cancel();
            while (!was_last) co_await one_turn();
            pipes.backend.open = true;
            pipes.backend.changed.pulse();
            EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "1");
            EXPECT_TRUE((co_await pipes.hear()).is_null()) << "the end";
        },
        options);
}

TEST(Stdio, ModernRungsHoldWithoutHeaders) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("1", "ping") + "\n");
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32601");
        co_await pipes.say(
            R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"
            "\n");
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32602");
        co_await pipes.say(modern_body("3", "tools/call", call("ask")) + "\n");
        EXPECT_THAT((co_await pipes.hear()).dump(), HasSubstr("unsupported"));
    });
}

TEST(Stdio, CancelledCallsAreNotAnswered) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("\"w\"", "tools/call", call("wait")) + "\n");
        EXPECT_TRUE(co_await pipes.backend.until([](FakeBackend& b) { return b.waiting == 1; }));
        co_await pipes.say(modern_body("\"w\"", "tools/list") + "\n");
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/error/code")->dump(), "-32600") << "the id is in use";
        co_await pipes.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}})"
                           "\n");
        EXPECT_TRUE(co_await pipes.backend.until([](FakeBackend& b) { return b.cancelled == 1; }));
        co_await pipes.say(modern_body("2", "tools/list") + "\n");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "2");
    });
}

TEST(Stdio, LegacyClientsAreAskedAndTold) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(kHello);
        (void)co_await pipes.hear();
        co_await pipes.say(kReady);
        EXPECT_TRUE(co_await pipes.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
        pipes.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await pipes.hear()).string_at("method"), "notifications/tools/list_changed");
        co_await pipes.say(legacy_request("1", "tools/call", call("ask")) + "\n");
        const std::string id = (co_await pipes.hear()).find("id")->dump();
        co_await pipes.say(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":{"action":"decline"}})" + "\n");
        EXPECT_THAT((co_await pipes.hear()).dump(), HasSubstr("decline"));
        co_await pipes.say(legacy_request("2", "logging/setLevel", R"("level":"alert")") + "\n");
        EXPECT_EQ((co_await pipes.hear()).find("result")->dump(), "{}");
        co_await pipes.say(legacy_request("3", "level") + "\n");
        EXPECT_THAT((co_await pipes.hear()).dump(), HasSubstr("alert"));
        co_await pipes.say(legacy_request("4", "resources/subscribe", R"("uri":"test://x")") + "\n");
        EXPECT_EQ((co_await pipes.hear()).find("result")->dump(), "{}");
        pipes.backend.change({.kind = Change::Kind::kUpdated, .uri = "test://x"});
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/params/uri")->dump(), "\"test://x\"");
    });
}

TEST(Stdio, SubscriptionsAreToldApartByTheirIds) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})") +
                           "\n");
        EXPECT_EQ((co_await pipes.hear()).string_at("method"), "notifications/subscriptions/acknowledged");
        co_await pipes.say(
            modern_body("\"1\"", "subscriptions/listen", R"("notifications":{"promptsListChanged":true})") + "\n");
        (void)co_await pipes.hear();
        pipes.backend.change({.kind = Change::Kind::kPrompts});
        constexpr const char* kId = "/params/_meta/io.modelcontextprotocol~1subscriptionId";
        EXPECT_EQ((co_await pipes.hear()).at_pointer(kId)->dump(), "\"1\"");
        co_await pipes.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})"
                           "\n");
        EXPECT_TRUE(co_await pipes.backend.until([](FakeBackend& b) { return b.watches.size() == 1; }));
        pipes.backend.change({.kind = Change::Kind::kTools});
        EXPECT_EQ((co_await pipes.hear()).at_pointer(kId)->dump(), "1");
        co_await pipes.finish();
        const Json end = co_await pipes.hear();
        EXPECT_EQ(end.find("id")->dump(), "1");
        EXPECT_EQ(end.at_pointer("/result/resultType")->dump(), "\"complete\"");
    });
}

TEST(Stdio, LongAnswersAreOneLineAndBrokenOnesBecomeErrors) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("1", "tools/call", call("chatty stream")) + "\n");
        EXPECT_EQ((co_await pipes.hear()).string_at("method"), "notifications/message");
        EXPECT_THAT((co_await pipes.hear()).at_pointer("/result/text")->dump(), HasSubstr("9 abcde0"));
        co_await pipes.say(modern_body("2", "tools/call", call("broken")) + "\n");
        const Json error = co_await pipes.hear();
        EXPECT_EQ(error.find("id")->dump(), "2") << "no half line comes before it";
        EXPECT_EQ(error.at_pointer("/error/code")->dump(), "-32603");
        EXPECT_THAT(error.at_pointer("/error/message")->dump(), HasSubstr("the source broke off"));
        pipes.backend.open = true;
        co_await pipes.say(modern_body("3", "tools/call", call("long")) + "\n");
        (void)co_await pipes.hear();
        EXPECT_EQ((co_await pipes.hear()).at_pointer("/result/text")->if_string()->size(), kLongPieces * 16);
    });
}

TEST(Stdio, BatchesOfTheOneRevisionThatHasThem) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        std::string hello = kHello;
        hello.replace(hello.find("2025-11-25"), 10, "2025-03-26");
        co_await pipes.say(hello);
        (void)co_await pipes.hear();
        co_await pipes.say("[" + legacy_request("1", "ping") + "," + legacy_request("2", "tools/list") + "]\n");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "1");
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "2");
    });
}

TEST(Stdio, TheEndOfInputLetsCallsFinishFirst) {
    run_pipe([](Pipes& pipes) -> Task<void> {
        co_await pipes.say(modern_body("1", "tools/call", call("wait")) + "\n");
        EXPECT_TRUE(co_await pipes.backend.until([](FakeBackend& b) { return b.waiting == 1; }));
        co_await pipes.finish();
        for (int i = 0; i < 5; ++i) co_await yield_now();
        EXPECT_FALSE(pipes.outcome);
        pipes.backend.open = true;
        pipes.backend.changed.pulse();
        EXPECT_EQ((co_await pipes.hear()).find("id")->dump(), "1");
    });
}

TEST(Stdio, AFloodOfNotificationsIsBoundedAndTheAnswerArrives) {
    StdioEndpointOptions options;
    options.max_queued_bytes = 32u << 10;
    run_pipe(
        [](Pipes& pipes) -> Task<void> {
            co_await pipes.say(modern_body("1", "tools/call", call("flood")) + "\n");
            std::size_t heard = 0;
            for (Json message = co_await pipes.hear(); message.find("id") == nullptr; message = co_await pipes.hear()) {
                CO_ASSERT(!message.is_null());
                ++heard;
            }
            EXPECT_EQ(heard + pipes.backend.dropped, 2000u);
            EXPECT_GT(pipes.backend.dropped, 1900u);
        },
        options);
}

}  // namespace
}  // namespace gantry::mcp::testing
