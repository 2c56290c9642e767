#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "io/http/server.hpp"
#include "io/sync.hpp"

namespace gantry::gateway::events {

/// What somebody who holds a connection open is sent, piece by piece.
class Pieces {
public:
    virtual ~Pieces() = default;
    /// Waits for the next server-sent events, one or many in one text. Empty: there will be no more. A call that ended
    /// with an error may be made again and loses nothing.
    virtual Task<Result<std::optional<std::string>>> next(const Context& ctx) = 0;
};

/// Answers with `pieces` until they end or the reader leaves. Something is said at once and every few seconds, so that
/// the reader knows it is heard.
Task<void> stream(const Context& ctx, http::Exchange& exchange, Pieces& pieces);

/// Events that are pushed. What has not been sent yet waits here, bounded; beyond, events are counted, and the count is
/// told behind what was still kept. Belongs to one loop.
class PushedEvents final : public Pieces {
public:
    struct Options {
        /// Type of the event that says how much was missed: {"count":6}.
        std::string missed_type;
        std::size_t max_events = 1024;
        /// Plus one event, so that any of them fits.
        std::size_t max_bytes = 8u << 20;
    };
    explicit PushedEvents(Options options) : options_(std::move(options)) {}

    /// Whether the next one would be missed: then it need not be put together.
    bool full() const noexcept { return waiting_.size() >= options_.max_events || bytes_ >= options_.max_bytes; }
    void miss();
    /// `event` is as it is sent.
    void push(std::shared_ptr<const std::string> event);
    /// No more after what waits.
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
