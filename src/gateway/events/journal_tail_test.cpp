// The feed with a journal: a reader that was away resumes where it left off.
#include "gateway/events/journal_tail.hpp"

#include <gmock/gmock.h>

#include "gateway/events/feed.hpp"
#include "gateway/events/test_outcome.hpp"
#include "gateway/events/test_receiver.hpp"
#include "io/http/client.hpp"
#include "io/net/egress.hpp"
#include "io/sse/parser.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::HasSubstr;

/// One connection to the feed.
struct Line {
    http::Response response;
    sse::Parser parser = sse::Parser();
};

class JournalTailTest : public ::testing::Test {
protected:
    JournalTailTest() {
        std::filesystem::create_directories(folder());
        start();
    }
    ~JournalTailTest() override { stop(); }

    void start(AuditOptions audit = {.gather = milliseconds(1)}, std::size_t retain = 10'000'000) {
        writer = std::make_unique<Writer>(
            loop, audit,
            Writer::Parts{.folder = folder(), .journal = {.run = "run", .busy = audit.busy, .retain_entries = retain}});
        ASSERT_TRUE(writer->start().has_value());
        bus = std::make_unique<Bus>(BusOptions{});
        bus->set_durable_sink(writer.get());
        tail = std::make_unique<JournalTail>(*writer, folder());
        feed = std::make_unique<Feed>(FeedOptions{.max_subscribers = 4},
                                      Feed::Parts{.bus = *bus, .run = "run", .journal = tail.get()});
        server = std::make_unique<http::Server>(
            loop, http::ServerOptions{},
            [this](const Context& ctx, http::Exchange& exchange) { return feed->serve(ctx, exchange); });
        ASSERT_TRUE(server->start().has_value());
    }
    void stop() {
        feed->hang_up();
        loop.run_until_done(server->stop(seconds(5)));
        loop.run_until_done(writer->stop());
        server.reset();
        feed.reset();
        tail.reset();
        writer.reset();
    }
    Line listen(const std::string& last_id = {}, const std::string& query = {}) {
        http::Request request{
            .url = *Url::parse("http://127.0.0.1:" + std::to_string(server->port()) + "/events" + query)};
        if (!last_id.empty()) request.headers.set("Last-Event-ID", last_id);
        auto response = loop.run_until_done(client.send(Context::background().within(seconds(30)), std::move(request)));
        EXPECT_TRUE(response.has_value());
        EXPECT_EQ(response->status(), 200);
        return {.response = *std::move(response)};
    }
    static Task<sse::Event> read(Line& line) {
        while (true) {
            while (auto event = line.parser.next()) {
                if (event->has_data) co_return *std::move(event);
            }
            auto piece = co_await line.response.read(Context::background().within(seconds(30)));
            if (!piece || !*piece) co_return sse::Event{.data = "the end"};
            static_cast<void>(line.parser.feed(**piece));
        }
    }
    sse::Event next(Line& line) { return loop.run_until_done(read(line)); }
    void happen(int count) {
        for (int i = 0; i < count; ++i) bus->record(good_call());
    }
    /// Waits until everything that has happened is in the file.
    void settle() {
        EXPECT_TRUE(loop.run_until_done(until([this] { return writer->counts().kept == writer->counts().taken; })));
    }
    std::int64_t prune() {
        auto gone = loop.run_until_done(ask_prune(*writer));
        EXPECT_TRUE(gone.has_value());
        return gone ? *gone : -1;
    }
    static Task<Result<std::int64_t>> ask_prune(Writer& writer) {
        co_return co_await writer.ask<std::int64_t>(Context::background(),
                                                    [](Journal& journal) { return journal.prune(unix_micros()); });
    }
    static Task<void> flush(Writer& writer) { EXPECT_TRUE((co_await writer.flush(Context::background())).has_value()); }
    std::filesystem::path folder() const { return folder_.path() / "state"; }

    Loop loop;
    TemporaryFolder folder_;
    std::unique_ptr<Writer> writer;
    std::unique_ptr<Bus> bus;
    std::unique_ptr<JournalTail> tail;
    std::unique_ptr<Feed> feed;
    std::unique_ptr<http::Server> server;
    net::EgressGuard guard;
    http::Client client{loop, guard};
};

TEST_F(JournalTailTest, TellsWhatIsCommittedWithTheNumbersOfEntriesAsIds) {
    happen(3);
    settle();
    Line line = listen();
    happen(2);
    for (const char* id : {"4", "5"}) {
        const sse::Event event = next(line);
        EXPECT_EQ(event.id, id) << "what was before is not told to whoever comes for the first time";
        EXPECT_EQ(event.type, "gantry.tool.called.v1");
        EXPECT_EQ(Json::parse(event.data)->string_at("sequence"), id);
    }
    happen(1);
    EXPECT_EQ(next(line).id, "6");
}

TEST_F(JournalTailTest, TheSameEntriesHaveOtherNamesForReadersThatWantThem) {
    happen(1);
    settle();
    Line runtime = listen("0", "?names=mcp&type=mcp.*");
    Line usual = listen("0");
    const sse::Event told = next(runtime);
    EXPECT_EQ(told.type, "mcp.tool_called");
    EXPECT_EQ(told.id, "1");
    EXPECT_EQ(Json::parse(told.data)->at_pointer("/data/mcp_server")->dump(), R"("files")");
    EXPECT_EQ(next(usual).type, "gantry.tool.called.v1");
}

TEST_F(JournalTailTest, BeginsWithWhatHappensAfterItWasAskedNotWithWhatIsStillOnItsWay) {
    stop();
    // Nothing is written for an hour unless it is requested.
    start({.gather = std::chrono::hours(1)});
    happen(3);
    Line line = listen();
    EXPECT_EQ(writer->counts().kept, 3u);
    happen(1);
    loop.run_until_done(flush(*writer));
    EXPECT_EQ(next(line).id, "4");
}

TEST_F(JournalTailTest, WhoComesBackGoesOnWhereItWasWithoutGapOrRepetition) {
    // More than a page, so that reading overlaps with new entries.
    happen(2500);
    settle();
    Line line = listen("17");
    happen(700);
    for (int i = 18; i <= 3200; ++i) ASSERT_EQ(next(line).id, std::to_string(i));
    line.response.abort();
    Line by_query = listen({}, "?after=3199");
    EXPECT_EQ(next(by_query).id, "3200");
    Line header_wins = listen("3198", "?after=0");
    EXPECT_EQ(next(header_wins).id, "3199") << "a browser repeats its query and says in the header where it is";
}

TEST_F(JournalTailTest, GoesOnAfterARestart) {
    happen(2);
    settle();
    Line line = listen("1");
    EXPECT_EQ(next(line).id, "2");
    stop();
    EXPECT_EQ(next(line).data, "the end");
    start();
    happen(1);
    Line again = listen("2");
    EXPECT_EQ(next(again).id, "3");
}

TEST_F(JournalTailTest, CanBeNarrowedDownAndPassesByPagesNobodyWants) {
    happen(2500);
    bus->publish({.type = event_type::kSourceState, .subject = "files"});
    happen(5);
    settle();
    Line line = listen("0", "?type=source.*");
    EXPECT_EQ(next(line).id, "2501");
    happen(1);
    bus->publish({.type = event_type::kSourceState, .subject = "files"});
    EXPECT_EQ(next(line).id, "2508");
}

TEST_F(JournalTailTest, AGapThatCannotBeFilledIsTold) {
    stop();
    start({.gather = milliseconds(1)}, 3);
    happen(10);
    settle();
    prune();
    Line line = listen("2");
    const sse::Event gap = next(line);
    EXPECT_EQ(gap.type, "gantry.feed.missed");
    EXPECT_EQ(*Json::parse(gap.data)->find("count"), Json(5)) << "3 to 7";
    EXPECT_EQ(gap.id, "7") << "so that it is told once";
    EXPECT_EQ(next(line).id, "8");

    for (const char* strange : {"4711", "-1", "run-7", "99999999999999999999"}) {
        Line lost = listen(strange);
        const sse::Event told = next(lost);
        EXPECT_EQ(told.type, "gantry.feed.missed") << strange;
        EXPECT_THAT(told.data, HasSubstr(strange));
        EXPECT_EQ(told.id, "10");
        lost.response.abort();
        EXPECT_TRUE(loop.run_until_done(until([this] { return feed->subscribers() == 1; })));
    }
}

TEST_F(JournalTailTest, AReaderThatSleepsHoldsNobodyUpAndMissesNothing) {
    Line sleeping = listen();
    Line awake = listen();
    for (int i = 0; i < 20; ++i) {
        happen(500);
        for (int k = 1; k <= 500; ++k) ASSERT_EQ(next(awake).id, std::to_string(500 * i + k));
    }
    for (int i = 1; i <= 10'000; ++i) ASSERT_EQ(next(sleeping).id, std::to_string(i));
}

TEST_F(JournalTailTest, AStoreThatFailsIsToldToWhoeverWaits) {
    Line line = listen();
    auto locked = Database::open(journal_file(folder()), seconds(5));
    ASSERT_TRUE(locked.has_value());
    stop();
    start({.gather = milliseconds(1), .busy = milliseconds(1), .retry = milliseconds(20)});
    Line waiting = listen();
    Line at_once = listen({}, "?at_once=yes");
    ASSERT_TRUE(locked->execute("BEGIN IMMEDIATE").has_value());
    happen(1);
    const sse::Event first = next(at_once);
    EXPECT_EQ(first.type, "gantry.tool.called.v1") << "without the store";
    EXPECT_EQ(first.id, std::nullopt);
    const sse::Event stalled = next(waiting);
    EXPECT_EQ(stalled.type, "gantry.feed.stalled");
    EXPECT_THAT(stalled.data, HasSubstr("locked"));
    ASSERT_TRUE(locked->execute("COMMIT").has_value());
    EXPECT_EQ(next(waiting).id, "1");
}

}  // namespace
}  // namespace gantry::gateway::events
