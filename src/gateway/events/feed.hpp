#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "gateway/events/bus.hpp"
#include "gateway/events/event_stream.hpp"
#include "gateway/events/journal_tail.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/type_filter.hpp"
#include "io/http/server.hpp"

namespace gantry::gateway::events {

/// Live stream of events for open connections: one server-sent event each, in CloudEvents form. Costs nothing while it
/// has no readers. Belongs to one loop.
///
/// With a journal, readers receive committed entries, read from the file, with entry numbers as ids; they resume with
/// `Last-Event-ID`. Without a journal, or with "?at_once=yes", events are sent before they are committed and carry no
/// ids; a reader that is too slow misses events and learns how many (`event: gantry.feed.missed`).
class Feed final : public EventListener {
public:
    struct Parts {
        Bus& bus;
        /// Prefix of the events' ids, as in the journal.
        std::string run;
        /// Null without a journal. Must outlive the readers.
        JournalTail* journal = nullptr;
    };
    Feed(FeedOptions options, Parts parts);
    ~Feed() override;

    /// Answers a GET and streams until the reader disconnects or hang_up() is called. "?type=tool.*,source.*" filters
    /// by type; "?after=17" is for clients that cannot send the header; "?names=mcp" selects other names.
    Task<void> serve(const Context& ctx, http::Exchange& exchange);
    /// Readers above a lowered limit may stay; if the feed is turned off, readers are disconnected and new ones
    /// refused.
    void configure(FeedOptions options);
    /// Refuses new readers and ends the current ones soon.
    void hang_up();

    void heard(const Record& record) noexcept override;
    bool reads_arguments() const noexcept override { return true; }

    std::size_t subscribers() const noexcept { return readers_.size() + journal_readers_.size(); }
    std::uint64_t missed() const noexcept { return missed_; }

private:
    struct Reader {
        TypeFilter filter;
        PushedEvents events;
    };
    struct Request;
    Task<void> tell_at_once(const Context& ctx, http::Exchange& exchange, Request request);
    Task<void> tell_committed(const Context& ctx, http::Exchange& exchange, Request request);
    std::string event_of(const Record& record, EventNames names) const;
    void let_go();
    void enlist(Reader& reader);
    void dismiss(Reader& reader);

    FeedOptions options_;
    Parts parts_;
    std::set<Reader*> readers_;
    std::set<JournalEvents*> journal_readers_;
    std::uint64_t missed_ = 0;
    bool closed_ = false;
};

}  // namespace gantry::gateway::events
