// Failing consumers of records: a journal that cannot be written; webhook receivers, feed followers, a trace collector
// and a reader of standard error that are dead or send endless answers.
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>

#include "bad_clients/rig.hpp"
#include "support/raw_server.hpp"

namespace gantry::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMegabyte = 1u << 20;

class RecordsTest : public BadClientTest {
protected:
    void SetUp() override {}

    template <class ConfigFor>
    void expect_endless_answers_unread(ConfigFor config_for, int calls, const char* metric_name, int taken);

    /// Makes calls over one connection; `padding` enlarges their records where arguments are recorded.
    void call_many(int count, std::size_t padding = 10) const {
        RawClient client = connect();
        const std::string bytes =
            request("POST", "/mcp", modern("1", "tools/call", echo_params(std::string(padding, 'x'))),
                    modern_fields("tools/call", "demo_echo"));
        for (int i = 0; i < count; ++i) {
            client.send(bytes);
            ASSERT_EQ(client.reply().status, 200) << i;
        }
    }
    void let_files_grow_to(rlim_t bytes) const {
        rlimit limit{};
        ASSERT_EQ(::prlimit(pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
        limit.rlim_cur = bytes;
        ASSERT_EQ(::prlimit(pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
    }
    bool logged(std::string_view text) { return gateway().child().wait_for_output(text); }
};

/// A receiver that accepts requests and never answers.
RawServer::Serve silent() {
    return [](RawServer& server, int socket) {
        if (!RawServer::read_request(socket).empty()) server.hold(socket);
    };
}

/// Unread bytes of an answer that kernel buffers may hold, on both sides of a connection.
constexpr std::size_t kBuffers = 16 * kMegabyte;

/// A receiver whose answers never end; counts the bytes sent.
RawServer::Serve endless(std::atomic<std::size_t>& sent) {
    return [&sent](RawServer&, int socket) {
        if (RawServer::read_request(socket).empty()) return;
        RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n");
        const std::string piece(65'536, 'e');
        while (::send(socket, piece.data(), piece.size(), MSG_NOSIGNAL) > 0) sent += piece.size();
    };
}

std::string webhook(const RawServer& receiver, const std::string& more = {}) {
    return "webhooks:\n  - {name: bad, url: \"" + receiver.url("/") +
           "\", secret: sixteen-bytes-at-least, allow_private: true" + more + "}\n";
}

std::string traces(const RawServer& collector) {
    return "traces: {url: \"" + collector.url("/v1/traces") + "\"}\n";
}

/// Makes `calls` calls and waits until `metric_name` reports that `taken` records were delivered to a receiver whose
/// answers never end.
template <class ConfigFor>
void RecordsTest::expect_endless_answers_unread(ConfigFor config_for, int calls, const char* metric_name, int taken) {
    std::atomic<std::size_t> sent = 0;
    RawServer receiver(endless(sent));
    start("demo_tools: true\n" + config_for(receiver));
    Bystander bystander(port(), pid());
    call_many(calls);
    EXPECT_TRUE(eventually([&] { return metric(metric_name) >= taken; }));
    bystander.expect_unharmed(24 * kMegabyte);
    EXPECT_LT(sent, static_cast<std::size_t>(receiver.connections()) * kBuffers);
    gateway_gone();
}

TEST_F(RecordsTest, ThoseThatCannotBeWrittenAreBoundedAndTheLossIsCountedAndTold) {
    start("demo_tools: true\naudit: {queue_bytes: 64KB, arguments: values, gather: 5ms}\n");
    Bystander bystander(port(), pid());
    let_files_grow_to(100'000);
    // Records of 8 KB: 16 MB for a queue of 64 KB and a file of 100 KB.
    call_many(2000, 8000);
    EXPECT_GT(metric("gantry_records_dropped_total"), 1000);
    bystander.expect_unharmed(24 * kMegabyte);
    let_files_grow_to(RLIM_INFINITY);
    EXPECT_TRUE(logged("is recorded again"));
    EXPECT_TRUE(eventually([this] {
        return ask({"audit", "show", "--type", "records.lost"}).find("gantry.records.lost.v1") != std::string::npos;
    }));
}

TEST_F(RecordsTest, WhereLossIsRefusedCallsAreRefusedInstead) {
    start("demo_tools: true\naudit: {queue_bytes: 64KB, arguments: values, gather: 5ms, on_failure: refuse}\n");
    Bystander bystander(port(), pid());
    call_many(10, 8000);
    bystander.expect_unharmed(24 * kMegabyte);  // its own calls are refused from here on
    let_files_grow_to(100'000);
    RawReply refused;
    for (int i = 0; i < 2000 && refused.code() == 0; ++i) {
        refused = post_modern("1", "tools/call", echo_params(std::string(8000, 'x')), "demo_echo");
    }
    EXPECT_THAT(refused.body, HasSubstr("recorded"));
    const std::size_t before = memory();
    for (int i = 0; i < 2000; ++i) {
        ASSERT_NE(post_modern("1", "tools/call", echo_params(std::string(8000, 'x')), "demo_echo").code(), 0);
    }
    expect_below(peak(), before + 24 * kMegabyte);
    let_files_grow_to(RLIM_INFINITY);
    EXPECT_TRUE(eventually([this] { return call_echo("again") == "again"; }));
}

TEST_F(RecordsTest, AWebhookReceiverThatNeverAnswersCostsNoMemoryAndEndsInDeadLetters) {
    RawServer receiver(silent());
    start("demo_tools: true\n" + webhook(receiver, ", max_attempts: 1, first_retry: 1ms, timeout: 200ms"));
    Bystander bystander(port(), pid());
    call_many(5000);
    EXPECT_TRUE(eventually([this] { return ask({"events", "--dead"}).find("bad") != std::string::npos; }))
        << ask({"events", "--dead"});
    EXPECT_GT(metric("gantry_webhook_failures_total"), 0);
    bystander.expect_unharmed(24 * kMegabyte);
    gateway_gone();
}

TEST_F(RecordsTest, AWebhookReceiverWhoseAnswersHaveNoEndIsNotReadFurther) {
    expect_endless_answers_unread([](const RawServer& receiver) { return webhook(receiver); }, 100,
                                  "gantry_webhook_deliveries_total", 50);
}

TEST_F(RecordsTest, ACollectorThatNeverAnswersLosesSpansThatAreCounted) {
    RawServer collector(silent());
    start("demo_tools: true\n" + traces(collector));
    Bystander bystander(port(), pid());
    call_many(3 * 2048);
    EXPECT_GE(metric("gantry_spans_dropped_total"), 2 * 2048);
    bystander.expect_unharmed(24 * kMegabyte);
    gateway_gone();
}

TEST_F(RecordsTest, ACollectorWhoseAnswersHaveNoEndIsNotReadFurther) {
    expect_endless_answers_unread(traces, 2048, "gantry_spans_sent_total", 1024);
}

TEST_F(RecordsTest, FollowersOfTheFeedThatDoNotReadMissEventsAndHoldNobodyUp) {
    constexpr int kMost = 8;
    start("demo_tools: true\naudit: {arguments: values}\nfeed: {max_subscribers: 8}\n");
    Bystander bystander(port(), pid());
    std::vector<RawClient> asleep;
    for (int i = 0; i < kMost; ++i) {
        asleep.push_back(connect());
        // Half of them read live events, half read from the journal, where nothing is queued for them in memory.
        asleep.back().send(request("GET", i % 2 == 0 ? "/events?at_once=yes" : "/events", ""));
        ASSERT_TRUE(asleep.back().see("200 OK"));
    }
    for (int i = 0; i < 5; ++i) {
        const RawReply late = say(request("GET", "/events", ""));
        EXPECT_EQ(late.status, 503);
        EXPECT_EQ(late.header("retry-after"), "5");
    }
    EXPECT_TRUE(eventually([this] {
        call_many(500, 8000);
        return metric("gantry_feed_missed_total") > 5000;
    })) << metric("gantry_feed_missed_total");
    bystander.expect_unharmed(64 * kMegabyte);
    EXPECT_TRUE(asleep.front().see("event: gantry.feed.missed"));
}

TEST_F(RecordsTest, AReaderOfStandardErrorThatSleepsLosesLinesAndIsToldHowMany) {
    start("demo_tools: true\nlog: {calls: true, form: json}\n");
    Bystander bystander(port(), pid());
    // The test reads the gateway's standard error only below: a pipe of 64 KB is full after some 300 lines.
    call_many(5000);
    bystander.expect_unharmed(16 * kMegabyte);
    EXPECT_TRUE(eventually([this] {
        call_many(1);  // the first line after the pipe has been emptied reports how many were lost
        return gateway().child().wait_for_output("were lost, because the log was not read", std::chrono::seconds(1));
    }));
}

}  // namespace
}  // namespace gantry::testing
