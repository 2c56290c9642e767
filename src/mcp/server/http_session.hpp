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

/// A legacy session over Streamable HTTP. While nothing is open it is little more than its id: stream state is created
/// with the first stream and released when no longer needed.
class HttpSession final : public LegacySession {
public:
    struct Opening {
        std::string token;  // the sealed id, as presented by the client
        std::string path;
        std::int64_t expires = 0;  // seconds of Unix time
        /// Restored from its id alone: changes in the meantime are unknown.
        bool resumed = false;
    };

    HttpSession(Backend& backend, PeerPtr peer, EventNames& names, Opening opening);

    /// Sent on the GET stream; without one it is kept in the log.
    void tell(std::string message) override;
    void end() override;

    /// Allocates a stream number for a POST.
    std::uint64_t new_stream() noexcept { return names_.next_stream++; }
    /// Logs a message under the next id of `stream` and returns that id. An empty message only consumes an id.
    std::string record(std::uint64_t stream, std::string message);
    /// The events of `stream` after `place`, in wire form.
    std::string replay(std::uint64_t stream, std::uint64_t place) const;

    /// Makes `stream` the one for unsolicited messages and ends an earlier one. Queues on it the messages not yet sent
    /// or, if the client names its last event, those that followed it.
    void open_get(EventStream& stream, std::optional<std::uint64_t> after);
    void close_get(const EventStream& stream);
    /// Number of the stream for unsolicited messages.
    std::uint64_t get_stream();
    bool has_stream() const noexcept { return live_ && live_->get != nullptr; }

    /// No calls in flight and no open stream.
    bool idle() const noexcept { return calls.empty() && asks.empty() && !has_stream(); }
    /// Idle and restorable from its sealed id: no log level, no subscriptions, no events to replay.
    bool recoverable() const noexcept { return idle() && !level && !subscribed() && !live_; }
    /// Drops events too old to be asked for.
    void tidy(TimePoint before);

    const std::string token;
    const std::string path;
    const std::int64_t expires;
    bool resumed;
    TimePoint used;
    // Intrusive LRU list of the table.
    HttpSession* older = nullptr;
    HttpSession* newer = nullptr;

private:
    struct Live {
        EventLog log;
        std::uint64_t places = 0;
        std::uint64_t get_number = 0;
        EventStream* get = nullptr;
        std::uint64_t sent = 0;  // the last event sent on a GET stream
    };
    Live& live();

    EventNames& names_;
    std::unique_ptr<Live> live_;
};

}  // namespace gantry::mcp
