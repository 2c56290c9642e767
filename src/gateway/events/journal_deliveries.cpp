// Deliveries: one row per consumer and entry, with its state.
#include "base/try.hpp"
#include "gateway/events/journal.hpp"

namespace gantry::gateway::events {
namespace {

/// A claim older than this belongs to a process that has died.
constexpr std::int64_t kStale = 300'000'000;

}  // namespace

Result<std::vector<Delivery>> Journal::claim(const std::string& consumer, std::size_t most, std::int64_t now) {
    GANTRY_TRY(
        Statement query,
        database_.prepare("SELECT d.seq, e.at, d.attempts, e.id, e.type, e.subject, e.correlation, e.data "
                          "FROM deliveries d JOIN events e ON e.seq = d.seq "
                          "WHERE d.consumer = ? AND d.state = 'pending' AND d.due <= ? ORDER BY d.due, d.seq LIMIT ?"));
    GANTRY_TRY(Statement take, database_.prepare("UPDATE deliveries SET state = 'processing', claimed = ? "
                                                 "WHERE consumer = ? AND seq = ?"));
    GANTRY_CHECK(begin_.run());
    query.bind(1, std::string_view(consumer)).bind(2, now).bind(3, static_cast<std::int64_t>(most));
    std::vector<Delivery> claimed;
    const auto taken = [&]() -> Result<void> {
        while (true) {
            GANTRY_TRY(const bool row, query.step());
            if (!row) break;
            claimed.push_back({.seq = query.number(0),
                               .at = query.number(1),
                               .attempts = static_cast<int>(query.number(2)),
                               .id = std::string(query.text(3)),
                               .type = std::string(query.text(4)),
                               .subject = std::string(query.text(5)),
                               .correlation = std::string(query.text(6)),
                               .data = std::string(query.text(7))});
        }
        for (const Delivery& delivery : claimed)
            GANTRY_CHECK(take.bind(1, now).bind(2, std::string_view(consumer)).bind(3, delivery.seq).run());
        return commit_.run();
    }();
    if (!taken) {
        query.reset();
        rollback();
        return fail(taken.error());
    }
    return claimed;
}

Result<void> Journal::finish(const std::string& consumer, std::int64_t seq) {
    GANTRY_TRY(Statement update, database_.prepare("UPDATE deliveries SET state = 'done', attempts = attempts + 1, "
                                                   "error = '' WHERE consumer = ? AND seq = ?"));
    return update.bind(1, std::string_view(consumer)).bind(2, seq).run();
}

Result<void> Journal::give_back(const std::string& consumer, std::int64_t seq, std::optional<std::int64_t> due,
                                std::string_view why, std::int64_t now) {
    GANTRY_TRY(Statement update, database_.prepare("UPDATE deliveries SET state = ?, due = ?, attempts = attempts + 1, "
                                                   "error = ? WHERE consumer = ? AND seq = ?"));
    update.bind(1, std::string_view(due ? "pending" : "dead_letter")).bind(2, due.value_or(now)).bind(3, why);
    return update.bind(4, std::string_view(consumer)).bind(5, seq).run();
}

Result<void> Journal::release(const std::string& consumer, const std::vector<std::int64_t>& seqs) {
    GANTRY_TRY(Statement update, database_.prepare("UPDATE deliveries SET state = 'pending' "
                                                   "WHERE consumer = ? AND seq = ? AND state = 'processing'"));
    GANTRY_CHECK(begin_.run());
    for (const std::int64_t seq : seqs) {
        if (auto done = update.bind(1, std::string_view(consumer)).bind(2, seq).run(); !done) {
            rollback();
            return done;
        }
    }
    return commit_.run();
}

Result<std::optional<std::int64_t>> Journal::next_due(const std::string& consumer) {
    GANTRY_TRY(
        Statement query,
        database_.prepare("SELECT due FROM deliveries WHERE consumer = ? AND state = 'pending' ORDER BY due LIMIT 1"));
    GANTRY_TRY(const bool row, query.bind(1, std::string_view(consumer)).step());
    if (!row) return std::nullopt;
    return query.number(0);
}

Result<std::int64_t> Journal::recover(bool all, std::int64_t now) {
    GANTRY_TRY(Statement update, database_.prepare("UPDATE deliveries SET state = 'pending' "
                                                   "WHERE state = 'processing' AND claimed <= ?"));
    GANTRY_CHECK(update.bind(1, all ? now : now - kStale).run());
    return database_.changes();
}

Result<std::vector<DeadLetter>> Journal::dead_letters(std::size_t most) {
    GANTRY_TRY(Statement query,
               database_.prepare("SELECT d.consumer, e.id, e.type, e.subject, d.error, d.seq, e.at, d.due, d.attempts "
                                 "FROM deliveries d JOIN events e ON e.seq = d.seq WHERE d.state = 'dead_letter' "
                                 "ORDER BY d.seq DESC LIMIT ?"));
    query.bind(1, static_cast<std::int64_t>(most));
    std::vector<DeadLetter> letters;
    while (true) {
        GANTRY_TRY(const bool row, query.step());
        if (!row) return letters;
        letters.push_back({.consumer = std::string(query.text(0)),
                           .id = std::string(query.text(1)),
                           .type = std::string(query.text(2)),
                           .subject = std::string(query.text(3)),
                           .error = std::string(query.text(4)),
                           .seq = query.number(5),
                           .at = query.number(6),
                           .since = query.number(7),
                           .attempts = static_cast<int>(query.number(8))});
    }
}

Result<std::int64_t> Journal::count_dead_letters() {
    GANTRY_TRY(Statement query, database_.prepare("SELECT count(*) FROM deliveries WHERE state = 'dead_letter'"));
    GANTRY_TRY(const bool row, query.step());
    return row ? query.number(0) : 0;
}

Result<std::int64_t> Journal::revive(const std::string& consumer, std::int64_t now, std::string_view id) {
    std::string sql =
        "UPDATE deliveries INDEXED BY deliveries_dead SET state = 'pending', attempts = 0, due = ? "
        "WHERE state = 'dead_letter' AND consumer = ?";
    if (!id.empty()) sql += " AND (SELECT e.id FROM events e WHERE e.seq = deliveries.seq) = ?";
    GANTRY_TRY(Statement update, database_.prepare(sql));
    update.bind(1, now).bind(2, std::string_view(consumer));
    if (!id.empty()) update.bind(3, id);
    GANTRY_CHECK(update.run());
    return database_.changes();
}

Result<std::map<std::string, std::map<std::string, std::int64_t>>> Journal::counts() {
    GANTRY_TRY(Statement query,
               database_.prepare("SELECT consumer, state, count(*) FROM deliveries GROUP BY consumer, state"));
    std::map<std::string, std::map<std::string, std::int64_t>> counts;
    while (true) {
        GANTRY_TRY(const bool row, query.step());
        if (!row) return counts;
        counts[std::string(query.text(0))][std::string(query.text(1))] = query.number(2);
    }
}

}  // namespace gantry::gateway::events
