#include "gateway/events/journal_pages.hpp"

#include "base/try.hpp"
#include "gateway/events/cloud_event.hpp"
#include "gateway/events/entry_row.hpp"
#include "gateway/events/event_names.hpp"
#include "gateway/events/journal.hpp"
#include "io/sse/parser.hpp"

namespace gantry::gateway::events {
namespace {

constexpr Duration kBusy = seconds(5);
/// Bounds of one page: entries examined, and bytes sent.
constexpr std::int64_t kMostEntries = 1000;
constexpr std::size_t kMostBytes = 256u << 10;

Result<std::int64_t> only_number(Statement& query) {
    GANTRY_TRY(const bool row, query.step());
    const std::int64_t number = row ? query.number(0) : 0;
    query.reset();
    return number;
}

}  // namespace

JournalPages::JournalPages(const std::filesystem::path& folder) : file_(journal_file(folder)) {}

Result<void> JournalPages::open() {
    if (database_) return {};
    GANTRY_TRY(Database database, Database::open(file_, kBusy, false));
    GANTRY_TRY(begin_, database.prepare("BEGIN"));
    GANTRY_TRY(end_, database.prepare("COMMIT"));
    GANTRY_TRY(start_, database.prepare("SELECT seq FROM chain_start"));
    GANTRY_TRY(head_, database.prepare("SELECT max(seq) FROM events"));
    GANTRY_TRY(entries_, database.prepare("SELECT seq, at, id, type, subject, correlation, data FROM events "
                                          "WHERE seq > ? ORDER BY seq LIMIT ?"));
    database_ = std::move(database);
    return {};
}

Result<std::int64_t> JournalPages::head() {
    GANTRY_CHECK(open());
    GANTRY_TRY(const std::int64_t last, only_number(head_));
    if (last != 0) return last;
    // The journal is empty, or everything was pruned.
    return only_number(start_);
}

Result<JournalPages::Page> JournalPages::read(std::int64_t after, const TypeFilter& filter) {
    GANTRY_CHECK(open());
    // One consistent snapshot: entries may be pruned at any moment.
    GANTRY_CHECK(begin_.run());
    auto page = read_within(after, filter);
    entries_.reset();
    if (auto ended = end_.run(); !ended && page) page = fail(ended.error());
    if (!page) {
        // Reopening may cure the fault.
        for (Statement* statement : {&begin_, &end_, &start_, &head_, &entries_}) *statement = Statement();
        database_.reset();
    }
    return page;
}

Result<JournalPages::Page> JournalPages::read_within(std::int64_t after, const TypeFilter& filter) {
    Page page{.last = after};
    GANTRY_TRY(const std::int64_t start, only_number(start_));
    GANTRY_TRY(page.head, head());
    if (start > after) {
        page.lost = start - after;
        page.last = start;
    }
    entries_.bind(1, page.last).bind(2, kMostEntries);
    std::string event;
    std::string room;
    while (page.events.size() < kMostBytes) {
        GANTRY_TRY(const bool row, entries_.step());
        if (!row) break;
        const JournalEntry stored = entry_in(entries_);
        page.last = stored.seq;
        if (!filter.wants(stored.type)) continue;
        const JournalEntry entry = entry_under(filter.names(), stored, room);
        event.clear();
        append_cloud_event(entry, event);
        sse::append_event(page.events, entry.type, event, std::to_string(entry.seq));
    }
    return page;
}

}  // namespace gantry::gateway::events
