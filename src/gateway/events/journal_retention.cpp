// Retention: prunes entries that are too old or too many, from the beginning of the chain.
#include "base/try.hpp"
#include "gateway/events/journal.hpp"

namespace gantry::gateway::events {
namespace {

/// A longer commit would delay answers.
constexpr std::int64_t kPruneAtOnce = 5000;
/// By consumer, known or not: with `seq` alone SQLite would scan every delivery each time.
constexpr const char* kDropDeliveries =
    "WITH RECURSIVE names(name) AS (SELECT min(consumer) FROM deliveries UNION ALL "
    "SELECT (SELECT min(consumer) FROM deliveries WHERE consumer > name) FROM names WHERE name IS NOT NULL) "
    "DELETE FROM deliveries WHERE consumer IN (SELECT name FROM names WHERE name IS NOT NULL) AND seq <= ?";

}  // namespace

/// The last entry that can be pruned: too old, or too far from the end.
Result<std::optional<ChainLink>> Journal::prunable(std::int64_t now) {
    const std::int64_t oldest = now - std::chrono::duration_cast<std::chrono::microseconds>(options_.retain).count();
    const std::int64_t first_kept = head_.seq - static_cast<std::int64_t>(options_.retain_entries) + 1;
    // Entries are in chronological order, so the first one that stays ends the search.
    GANTRY_TRY(Statement query, database_.prepare("SELECT seq, hash, at FROM events ORDER BY seq LIMIT ?"));
    query.bind(1, kPruneAtOnce);
    std::optional<ChainLink> last_to_go;
    while (true) {
        GANTRY_TRY(const bool row, query.step());
        if (!row || (query.number(2) >= oldest && query.number(0) >= first_kept)) return last_to_go;
        GANTRY_TRY(last_to_go, read_link(query));
    }
}

Result<std::int64_t> Journal::prune(std::int64_t now) {
    GANTRY_CHECK(begin());
    const auto pruned = [&]() -> Result<std::int64_t> {
        GANTRY_TRY(const std::optional<ChainLink> until, prunable(now));
        if (!until) return 0;
        // The anchor first: after a crash in between there are more entries than it promises, never fewer.
        GANTRY_CHECK(anchors_.write({.start = *until, .head = head_}, true));
        GANTRY_TRY(Statement mark, database_.prepare("UPDATE chain_start SET seq = ?, hash = ?"));
        GANTRY_CHECK(mark.bind(1, until->seq).bind_bytes(2, view_of(until->hash)).run());
        for (const char* sql : {kDropDeliveries, "DELETE FROM events WHERE seq <= ?"}) {
            GANTRY_TRY(Statement remove, database_.prepare(sql));
            GANTRY_CHECK(remove.bind(1, until->seq).run());
        }
        const std::int64_t gone = database_.changes();
        start_ = *until;
        return gone;
    }();
    if (!pruned || *pruned == 0) {
        rollback();
        return pruned;
    }
    GANTRY_CHECK(commit_.run());
    return pruned;
}

}  // namespace gantry::gateway::events
