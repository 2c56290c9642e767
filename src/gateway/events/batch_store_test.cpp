// Batches from the queue to the journal, without the thread.
#include "gateway/events/batch_store.hpp"

#include <gmock/gmock.h>

#include "gateway/events/test_outcome.hpp"
#include "gateway/events/verify.hpp"
#include "io/test_temporary_folder.hpp"

namespace gantry::gateway::events {
namespace {

using ::testing::IsEmpty;

class BatchStoreTest : public ::testing::Test {
protected:
    void put(int count) {
        for (int i = 0; i < count; ++i) queue.put(record_of(good_call()));
    }
    std::int64_t entries() const { return verify_journal(folder_.path())->entries; }

    TemporaryFolder folder_;
    Bell bell;
    RecordQueue queue{8192, bell};
    BatchStore batches{queue, folder_.path(), {.run = "run", .busy = milliseconds(10)}};
};

TEST_F(BatchStoreTest, ABatchIsEverythingThatHasGathered) {
    ASSERT_TRUE(batches.open());
    put(3);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(batches.stored(), 3u);
    EXPECT_TRUE(queue.empty());
    put(2);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(batches.stored(), 5u);
    EXPECT_EQ(entries(), 5);
    EXPECT_THAT(verify_journal(folder_.path())->faults, IsEmpty());
}

TEST_F(BatchStoreTest, WhatCannotBeStoredStaysInTheQueue) {
    ASSERT_TRUE(batches.open());
    put(3);
    {
        auto other = *Database::open(journal_file(folder_.path()), seconds(1));
        ASSERT_TRUE(other.execute("BEGIN IMMEDIATE").has_value());
        const auto stored = batches.store();
        ASSERT_FALSE(stored);
        EXPECT_EQ(stored.error().code(), ErrorCode::kTimeout);
        EXPECT_EQ(batches.stored(), 0u);
        EXPECT_FALSE(queue.empty());
    }
    put(1);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(batches.stored(), 4u);
    EXPECT_EQ(entries(), 4);
}

TEST_F(BatchStoreTest, LostRecordsAreStatedOnceTheyCanBe) {
    ASSERT_TRUE(batches.open());
    put(200);
    const std::uint64_t dropped = queue.dropped();
    ASSERT_GT(dropped, 0u);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(batches.stored() + dropped, 200u);
    EXPECT_EQ(entries(), static_cast<std::int64_t>(batches.stored()) + 1);
    put(1);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(entries(), static_cast<std::int64_t>(batches.stored()) + 1) << "stated once";
}

TEST_F(BatchStoreTest, AClosedJournalContinuesWhereItEnded) {
    ASSERT_TRUE(batches.open());
    EXPECT_NE(batches.journal(), nullptr);
    put(1);
    ASSERT_TRUE(batches.store());
    batches.close();
    EXPECT_EQ(batches.journal(), nullptr);
    ASSERT_TRUE(batches.open());
    put(1);
    ASSERT_TRUE(batches.store());
    EXPECT_EQ(entries(), 2);
    EXPECT_THAT(verify_journal(folder_.path())->faults, IsEmpty());
}

}  // namespace
}  // namespace gantry::gateway::events
