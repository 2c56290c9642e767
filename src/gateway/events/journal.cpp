#include "gateway/events/journal.hpp"

#include <array>
#include <charconv>
#include <cstring>

#include "base/try.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::int64_t kVersion = 1;

// Triggers protect entries within retention from accidental changes; the chain reveals deliberate ones.
constexpr const char* kSchema = R"(
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS events (
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL,
  correlation TEXT NOT NULL, data TEXT NOT NULL, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS chain_start (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), seq INTEGER NOT NULL,
  hash BLOB NOT NULL);
INSERT OR IGNORE INTO chain_start VALUES (1, 0, zeroblob(32));
CREATE TABLE IF NOT EXISTS deliveries (
  consumer TEXT NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
  due INTEGER NOT NULL, claimed INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (consumer, seq)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (consumer, due) WHERE state = 'pending';
CREATE TRIGGER IF NOT EXISTS events_stay BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'append-only'); END;
CREATE TRIGGER IF NOT EXISTS events_last BEFORE DELETE ON events
  WHEN OLD.seq > (SELECT seq FROM chain_start) BEGIN SELECT raise(ABORT, 'append-only'); END;
PRAGMA user_version = 1;
COMMIT;
)";
// Added later; earlier versions work without it. It covers few rows.
constexpr const char* kDeadIndex =
    "CREATE INDEX IF NOT EXISTS deliveries_dead ON deliveries (seq) WHERE state = 'dead_letter'";

}  // namespace

Result<ChainLink> read_link(const Statement& row) {
    ChainLink link{.seq = row.number(0)};
    const std::string_view hash = row.text(1);
    if (hash.size() != link.hash.size()) return fail(ErrorCode::kParse, "events.db: an entry without a hash");
    std::memcpy(link.hash.data(), hash.data(), hash.size());
    return link;
}

std::filesystem::path journal_file(const std::filesystem::path& folder) {
    return folder / "events.db";
}

std::int64_t unix_micros() noexcept {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

Journal::Journal(Database database, AnchorFile anchors, JournalOptions options)
    : database_(std::move(database)), anchors_(std::move(anchors)), options_(std::move(options)) {}

Result<Journal> Journal::open(const std::filesystem::path& folder, JournalOptions options) {
    GANTRY_TRY(Database database, Database::open(journal_file(folder), options.busy));
    const Result<std::optional<Anchors>> before = AnchorFile::read(folder);
    GANTRY_TRY(AnchorFile anchors, AnchorFile::open(folder));
    Journal journal(std::move(database), std::move(anchors), std::move(options));
    GANTRY_CHECK(journal.prepare());
    if (before) {
        GANTRY_TRY(journal.missing_, journal.missing(*before));
    } else {
        // A damaged anchor file must not stop recording, or damaging it would be a way to do so.
        journal.missing_ = before.error().message();
    }
    return journal;
}

Result<void> Journal::prepare() {
    // synchronous = FULL: committed entries are on disk, so that the anchor file, written afterwards, is never ahead of
    // them.
    // Entries are only appended, so larger pages mean fewer writes; an existing file keeps its page size.
    GANTRY_CHECK(
        database_.execute("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                          "PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 1000; "
                          "PRAGMA journal_size_limit = 67108864"));
    {
        GANTRY_TRY(Statement version, database_.prepare("PRAGMA user_version"));
        GANTRY_TRY(const bool row, version.step());
        const std::int64_t found = row ? version.number(0) : 0;
        if (found > kVersion)
            return fail(ErrorCode::kUnsupported, "events.db: was written by a newer version of Gantry");
        version.reset();
        if (found < kVersion) {
            if (auto made = database_.execute(kSchema); !made) {
                rollback();
                return made;
            }
        }
        GANTRY_CHECK(database_.execute(kDeadIndex));
    }
    GANTRY_TRY(insert_, database_.prepare("INSERT INTO events VALUES (?,?,?,?,?,?,?,?)"));
    GANTRY_TRY(insert_delivery_,
               database_.prepare("INSERT INTO deliveries (consumer, seq, state, due) VALUES (?,?,'pending',?)"));
    GANTRY_TRY(last_, database_.prepare("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1"));
    GANTRY_TRY(begin_, database_.prepare("BEGIN IMMEDIATE"));
    GANTRY_TRY(commit_, database_.prepare("COMMIT"));
    GANTRY_TRY(chain_start_, database_.prepare("SELECT seq, hash FROM chain_start"));
    GANTRY_TRY(start_, start());
    GANTRY_TRY(head_, last());
    return {};
}

Result<std::string> Journal::missing(const std::optional<Anchors>& anchors) {
    if (!anchors) {
        if (head_ != ChainLink()) return "there are entries, but audit.head, which says where they end, is gone";
        GANTRY_CHECK(anchors_.write({.start = start_, .head = head_}));
        return std::string();
    }
    if (anchors->head == start_) return std::string();
    GANTRY_TRY(Statement query, database_.prepare("SELECT seq, hash FROM events WHERE seq = ?"));
    GANTRY_TRY(const bool row, query.bind(1, anchors->head.seq).step());
    if (row) {
        GANTRY_TRY(const ChainLink found, read_link(query));
        if (found == anchors->head) return std::string();
    }
    // Another process may have pruned it meanwhile.
    if (anchors->head.seq < start_.seq) return std::string();
    return "the last entry was " + to_text(anchors->head) + ", which is not there any more";
}

Result<ChainLink> Journal::start() {
    GANTRY_TRY(const bool row, chain_start_.step());
    if (!row) return fail(ErrorCode::kParse, "events.db: does not say where it begins");
    auto link = read_link(chain_start_);
    chain_start_.reset();
    return link;
}

Result<ChainLink> Journal::last() {
    GANTRY_TRY(const bool row, last_.step());
    if (!row) return start();
    auto link = read_link(last_);
    last_.reset();
    return link;
}

Result<void> Journal::begin() {
    GANTRY_CHECK(begin_.run());
    if (auto read = read_ends(); !read) {
        rollback();
        return read;
    }
    batch_news_ = false;
    return {};
}

/// Another process may have added or pruned entries meanwhile.
Result<void> Journal::read_ends() {
    GANTRY_TRY(start_, start());
    GANTRY_TRY(head_, last());
    tip_ = head_;
    return {};
}

Result<void> Journal::append(const Record& record, std::int64_t at) {
    data_.clear();
    append_data(record, data_);
    std::array<char, 40> id{};
    options_.run.copy(id.data(), 16);
    char* digits = id.data() + std::min<std::size_t>(options_.run.size(), 16);
    *digits++ = '-';
    const char* end = std::to_chars(digits, id.data() + id.size(), record.number, 16).ptr;
    const JournalEntry entry{.seq = tip_.seq + 1,
                             .at = at,
                             .id = {id.data(), static_cast<std::size_t>(end - id.data())},
                             .type = record.type(),
                             .subject = record.texts[Record::kName],
                             .correlation = record.texts[Record::kCorrelation],
                             .data = data_};
    const ChainHash hash = chained(sha_, scratch_, tip_.hash, entry);
    insert_.bind(1, entry.seq).bind(2, entry.at).bind(3, entry.id).bind(4, entry.type).bind(5, entry.subject);
    insert_.bind(6, entry.correlation).bind(7, entry.data).bind_bytes(8, view_of(hash));
    GANTRY_CHECK(insert_.run());
    for (const Consumer* consumer : who_wants(entry.type)) {
        insert_delivery_.bind(1, std::string_view(consumer->name)).bind(2, entry.seq).bind(3, at);
        GANTRY_CHECK(insert_delivery_.run());
        batch_news_ = true;
    }
    tip_ = {.seq = entry.seq, .hash = hash};
    return {};
}

Result<void> Journal::commit() {
    GANTRY_CHECK(commit_.run());
    head_ = tip_;
    news_ = batch_news_;
    // If this write fails the anchor is behind the chain, which is valid.
    static_cast<void>(anchors_.write({.start = start_, .head = head_}));
    return {};
}

void Journal::rollback() noexcept {
    static_cast<void>(database_.execute("ROLLBACK"));
    tip_ = head_;
}

void Journal::configure(std::vector<Consumer> consumers, Duration retain, std::size_t retain_entries) {
    wanted_by_.clear();
    options_.consumers = std::move(consumers);
    options_.retain = retain;
    options_.retain_entries = retain_entries;
}

const std::vector<const Consumer*>& Journal::who_wants(std::string_view type) {
    const auto known = wanted_by_.find(type);
    if (known != wanted_by_.end()) return known->second;
    std::vector<const Consumer*> found;
    for (const Consumer& consumer : options_.consumers) {
        if (consumer.wants(type)) found.push_back(&consumer);
    }
    return wanted_by_.emplace(type, std::move(found)).first->second;
}

}  // namespace gantry::gateway::events
