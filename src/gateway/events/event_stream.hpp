#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "io/http/server.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// Produces the server-sent events for one open connection.
class Pieces {
public:
    virtual ~Pieces() = default;
    /// Waits for the next server-sent events, one or more in one text. Empty: the stream is complete. A call that ended
    /// with an error may be repeated and loses nothing.
    virtual Task<Result<std::optional<std::string>>> next(const Context& ctx) = 0;
};

/// Answers with `pieces` until they end or the reader disconnects. Sends something at once and then every few seconds,
/// so that the reader can tell that the connection is alive.
Task<void> stream(const Context& ctx, http::Exchange& exchange, Pieces& pieces);

/// A bounded queue of events for one reader. When it is full, events are counted instead of queued, and the count is
/// sent after the events already queued. Belongs to one loop.
class PushedEvents final : public Pieces {
public:
    struct Options {
        /// Type of the event that reports how many were missed: {"count":6}.
        std::string missed_type;
        std::size_t max_events = 1024;
        /// May be exceeded by one event, so that an event of any size fits.
        std::size_t max_bytes = 8u << 20;
    };
    explicit PushedEvents(Options options) : options_(std::move(options)) {}

    /// Whether the next event would be missed, so that it need not be encoded.
    bool full() const noexcept { return waiting_.size() >= options_.max_events || bytes_ >= options_.max_bytes; }
    void miss();
    /// `event` is the encoded event, exactly as sent.
    void push(std::shared_ptr<const std::string> event);
    /// Ends the stream after the events already queued.
    void end();

    Task<Result<std::optional<std::string>>> next(const Context& ctx) override;

private:
    std::string take();

    Options options_;
    std::deque<std::shared_ptr<const std::string>> waiting_;
    std::size_t bytes_ = 0;
    std::uint64_t missed_ = 0;
    bool ended_ = false;
    Event changed_;
};

}  // namespace gantry::gateway::events
