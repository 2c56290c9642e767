#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gateway/events/chain.hpp"
#include "gateway/events/database.hpp"
#include "gateway/events/record.hpp"

namespace gantry::gateway::events {

/// A receiver with at-least-once delivery: a webhook.
struct Consumer {
    std::string name;
    /// Filters by event type.
    std::function<bool(std::string_view type)> wants;
};

struct JournalOptions {
    /// Prefix of the ids of this run's events.
    std::string run;
    std::vector<Consumer> consumers = {};
    Duration busy = seconds(5);
    Duration retain = std::chrono::hours(24 * 90);
    std::size_t retain_entries = 10'000'000;
};

/// An event to deliver. Owns its texts.
struct Delivery {
    std::int64_t seq = 0;
    std::int64_t at = 0;
    int attempts = 0;  // before this one
    std::string id, type, subject, correlation, data;
};

/// A delivery that was given up.
struct DeadLetter {
    std::string consumer, id, type, subject, error;
    std::int64_t seq = 0;
    std::int64_t at = 0;     // Time of the event.
    std::int64_t since = 0;  // Time at which it was given up.
    int attempts = 0;
};

/// Append-only log of everything that happened, in order, in one SQLite file ("events.db"). Entries are hash-chained
/// and never changed. Every entry that a consumer wants has a delivery for that consumer: pending, processing, done or
/// dead. Not thread-safe; several processes may share a file.
class Journal {
public:
    static Result<Journal> open(const std::filesystem::path& folder, JournalOptions options);
    Journal(Journal&&) noexcept = default;
    Journal& operator=(Journal&&) noexcept = default;

    /// Human-readable description of entries missing at the end of the chain when it was opened; empty: none. The next
    /// entry overwrites the evidence in audit.head, so the caller must record this text.
    const std::string& missing_at_open() const noexcept { return missing_; }

    /// Changes consumers and retention, from the next batch on.
    void configure(std::vector<Consumer> consumers, Duration retain, std::size_t retain_entries);

    /// One batch: begin, append any number, commit. After a failure and rollback() the file is as it was before.
    Result<void> begin();
    /// `at`: microseconds since 1970.
    Result<void> append(const Record& record, std::int64_t at);
    Result<void> commit();
    void rollback() noexcept;
    /// Whether the last committed batch created deliveries.
    bool has_news() const noexcept { return news_; }
    /// The last committed entry.
    const ChainLink& head() const noexcept { return head_; }

    /// Claims up to `most` deliveries that are due; they count as processing until finished, given back or stale.
    Result<std::vector<Delivery>> claim(const std::string& consumer, std::size_t most, std::int64_t now);
    Result<void> finish(const std::string& consumer, std::int64_t seq);
    /// A failed attempt; with an empty `due` the delivery becomes a dead letter.
    Result<void> give_back(const std::string& consumer, std::int64_t seq, std::optional<std::int64_t> due,
                           std::string_view why, std::int64_t now);
    /// Returns deliveries that were not attempted.
    Result<void> release(const std::string& consumer, const std::vector<std::int64_t>& seqs);
    /// When the next delivery is due; empty: none is pending.
    Result<std::optional<std::int64_t>> next_due(const std::string& consumer);
    /// Makes deliveries pending again whose claimant died. `all`: no other process uses this file, so this applies to
    /// every delivery in processing.
    Result<std::int64_t> recover(bool all, std::int64_t now);
    /// The latest `most`, latest first.
    Result<std::vector<DeadLetter>> dead_letters(std::size_t most);
    Result<std::int64_t> count_dead_letters();
    /// Makes a consumer's dead letters pending again with all attempts left; `id` restricts it to one event. Returns
    /// how many.
    Result<std::int64_t> revive(const std::string& consumer, std::int64_t now, std::string_view id = {});
    /// Number of deliveries by consumer and state: "pending", "processing", "done", "dead_letter".
    Result<std::map<std::string, std::map<std::string, std::int64_t>>> counts();

    /// Deletes entries beyond retention, a few thousand at a time; returns how many.
    Result<std::int64_t> prune(std::int64_t now);

private:
    explicit Journal(Database database, AnchorFile anchors, JournalOptions options);
    Result<void> prepare();
    Result<std::string> missing(const std::optional<Anchors>& anchors);
    Result<void> read_ends();
    Result<ChainLink> start();
    Result<ChainLink> last();
    Result<std::optional<ChainLink>> prunable(std::int64_t now);
    const std::vector<const Consumer*>& who_wants(std::string_view type);

    Database database_;
    AnchorFile anchors_;
    JournalOptions options_;
    Statement insert_, insert_delivery_, last_, chain_start_, begin_, commit_;
    std::map<std::string, std::vector<const Consumer*>, std::less<>> wanted_by_;
    std::string missing_;
    ChainLink start_;
    ChainLink head_;  // committed
    ChainLink tip_;   // including the open batch
    bool batch_news_ = false;
    bool news_ = false;
    std::string data_;     // data member of the entry being appended
    std::string scratch_;  // buffer for its hash
    crypto::Sha256 sha_;
};

/// Reads number and hash from the first two columns of a row.
Result<ChainLink> read_link(const Statement& row);
/// The journal's file in `folder`.
std::filesystem::path journal_file(const std::filesystem::path& folder);
/// Microseconds since 1970.
std::int64_t unix_micros() noexcept;

}  // namespace gantry::gateway::events
