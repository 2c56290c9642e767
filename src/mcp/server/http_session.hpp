#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mcp/server/event_log.hpp"
#include "mcp/server/event_stream.hpp"
#include "mcp/server/session.hpp"

namespace gantry::mcp {

/// Numbers streams and names events, for all sessions of one endpoint.
struct EventNames {
    std::uint32_t epoch = 0;
    std::uint64_t next_stream = 1;
    EventLog::Limits limits = {};
};

/// A legacy session over Streamable HTTP. While nothing is open it is little more than its id: everything about streams
/// is made when the first one opens and let go when it is of no more use.
class HttpSession final : public LegacySession {
public:
    struct Opening {
        std::string token;  // the sealed id, as the client shows it
        std::string path;
        std::int64_t expires = 0;  // seconds of Unix time
        /// Taken up from its id alone: what changed while nobody watched is unknown.
        bool resumed = false;
    };

    HttpSession(Backend& backend, PeerPtr peer, EventNames& names, Opening opening);

    /// Goes out on the GET stream; without one it waits in the log.
    void tell(std::string message) override;
    void end() override;

    /// Begins a stream of its own, for a POST.
    std::uint64_t new_stream() noexcept { return names_.next_stream++; }
    /// Puts a message into the log under the next id of `stream` and gives that id. An empty message only takes one.
    std::string record(std::uint64_t stream, std::string message);
    /// The wire form of what `stream` said after `place`.
    std::string replay(std::uint64_t stream, std::uint64_t place) const;

    /// Makes `stream` the one for unasked messages; an earlier one ends. What nobody has been sent yet is queued on it,
    /// or, when the client names its last event, what followed that.
    void open_get(EventStream& stream, std::optional<std::uint64_t> after);
    void close_get(const EventStream& stream);
    /// The number of the stream for unasked messages.
    std::uint64_t get_stream();
    bool has_stream() const noexcept { return live_ && live_->get != nullptr; }

    /// Nothing is in flight and no stream is open.
    bool idle() const noexcept { return calls.empty() && asks.empty() && !has_stream(); }
    /// Idle, and its sealed id says all there is to know: no log level, no subscriptions, no events to replay.
    bool recoverable() const noexcept { return idle() && !level && !subscribed() && !live_; }
    /// Forgets events nobody will come back for.
    void tidy(TimePoint before);

    const std::string token;
    const std::string path;
    const std::int64_t expires;
    bool resumed;
    TimePoint used;
    // Links of the table's list, the least recently used first.
    HttpSession* older = nullptr;
    HttpSession* newer = nullptr;

private:
    struct Live {
        EventLog log;
        std::uint64_t places = 0;
        std::uint64_t get_number = 0;
        EventStream* get = nullptr;
        std::uint64_t sent = 0;  // the last event that went out on a GET stream
    };
    Live& live();

    EventNames& names_;
    std::unique_ptr<Live> live_;
};

}  // namespace gantry::mcp
