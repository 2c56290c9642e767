#include "gateway/events/journal.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "gateway/events/test_outcome.hpp"
#include "gateway/events/verify.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JournalTest : public ::testing::Test {
protected:
    Journal open(JournalOptions options = {.run = "run"}) {
        std::filesystem::create_directories(folder());
        auto journal = Journal::open(folder(), std::move(options));
        EXPECT_TRUE(journal.has_value()) << journal.error().message();
        return *std::move(journal);
    }
    std::filesystem::path folder() const { return folder_.path() / "state"; }

    static void add(Journal& journal, int count, std::int64_t at = 1'000'000) {
        ASSERT_TRUE(journal.begin().has_value());
        for (int i = 0; i < count; ++i) {
            Record record = record_of(good_call());
            record.number = static_cast<std::uint64_t>(i + 1);
            ASSERT_TRUE(journal.append(record, at + i).has_value());
        }
        ASSERT_TRUE(journal.commit().has_value());
    }
    /// Changes the file as an attacker with access to it could.
    void tamper(const char* sql) const {
        auto database = Database::open(journal_file(folder()), seconds(1));
        ASSERT_TRUE(database.has_value());
        const auto done = database->execute(sql);
        ASSERT_TRUE(done.has_value()) << done.error().message();
    }
    std::vector<std::string> faults(const std::optional<ChainLink>& expected = {}) const {
        auto verdict = verify_journal(folder(), expected);
        if (!verdict) return {"cannot be read: " + verdict.error().message()};
        return verdict->faults;
    }

    static constexpr const char* kUnlock = "DROP TRIGGER events_stay; DROP TRIGGER events_last;";
    TemporaryFolder folder_;
};

TEST_F(JournalTest, KeepsEntriesInAChainThatVerifies) {
    {
        Journal journal = open();
        add(journal, 3);
        add(journal, 2);
        EXPECT_EQ(journal.head().seq, 5);
        EXPECT_THAT(faults(), IsEmpty()) << "while it is open";
    }
    const auto verdict = verify_journal(folder());
    ASSERT_TRUE(verdict.has_value()) << verdict.error().message();
    EXPECT_EQ(verdict->entries, 5);
    EXPECT_THAT(verdict->faults, IsEmpty());
    Journal again = open();
    add(again, 1);
    EXPECT_EQ(again.head().seq, 6);
    EXPECT_THAT(faults(verdict->head), IsEmpty()) << "what was written down before is still there";
}

TEST_F(JournalTest, IsForNobodyElseToRead) {
    Journal journal = open();
    add(journal, 1);
    for (const char* name : {"events.db", "events.db-wal", "audit.head"}) {
        struct stat info{};
        ASSERT_EQ(::stat((folder() / name).c_str(), &info), 0) << name;
        EXPECT_EQ(info.st_mode & 0777, 0600u) << name;
    }
}

TEST_F(JournalTest, WhatIsRolledBackLeavesNoTrace) {
    Journal journal = open();
    add(journal, 2);
    ASSERT_TRUE(journal.begin().has_value());
    ASSERT_TRUE(journal.append(record_of(good_call()), 1).has_value());
    journal.rollback();
    add(journal, 1);
    EXPECT_EQ(journal.head().seq, 3);
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(JournalTest, EntriesCannotBeChangedOrRemovedByAccident) {
    Journal journal = open();
    add(journal, 2);
    auto database = Database::open(journal_file(folder()), seconds(1));
    EXPECT_FALSE(database->execute("UPDATE events SET data = '{}'").has_value());
    EXPECT_FALSE(database->execute("DELETE FROM events WHERE seq = 2").has_value());
    EXPECT_THAT(faults(), IsEmpty());
}

TEST_F(JournalTest, AChangedEntryIsFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper("UPDATE events SET data = replace(data, 'local', 'other') WHERE seq = 3");
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("entry 3 was changed or moved")));
}

TEST_F(JournalTest, EveryColumnOfAnEntryCounts) {
    for (const char* change : {"at = at + 1", "id = 'run-ff'", "type = 'x'", "subject = 'x'", "correlation = 'x'",
                               "data = '{}'", "hash = zeroblob(32)", "seq = 9"}) {
        std::filesystem::remove_all(folder());
        {
            Journal journal = open();
            add(journal, 5);
        }
        tamper(kUnlock);
        tamper(("UPDATE events SET " + std::string(change) + " WHERE seq = 3").c_str());
        EXPECT_THAT(faults(), Not(IsEmpty())) << change;
    }
}

TEST_F(JournalTest, AMissingEntryIsFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper("DELETE FROM events WHERE seq = 3");
    EXPECT_THAT(faults(), Contains(HasSubstr("entries 3 to 3 are missing")));
}

TEST_F(JournalTest, EntriesThatChangedPlacesAreFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper(
        "UPDATE events SET seq = 99 WHERE seq = 2; UPDATE events SET seq = 2 WHERE seq = 3; "
        "UPDATE events SET seq = 3 WHERE seq = 99");
    EXPECT_THAT(faults(), Contains(HasSubstr("entry 2 was changed or moved")));
}

TEST_F(JournalTest, AMissingEndIsFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper("DELETE FROM events WHERE seq > 3");
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("the end is missing: entry 5 was written, the last one is 3")));
}

TEST_F(JournalTest, AMissingBeginningIsFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper(
        "UPDATE chain_start SET seq = 2, hash = (SELECT hash FROM events WHERE seq = 2); "
        "DELETE FROM events WHERE seq <= 2");
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("the beginning is missing")));
}

TEST_F(JournalTest, AnEndThatWasLostIsStillToldAfterMoreWasAdded) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    tamper(kUnlock);
    tamper("DELETE FROM events WHERE seq > 3");
    const Journal journal = open();
    EXPECT_THAT(journal.missing_at_open(), HasSubstr("the last entry was 5:"));
}

TEST_F(JournalTest, AMissingOrDamagedAnchorIsFound) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    std::ofstream(folder() / "audit.head") << "nonsense\n";
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("audit.head: is damaged")));
    EXPECT_THAT(open().missing_at_open(), HasSubstr("is damaged")) << "and the record goes on";
    std::filesystem::remove(folder() / "audit.head");
    EXPECT_THAT(faults(), ElementsAre(HasSubstr("audit.head, which says where the entries end, is gone")));
}

TEST_F(JournalTest, AChainThatWasMadeAnewIsFoundByAPlaceWrittenDownElsewhere) {
    {
        Journal journal = open();
        add(journal, 5);
    }
    const ChainLink written_down = verify_journal(folder())->head;
    EXPECT_EQ(link_from(to_text(written_down)), written_down);
    std::filesystem::remove_all(folder());
    {
        Journal journal = open();
        add(journal, 9, 2'000'000);
    }
    EXPECT_THAT(faults(), IsEmpty());
    EXPECT_THAT(faults(written_down), ElementsAre(HasSubstr("entry 5 is another one than was written")));
}

TEST_F(JournalTest, TwoProcessesMayShareOneFile) {
    Journal here = open({.run = "here"});
    Journal there = open({.run = "there"});
    for (int i = 0; i < 3; ++i) {
        add(here, 2);
        add(there, 1);
    }
    const auto verdict = verify_journal(folder());
    EXPECT_EQ(verdict->entries, 9);
    EXPECT_THAT(verdict->faults, IsEmpty());
}

TEST_F(JournalTest, RetentionLetsGoTheOldestAndTheRestVerifies) {
    Journal journal = open({.run = "run", .retain = seconds(10), .retain_entries = 6});
    add(journal, 4, 1'000'000);
    add(journal, 10, 20'000'000);
    EXPECT_EQ(journal.prune(21'000'000), 8) << "four are too old, four more are too many";
    EXPECT_EQ(journal.prune(21'000'000), 0);
    auto verdict = verify_journal(folder());
    EXPECT_EQ(verdict->entries, 6);
    EXPECT_EQ(verdict->start.seq, 8);
    EXPECT_THAT(verdict->faults, IsEmpty());
    add(journal, 1, 21'000'000);
    EXPECT_EQ(journal.prune(60'000'000), 7);
    EXPECT_THAT(faults(), IsEmpty());
    add(journal, 1, 61'000'000);
    verdict = verify_journal(folder());
    EXPECT_EQ(verdict->head.seq, 16) << "numbers are never used twice";
    EXPECT_THAT(verdict->faults, IsEmpty());
}

JournalOptions with_consumers() {
    return {.run = "run",
            .consumers = {{"all", [](std::string_view) { return true; }},
                          {"failures", [](std::string_view type) { return type == event_type::kToolFailed; }}}};
}

TEST_F(JournalTest, OnlyWhatSomebodyWantsIsPending) {
    Journal journal = open(with_consumers());
    add(journal, 2);
    EXPECT_TRUE(journal.has_news());
    EXPECT_THAT(*journal.claim("failures", 10, unix_micros()), IsEmpty());
    const auto claimed = *journal.claim("all", 10, unix_micros());
    ASSERT_THAT(claimed, SizeIs(2));
    EXPECT_EQ(claimed[0].type, event_type::kToolCalled);
    EXPECT_EQ(claimed[0].id, "run-1");
    EXPECT_EQ(claimed[0].correlation, "c-1");
    EXPECT_THAT(*journal.claim("all", 10, unix_micros()), IsEmpty()) << "they are being processed";
}

TEST_F(JournalTest, WhatFailedIsDueLaterAndAtLastADeadLetterThatCanBeRevived) {
    Journal journal = open(with_consumers());
    add(journal, 1);
    ASSERT_THAT(*journal.claim("all", 1, 5'000'000), SizeIs(1));
    ASSERT_TRUE(journal.give_back("all", 1, 9'000'000, "503", 5'000'000).has_value());
    EXPECT_THAT(*journal.claim("all", 1, 8'000'000), IsEmpty());
    EXPECT_EQ(*journal.next_due("all"), 9'000'000);
    const auto second = *journal.claim("all", 1, 9'000'000);
    ASSERT_THAT(second, SizeIs(1));
    EXPECT_EQ(second[0].attempts, 1);
    ASSERT_TRUE(journal.give_back("all", 1, std::nullopt, "410", 9'000'000).has_value());
    EXPECT_EQ(*journal.next_due("all"), std::nullopt);
    EXPECT_EQ((*journal.counts())["all"]["dead_letter"], 1);
    EXPECT_EQ(*journal.revive("all", 10'000'000), 1);
    ASSERT_THAT(*journal.claim("all", 1, 10'000'000), SizeIs(1));
    ASSERT_TRUE(journal.finish("all", 1).has_value());
    EXPECT_EQ((*journal.counts())["all"]["done"], 1);
}

TEST_F(JournalTest, WhatRetentionLetsGoIsNobodysDeliveryAnyMore) {
    JournalOptions options = with_consumers();
    options.consumers.push_back({"another", [](std::string_view) { return true; }});
    options.retain_entries = 2;
    Journal journal = open(options);
    add(journal, 5);
    EXPECT_EQ((*journal.counts())["all"]["pending"], 5);
    EXPECT_EQ(*journal.prune(0), 3);
    EXPECT_EQ((*journal.counts())["all"]["pending"], 2);
    EXPECT_EQ((*journal.counts())["another"]["pending"], 2);
    EXPECT_THAT(*journal.claim("another", 10, unix_micros()), SizeIs(2));
}

TEST_F(JournalTest, DeadLettersAreListedLatestFirstAndRevivedOneByOne) {
    Journal journal = open(with_consumers());
    add(journal, 3);
    ASSERT_THAT(*journal.claim("all", 3, 5'000'000), SizeIs(3));
    EXPECT_THAT(*journal.dead_letters(10), IsEmpty());
    for (const std::int64_t seq : {1, 2, 3})
        ASSERT_TRUE(journal.give_back("all", seq, std::nullopt, "answered 503", 6'000'000 + seq).has_value());
    EXPECT_EQ(*journal.count_dead_letters(), 3);
    const auto two = *journal.dead_letters(2);
    ASSERT_THAT(two, SizeIs(2));
    EXPECT_EQ(two[0].seq, 3);
    EXPECT_EQ(two[0].consumer, "all");
    EXPECT_EQ(two[0].id, "run-3");
    EXPECT_EQ(two[0].type, event_type::kToolCalled);
    EXPECT_EQ(two[0].attempts, 1);
    EXPECT_EQ(two[0].error, "answered 503");
    EXPECT_EQ(two[0].since, 6'000'003);
    EXPECT_EQ(*journal.revive("failures", 7'000'000, "run-2"), 0) << "another consumer's";
    EXPECT_EQ(*journal.revive("all", 7'000'000, "run-9"), 0);
    EXPECT_EQ(*journal.revive("all", 7'000'000, "run-2"), 1);
    const auto again = *journal.claim("all", 10, 7'000'000);
    ASSERT_THAT(again, SizeIs(1));
    EXPECT_EQ(again[0].id, "run-2");
    EXPECT_EQ(again[0].attempts, 0) << "all its attempts again";
    EXPECT_EQ(*journal.revive("all", 7'000'000), 2);
}

TEST_F(JournalTest, WhatWasBeingProcessedAtADeathIsPendingAgain) {
    {
        Journal journal = open(with_consumers());
        add(journal, 2);
        ASSERT_THAT(*journal.claim("all", 1, 5'000'000), SizeIs(1));
    }
    Journal journal = open(with_consumers());
    EXPECT_EQ(*journal.recover(false, 5'000'001), 0) << "another process may be at it";
    EXPECT_EQ(*journal.recover(true, 5'000'001), 1);
    EXPECT_THAT(*journal.claim("all", 10, 6'000'000), SizeIs(2));
    EXPECT_EQ(*journal.recover(false, 400'000'000), 2) << "nobody takes that long";
}

TEST_F(JournalTest, AFileOfANewerVersionIsRefused) {
    { Journal journal = open(); }
    tamper("PRAGMA user_version = 7");
    const auto journal = Journal::open(folder(), {.run = "run"});
    ASSERT_FALSE(journal.has_value());
    EXPECT_THAT(journal.error().message(), HasSubstr("newer version"));
}

}  // namespace
}  // namespace gantry::gateway::events
