#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gateway/events/journal.hpp"
#include "gateway/events/record_queue.hpp"

namespace gantry::gateway::events {

/// Moves queued records to the journal, each batch in one commit. Records of a batch that fails stay in the queue.
/// Before the records it stores what is to be said of the journal itself: a missing end, and records lost in between.
/// On the journal's thread, once that runs.
class BatchStore {
public:
    BatchStore(RecordQueue& queue, std::filesystem::path folder, JournalOptions options);

    /// Opens the journal unless it is open.
    Result<void> open();
    void close() noexcept { journal_.reset(); }
    /// Null unless it is open.
    Journal* journal() noexcept { return journal_ ? &*journal_ : nullptr; }

    /// Stores one batch of what is queued, all of it or nothing. Precondition: the journal is open.
    Result<void> store();
    /// Records stored so far, without those about the journal.
    std::uint64_t stored() const noexcept { return stored_; }

    /// Deletes entries beyond retention; returns how many. Precondition: the journal is open.
    Result<std::int64_t> prune();

    /// Changes consumers and retention, from the next batch on.
    void configure(std::vector<Consumer> consumers, Duration retain, std::size_t retain_entries);

private:
    Result<std::uint64_t> store_all_or_nothing();
    Result<std::uint64_t> append_queued();
    Result<void> append_own(std::string_view type, JsonObject data);

    RecordQueue& queue_;
    std::filesystem::path folder_;
    JournalOptions options_;
    std::optional<Journal> journal_;
    std::uint64_t stored_ = 0;
    std::uint64_t told_dropped_ = 0;
    std::uint64_t telling_dropped_ = 0;  // in the batch being committed
    bool told_missing_ = false;
};

}  // namespace gantry::gateway::events
