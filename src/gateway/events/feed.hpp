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

/// Events as they happen, for whoever holds a connection open: one server-sent event each, in CloudEvents form. Costs
/// nothing while nobody listens. Belongs to one loop.
///
/// With a journal, readers are told what was committed, from the file, with entries' numbers as ids: they come back
/// with `Last-Event-ID` and go on where they were. Without one, or with "?at_once=yes", they are told before that,
/// without ids; whoever is too slow then misses what does not fit and is told how much that was (`event:
/// gantry.feed.missed`).
class Feed final : public Listener {
public:
    struct Parts {
        Bus& bus;
        /// Begins the events' own ids, as in the journal.
        std::string run;
        /// Null: there is none. Must outlive the readers.
        JournalTail* journal = nullptr;
    };
    Feed(FeedOptions options, Parts parts);
    ~Feed() override;

    /// Answers a GET and goes on until the reader or hang_up() ends it. "?type=tool.*,source.*" narrows it down;
    /// "?after=17" is for whoever cannot send the header.
    Task<void> serve(const Context& ctx, http::Exchange& exchange);
    /// Readers beyond a lower number may stay; where the feed is off they are let go and others refused.
    void configure(FeedOptions options);
    /// No more readers, and those there are end soon.
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
