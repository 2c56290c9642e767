#include "gateway/events/batch_store.hpp"

#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

/// Records per commit; more would delay waiting answers too long.
constexpr std::uint64_t kMostAtOnce = 8192;

}  // namespace

BatchStore::BatchStore(RecordQueue& queue, std::filesystem::path folder, JournalOptions options)
    : queue_(queue), folder_(std::move(folder)), options_(std::move(options)) {}

Result<void> BatchStore::open() {
    if (journal_) return {};
    GANTRY_TRY(journal_, Journal::open(folder_, options_));
    told_missing_ = false;
    return {};
}

Result<void> BatchStore::store() {
    GANTRY_TRY(const std::uint64_t count, store_all_or_nothing());
    queue_.ring().release();
    stored_ += count;
    told_missing_ = true;
    told_dropped_ = telling_dropped_;
    return {};
}

Result<std::uint64_t> BatchStore::store_all_or_nothing() {
    if (auto begun = journal_->begin(); !begun) return fail(begun.error());
    auto appended = append_queued();
    if (appended) {
        if (auto committed = journal_->commit(); !committed) appended = fail(committed.error());
    }
    if (!appended) {
        journal_->rollback();
        queue_.ring().rewind();
    }
    return appended;
}

Result<std::uint64_t> BatchStore::append_queued() {
    if (!told_missing_ && !journal_->missing_at_open().empty())
        GANTRY_CHECK(append_own(event_type::kChainBroken, {{"what", journal_->missing_at_open()}}));
    const std::uint64_t dropped = queue_.dropped();
    if (dropped != told_dropped_)
        GANTRY_CHECK(append_own(event_type::kRecordsLost, {{"count", dropped - told_dropped_}}));
    // Records carry steady time; the offset to the wall clock is determined once per batch.
    const std::int64_t now = unix_micros();
    const TimePoint steady_now = SteadyClock::now();
    std::uint64_t count = 0;
    while (count < kMostAtOnce) {
        const auto frame = queue_.ring().take();
        if (!frame) break;
        const Record record = unpack(*frame);
        const auto ago = std::chrono::duration_cast<std::chrono::microseconds>(steady_now - record.at);
        GANTRY_CHECK(journal_->append(record, now - ago.count()));
        ++count;
    }
    telling_dropped_ = dropped;
    return count;
}

Result<void> BatchStore::append_own(std::string_view type, JsonObject data) {
    const std::string text = Json(std::move(data)).dump();
    const Record record = record_of(GatewayEvent{.type = type, .subject = "audit"}, text);
    return journal_->append(record, unix_micros());
}

Result<std::int64_t> BatchStore::prune() {
    return journal_->prune(unix_micros());
}

void BatchStore::configure(std::vector<Consumer> consumers, Duration retain, std::size_t retain_entries) {
    options_.consumers = std::move(consumers);
    options_.retain = retain;
    options_.retain_entries = retain_entries;
    if (journal_) journal_->configure(options_.consumers, retain, retain_entries);
}

}  // namespace gantry::gateway::events
