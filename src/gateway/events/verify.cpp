#include "gateway/events/verify.hpp"

#include <cstring>

#include "base/try.hpp"
#include "gateway/events/entry_row.hpp"
#include "gateway/events/journal.hpp"
#include "gateway/ports/event_sink.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::size_t kMostFaults = 10;
constexpr Duration kBusy = seconds(5);

class Walk {
public:
    Walk(Verdict& verdict, std::vector<ChainLink> landmarks)
        : verdict_(verdict), landmarks_(std::move(landmarks)), hash_(verdict.start.hash), seq_(verdict.start.seq) {
        pass({.seq = seq_, .hash = hash_});
    }

    void visit(const Statement& row) {
        const JournalEntry entry = entry_in(row);
        ++verdict_.entries;
        if (entry.seq != seq_ + 1)
            fault("entries " + std::to_string(seq_ + 1) + " to " + std::to_string(entry.seq - 1) + " are missing");
        const ChainHash computed = chained(sha_, scratch_, hash_, entry);
        const std::string_view kept = row.text(7);
        if (kept.size() != computed.size() || std::memcmp(kept.data(), computed.data(), kept.size()) != 0) {
            fault("entry " + std::to_string(entry.seq) + " was changed or moved");
            // Continue from the stored hash, so that one change is reported once.
            if (kept.size() == hash_.size()) std::memcpy(hash_.data(), kept.data(), kept.size());
        } else {
            hash_ = computed;
        }
        if (entry.type == event_type::kChainBroken)
            fault("before entry " + std::to_string(entry.seq) + " entries were lost: " + std::string(entry.data));
        seq_ = entry.seq;
        pass({.seq = seq_, .hash = hash_});
    }

    void finish() {
        verdict_.head = {.seq = seq_, .hash = hash_};
        for (const ChainLink& landmark : landmarks_) {
            if (landmark.seq > seq_) {
                fault("the end is missing: entry " + std::to_string(landmark.seq) + " was written, the last one is " +
                      std::to_string(seq_));
            } else if (landmark.seq >= verdict_.start.seq) {
                fault("entry " + std::to_string(landmark.seq) + " is another one than was written");
            }
        }
    }
    void fault(std::string what) {
        if (verdict_.faults.size() < kMostFaults) verdict_.faults.push_back(std::move(what));
    }

private:
    void pass(const ChainLink& link) { std::erase(landmarks_, link); }

    Verdict& verdict_;
    std::vector<ChainLink> landmarks_;  // not found yet
    ChainHash hash_;
    std::int64_t seq_;
    crypto::Sha256 sha_;
    std::string scratch_;
};

Result<ChainLink> read_start(Database& database) {
    GANTRY_TRY(Statement query, database.prepare("SELECT seq, hash FROM chain_start"));
    GANTRY_TRY(const bool row, query.step());
    ChainLink start;
    if (!row || query.text(1).size() != start.hash.size())
        return fail(ErrorCode::kParse, "events.db: does not say where it begins");
    start.seq = query.number(0);
    std::memcpy(start.hash.data(), query.text(1).data(), start.hash.size());
    return start;
}

}  // namespace

Result<Verdict> verify_journal(const std::filesystem::path& folder, const std::optional<ChainLink>& expected) {
    std::error_code error;
    if (!std::filesystem::exists(journal_file(folder), error))
        return fail(ErrorCode::kNotFound, journal_file(folder).string() + ": there is no journal here");
    // The head is read before the entries and the start after them: concurrent writers only move both forward.
    GANTRY_TRY(const std::optional<Anchors> before, AnchorFile::read(folder));
    GANTRY_TRY(Database database, Database::open(journal_file(folder), kBusy, false));
    GANTRY_CHECK(database.execute("BEGIN"));
    Verdict verdict;
    GANTRY_TRY(verdict.start, read_start(database));
    GANTRY_TRY(const std::optional<Anchors> after, AnchorFile::read(folder));

    std::vector<ChainLink> landmarks;
    if (before) landmarks.push_back(before->head);
    if (expected) landmarks.push_back(*expected);
    Walk walk(verdict, std::move(landmarks));
    GANTRY_TRY(Statement query,
               database.prepare("SELECT seq, at, id, type, subject, correlation, data, hash FROM events "
                                "ORDER BY seq"));
    while (true) {
        GANTRY_TRY(const bool row, query.step());
        if (!row) break;
        walk.visit(query);
    }
    walk.finish();
    if (verdict.entries > 0 && !after) walk.fault("audit.head, which says where the entries end, is gone");
    if (after && verdict.start.seq > after->start.seq)
        walk.fault("the beginning is missing: entries up to " + std::to_string(verdict.start.seq) +
                   " are gone, retention deleted those up to " + std::to_string(after->start.seq));
    if (expected && expected->seq < verdict.start.seq)
        walk.fault("entry " + std::to_string(expected->seq) + " is older than what is kept");
    return verdict;
}

}  // namespace gantry::gateway::events
