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

/// Somebody who is told of events at least once: a webhook.
struct Consumer {
    std::string name;
    /// By type.
    std::function<bool(std::string_view type)> wants;
};

struct JournalOptions {
    /// Begins the ids of this run's events.
    std::string run;
    std::vector<Consumer> consumers = {};
    Duration busy = seconds(5);
    Duration retain = std::chrono::hours(24 * 90);
    std::size_t retain_entries = 10'000'000;
};

/// An event somebody has to be told of. Owns its texts.
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
    std::int64_t at = 0;     // when it happened
    std::int64_t since = 0;  // when it was given up
    int attempts = 0;
};

/// Everything that happened, in the order it did, in one SQLite file ("events.db"): entries are chained by hashes and
/// never changed, and for every consumer an entry concerns there is a delivery that is pending, processing, done or
/// dead. Used by one thread at a time; several processes may share a file.
class Journal {
public:
    static Result<Journal> open(const std::filesystem::path& folder, JournalOptions options);
    Journal(Journal&&) noexcept = default;
    Journal& operator=(Journal&&) noexcept = default;

    /// What was missing at the end of the chain when it was opened, for people; empty: nothing. The next entry hides
    /// the loss from audit.head, so whoever opens a journal records this.
    const std::string& missing_at_open() const noexcept { return missing_; }

    /// From the next batch on: who is told of what, and what retention lets go.
    void configure(std::vector<Consumer> consumers, Duration retain, std::size_t retain_entries);

    /// One batch: begin, append any number, commit. What fails leaves the file as it was after rollback().
    Result<void> begin();
    /// `at`: microseconds since 1970.
    Result<void> append(const Record& record, std::int64_t at);
    Result<void> commit();
    void rollback() noexcept;
    /// Of the batch that was committed last: whether somebody has to be told of something.
    bool has_news() const noexcept { return news_; }
    /// The last entry.
    const ChainLink& head() const noexcept { return head_; }

    /// Takes up to `most` deliveries that are due; they count as processing until finished, given back or stale.
    Result<std::vector<Delivery>> claim(const std::string& consumer, std::size_t most, std::int64_t now);
    Result<void> finish(const std::string& consumer, std::int64_t seq);
    /// Tried and failed; `due` empty: never again, it is a dead letter.
    Result<void> give_back(const std::string& consumer, std::int64_t seq, std::optional<std::int64_t> due,
                           std::string_view why, std::int64_t now);
    /// Not tried after all.
    Result<void> release(const std::string& consumer, const std::vector<std::int64_t>& seqs);
    /// When the next one is due; empty: nothing waits.
    Result<std::optional<std::int64_t>> next_due(const std::string& consumer);
    /// Deliveries whose taker died. `all`: nobody else uses this file, so that every one of them is.
    Result<std::int64_t> recover(bool all, std::int64_t now);
    /// The latest `most` of them, latest first.
    Result<std::vector<DeadLetter>> dead_letters(std::size_t most);
    Result<std::int64_t> count_dead_letters();
    /// Dead letters of a consumer become pending again, with all their attempts; `id`: only that event. How many.
    Result<std::int64_t> revive(const std::string& consumer, std::int64_t now, std::string_view id = {});
    /// How many deliveries are in which state, by consumer: "pending", "processing", "done", "dead_letter".
    Result<std::map<std::string, std::map<std::string, std::int64_t>>> counts();

    /// Drops what retention lets go, some thousand at a time; returns how many.
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
    ChainLink tip_;   // of the batch that is open
    bool batch_news_ = false;
    bool news_ = false;
    std::string data_;     // of the entry that is being appended
    std::string scratch_;  // for its hash
    jose::Sha256 sha_;
};

/// Number and hash, the first two columns of a row.
Result<ChainLink> read_link(const Statement& row);
/// Where the journal is.
std::filesystem::path journal_file(const std::filesystem::path& folder);
/// Microseconds since 1970.
std::int64_t unix_micros() noexcept;

}  // namespace gantry::gateway::events
