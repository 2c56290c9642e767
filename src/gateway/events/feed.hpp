#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "gateway/events/bus.hpp"
#include "gateway/events/options.hpp"
#include "gateway/events/type_filter.hpp"
#include "io/http/server.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Events as they happen, for whoever holds a connection open: one server-sent event each, in CloudEvents form. Costs
/// nothing while nobody listens. A reader that is too slow misses what does not fit and is told how much that was
/// (`event: gantry.feed.missed`). Belongs to one loop.
class Feed final : public Listener {
public:
    /// `run` begins the events' ids, as in the journal.
    Feed(Bus& bus, FeedOptions options, std::string run);
    ~Feed() override;

    /// Answers a GET and goes on until the reader or hang_up() ends it. "?type=tool.*,source.*" narrows it down.
    Task<void> serve(const Context& ctx, http::Exchange& exchange);
    /// No more readers, and those there are end soon.
    void hang_up();

    void heard(const Record& record) noexcept override;
    bool reads_arguments() const noexcept override { return true; }

    std::size_t subscribers() const noexcept { return readers_.size(); }
    std::uint64_t missed() const noexcept { return missed_; }

private:
    struct Reader {
        TypeFilter filter;
        std::deque<std::shared_ptr<const std::string>> waiting = {};
        std::uint64_t missed = 0;
        bool gone = false;
        Event changed = {};
    };
    Task<void> tell(const Context& ctx, http::Exchange& exchange, Reader& reader);
    static Task<void> watch(Context ctx, http::Exchange& exchange, Reader& reader);
    static std::string take(Reader& reader);
    void enlist(Reader& reader);
    void dismiss(Reader& reader);

    Bus& bus_;
    FeedOptions options_;
    std::string run_;
    std::set<Reader*> readers_;
    std::uint64_t missed_ = 0;
    bool closed_ = false;
};

}  // namespace gantry::gateway::events
