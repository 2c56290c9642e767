#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "io/context.hpp"
#include "io/http/server.hpp"
#include "io/sync.hpp"
#include "mcp/server/call.hpp"

namespace gantry::mcp {

/// Appends one message as an event. `json` may contain line ends between tokens; an empty `id` is omitted.
void append_message_event(std::string& out, std::string_view json, std::string_view id = {});
/// Appends the start of an event, up to where its JSON begins, which must be a single line.
void begin_message_event(std::string& out, std::string_view id = {});

/// A response that is an event stream: a bounded queue and the one task that sends it. All other tasks only enqueue
/// whole events and never block.
class EventStream {
public:
    explicit EventStream(std::size_t max_queued) noexcept : max_queued_(max_queued) {}

    void push(std::string_view events);
    /// Returns false, taking nothing, if the client reads too slowly or disconnected.
    bool offer(std::string_view events);
    /// Whether the queue has room, and a wait for it. A long answer sent at the reader's pace leaves it half full.
    bool not_full() const noexcept { return !gone_ && waiting() < max_queued_; }
    Task<Result<void>> until_not_full(const Context& ctx) { return until_below(ctx, max_queued_); }
    /// Waits until offer() has room for something.
    Task<Result<void>> room(const Context& ctx) { return until_below(ctx, max_queued_ / 2); }
    /// Sends an answer with a rest as one event, at the client's pace; one at a time. Events enqueued meanwhile are
    /// sent after it. If it breaks off, also through the context, the connection is cut, so that it never looks
    /// complete.
    Task<Result<void>> pass(const Context& ctx, Answer answer, std::string_view id = {});

    /// Flushes the queue and ends the response; with `part` also the connection, because the handler continues.
    void finish(bool part = false);
    /// Makes run() return as soon as the write in progress is done; the queue is kept. finish() takes precedence.
    void release();

    enum class End : std::uint8_t { kFinished, kReleased, kGone };
    /// Sends the head, then queued events and keep-alives, until one of the above or the client disconnects.
    Task<End> run(const Context& ctx, http::Exchange& exchange, const http::Headers& headers, Duration keep_alive);

    enum class Idle : std::uint8_t { kWoken, kTimeout, kGone };
    /// Only waits, for a response that is still undecided: until something is enqueued, the stream is released or the
    /// client disconnects.
    Task<Idle> idle(const Context& ctx, http::Exchange& exchange, Deadline deadline);

    bool begun() const noexcept { return begun_; }
    bool gone() const noexcept { return gone_; }
    bool released() const noexcept { return released_; }
    /// The queued bytes, for the caller that released the stream and continues by hand.
    std::string take() { return std::exchange(queued_, {}); }

private:
    void wake() noexcept;
    std::size_t waiting() const noexcept { return queued_.size() + writing_ + (aside_ ? aside_->size() : 0); }
    Task<Result<void>> until_below(Context ctx, std::size_t bytes);
    Task<Result<void>> pass_rest(const Context& ctx, AnswerStream& rest);
    Task<bool> flush(const Context& ctx, http::Exchange& exchange, const http::Headers& headers);

    std::size_t max_queued_;
    std::string queued_;
    std::size_t writing_ = 0;
    bool begun_ = false;
    bool finished_ = false;
    bool part_ = false;
    bool released_ = false;
    bool gone_ = false;
    bool cut_ = false;                    // in the middle of an event
    std::unique_ptr<std::string> aside_;  // while a long event is being sent: what follows it
    std::optional<CancelSource> waker_;   // while idle
    Event drained_;
};

}  // namespace gantry::mcp
