#include "gateway/events/writer.hpp"

#include <gmock/gmock.h>

#include "gateway/events/test_outcome.hpp"
#include "gateway/events/verify.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class WriterTest : public ::testing::Test {
protected:
    WriterTest() { std::filesystem::create_directories(folder()); }

    std::unique_ptr<Writer> writer(AuditOptions options, JournalOptions journal = {.run = "run"}) {
        journal.busy = options.busy;
        return std::make_unique<Writer>(
            loop, options,
            Writer::Parts{.folder = folder(),
                          .journal = std::move(journal),
                          .note = [this](std::string_view text) { notes.emplace_back(text); },
                          .on_news = [this] { ++news; }});
    }
    std::filesystem::path folder() const { return folder_.path() / "state"; }
    Verdict verdict() const { return *verify_journal(folder()); }

    /// Another process that locks the database.
    Database lock() const {
        auto database = *Database::open(journal_file(folder()), seconds(1));
        EXPECT_TRUE(database.execute("BEGIN IMMEDIATE").has_value());
        return database;
    }

    static constexpr AuditOptions kBefore{
        .mode = AuditMode::kBeforeAnswer, .busy = milliseconds(50), .retry = milliseconds(20)};
    Loop loop;
    std::vector<std::string> notes;
    int news = 0;
    TemporaryFolder folder_;
};

Task<void> stop(Writer& writer) {
    co_await writer.stop();
}

Task<Result<void>> keep_one(Writer& writer) {
    Record record = record_of(good_call());
    const auto ticket = writer.keep(record);
    if (ticket == 0) co_return fail(ErrorCode::kInternal, "nothing to wait for");
    co_return co_await writer.kept(Context::background().within(seconds(30)), ticket);
}

Task<void> until(bool (*met)(const Writer&), const Writer& writer) {
    while (!met(writer)) {
        auto slept = co_await sleep_for(Context::background(), milliseconds(5));
        static_cast<void>(slept);
    }
}

TEST_F(WriterTest, InAsyncModeNothingWaitsAndEverythingIsKeptAtTheEnd) {
    auto writer = this->writer({.gather = milliseconds(5)});
    ASSERT_TRUE(writer->start().has_value());
    for (int i = 0; i < 20'000; ++i) {
        EXPECT_EQ(writer->keep(record_of(good_call())), 0u);
        if (i % 1000 == 0)
            loop.run_until_done(
                until([](const Writer& w) { return w.counts().kept + 2000 > w.counts().taken; }, *writer));
    }
    loop.run_until_done(stop(*writer));
    EXPECT_EQ(writer->counts().kept, 20'000u);
    EXPECT_EQ(writer->counts().dropped, 0u);
    EXPECT_LT(writer->counts().commits, 5'000u) << "records share commits";
    EXPECT_EQ(verdict().entries, 20'000);
    EXPECT_THAT(verdict().faults, IsEmpty());
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(WriterTest, WhoAsksDoesNotWaitForWhatIsGathered) {
    auto writer = this->writer({.gather = std::chrono::hours(1)});
    ASSERT_TRUE(writer->start().has_value());
    // Often enough that some requests arrive just as the thread starts to gather.
    for (std::uint64_t i = 1; i <= 1'000; ++i) {
        writer->keep(record_of(good_call()));
        const auto flushed = loop.run_until_done(writer->flush(Context::background().within(seconds(30))));
        ASSERT_TRUE(flushed.has_value()) << flushed.error().message();
        ASSERT_EQ(writer->counts().kept, i);
    }
    loop.run_until_done(stop(*writer));
}

TEST_F(WriterTest, AnswersBeginToWaitAndStopWaitingWhileItRuns) {
    AuditOptions options{.gather = std::chrono::hours(1), .busy = milliseconds(50), .retry = milliseconds(20)};
    auto writer = this->writer(options);
    ASSERT_TRUE(writer->start().has_value());
    std::int64_t entries = 0;
    // Often enough that some records fall between the loop's change of mode and the thread's.
    for (int i = 0; i < 200; ++i) {
        options.mode = AuditMode::kAsync;
        writer->configure(options, {});
        EXPECT_EQ(writer->keep(record_of(good_call())), 0u);
        options.mode = AuditMode::kBeforeAnswer;
        writer->configure(options, {});
        const auto kept = loop.run_until_done(keep_one(*writer));
        ASSERT_TRUE(kept.has_value()) << kept.error().message();
        entries += 2;
    }
    EXPECT_EQ(verdict().entries, entries) << "also what was gathered before";

    const Database somebody = lock();
    EXPECT_FALSE(writer->refusal());
    EXPECT_TRUE(loop.run_until_done(keep_one(*writer)).has_value()) << "on_failure: continue";
    EXPECT_FALSE(writer->refusal());
    options.on_failure = OnAuditFailure::kRefuse;
    writer->configure(options, {});
    EXPECT_TRUE(writer->refusal()) << "counts at once, also while the store fails";
    loop.run_until_done(stop(*writer));
}

TEST_F(WriterTest, BeforeAnAnswerTheRecordIsOnDisk) {
    auto writer = this->writer(kBefore);
    ASSERT_TRUE(writer->start().has_value());
    for (int i = 1; i <= 20; ++i) {
        const auto kept = loop.run_until_done(keep_one(*writer));
        ASSERT_TRUE(kept.has_value()) << kept.error().message();
        EXPECT_EQ(verdict().entries, i);
    }
    loop.run_until_done(stop(*writer));
}

TEST_F(WriterTest, WhatIsTooMuchIsDroppedCountedAndToldInTheJournalItself) {
    auto writer = this->writer({.busy = milliseconds(20), .retry = milliseconds(20), .queue_bytes = 8192});
    ASSERT_TRUE(writer->start().has_value());
    {
        const Database held = lock();
        for (int i = 0; i < 200; ++i) writer->keep(record_of(good_call()));
        EXPECT_GT(writer->counts().dropped, 100u);
        loop.run_until_done(until([](const Writer& w) { return w.counts().failing; }, *writer));
    }
    loop.run_until_done(until([](const Writer& w) { return !w.counts().failing; }, *writer));
    loop.run_until_done(stop(*writer));
    const auto counts = writer->counts();
    EXPECT_EQ(counts.kept + counts.dropped, 200u);
    EXPECT_EQ(verdict().entries, static_cast<std::int64_t>(counts.kept) + 1);
    EXPECT_THAT(verdict().faults, IsEmpty());
    EXPECT_THAT(notes, ElementsAre(HasSubstr("cannot be recorded"), HasSubstr("recorded again")));
    auto database = *Database::open(journal_file(folder()), seconds(1), false);
    auto query = *database.prepare("SELECT data FROM events WHERE type = 'gantry.records.lost.v1'");
    ASSERT_TRUE(*query.step());
    EXPECT_EQ(query.text(0), R"({"count":)" + std::to_string(counts.dropped) + "}");
}

TEST_F(WriterTest, ALockedDatabaseWithholdsAnswersWhereThatWasAskedFor) {
    AuditOptions options = kBefore;
    options.on_failure = OnAuditFailure::kRefuse;
    auto writer = this->writer(options);
    ASSERT_TRUE(writer->start().has_value());
    EXPECT_EQ(writer->refusal(), nullptr);
    {
        const Database held = lock();
        const auto kept = loop.run_until_done(keep_one(*writer));
        ASSERT_FALSE(kept.has_value());
        EXPECT_THAT(kept.error().message(), HasSubstr("withheld"));
        ASSERT_NE(writer->refusal(), nullptr);
        EXPECT_THAT(writer->refusal()->message(), HasSubstr("locked"));
    }
    loop.run_until_done(until([](const Writer& w) { return w.refusal() == nullptr; }, *writer));
    EXPECT_TRUE(loop.run_until_done(keep_one(*writer)).has_value());
    EXPECT_EQ(verdict().entries, 2) << "what could not be kept in time was kept later";
    loop.run_until_done(stop(*writer));
}

TEST_F(WriterTest, ALockedDatabaseDelaysAnswersOnlyOnceWhereCallsGoOn) {
    auto writer = this->writer(kBefore);
    ASSERT_TRUE(writer->start().has_value());
    {
        const Database held = lock();
        EXPECT_TRUE(loop.run_until_done(keep_one(*writer)).has_value());
        EXPECT_EQ(writer->refusal(), nullptr);
    }
    loop.run_until_done(stop(*writer));
    EXPECT_EQ(verdict().entries, 1);
}

TEST_F(WriterTest, AFolderThatCannotBeWrittenRefusesToStartOrIsToldAndTriedAgain) {
    std::filesystem::remove_all(folder());
    AuditOptions options{.on_failure = OnAuditFailure::kRefuse, .retry = milliseconds(20)};
    {
        auto writer = this->writer(options);
        const auto started = writer->start();
        ASSERT_FALSE(started.has_value());
        EXPECT_THAT(started.error().message(), HasSubstr("on_failure: refuse"));
    }
    options.on_failure = OnAuditFailure::kContinue;
    auto writer = this->writer(options);
    ASSERT_TRUE(writer->start().has_value());
    writer->keep(record_of(good_call()));
    loop.run_until_done(until([](const Writer& w) { return w.counts().failing; }, *writer));
    std::filesystem::create_directories(folder());
    loop.run_until_done(until([](const Writer& w) { return !w.counts().failing; }, *writer));
    loop.run_until_done(stop(*writer));
    EXPECT_EQ(verdict().entries, 1);
}

TEST_F(WriterTest, ALostEndIsWrittenDownWhereEverybodyWillFindIt) {
    {
        auto writer = this->writer({});
        ASSERT_TRUE(writer->start().has_value());
        for (int i = 0; i < 5; ++i) writer->keep(record_of(good_call()));
        loop.run_until_done(stop(*writer));
    }
    auto database = *Database::open(journal_file(folder()), seconds(1));
    ASSERT_TRUE(database.execute("DROP TRIGGER events_last; DELETE FROM events WHERE seq > 3").has_value());
    auto writer = this->writer({});
    ASSERT_TRUE(writer->start().has_value());
    EXPECT_THAT(notes, ElementsAre(HasSubstr("the last entry was 5:")));
    writer->keep(record_of(good_call()));
    loop.run_until_done(stop(*writer));
    EXPECT_THAT(verdict().faults, ElementsAre(HasSubstr("before entry 4 entries were lost")));
}

Task<Result<std::int64_t>> count_entries(Writer& writer) {
    co_return co_await writer.ask<std::int64_t>(
        Context::background(), [](Journal& journal) -> Result<std::int64_t> { return journal.head().seq; });
}

TEST_F(WriterTest, JobsRunOnTheJournalBetweenBatchesAndNewsIsTold) {
    auto writer = this->writer(kBefore, {.run = "run", .consumers = {{"all", [](std::string_view) { return true; }}}});
    ASSERT_TRUE(writer->start().has_value());
    ASSERT_TRUE(loop.run_until_done(keep_one(*writer)).has_value());
    EXPECT_EQ(loop.run_until_done(count_entries(*writer)), 1);
    EXPECT_EQ(news, 1);
    loop.run_until_done(stop(*writer));
    EXPECT_FALSE(loop.run_until_done(count_entries(*writer)).has_value()) << "it is closed";
}

}  // namespace
}  // namespace gantry::gateway::events
