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

/// One message in its wire form. `json` may have line ends between its tokens; `id` empty: none.
void append_message_event(std::string& out, std::string_view json, std::string_view id = {});
/// The beginning of one, up to where its JSON begins, which must be one line.
void begin_message_event(std::string& out, std::string_view id = {});

/// A response that is an event stream: what waits to be sent, and the one task that sends it. Everybody else only puts
/// whole events in and never waits.
class EventStream {
public:
    explicit EventStream(std::size_t max_queued) noexcept : max_queued_(max_queued) {}

    void push(std::string_view events);
    /// False when the client reads too slowly or is gone: then nothing was taken.
    bool offer(std::string_view events);
    /// Whether the queue is not full, and waiting for that. A long answer that passes at the reader's pace leaves it
    /// half full.
    bool not_full() const noexcept { return !gone_ && waiting() < max_queued_; }
    Task<Result<void>> until_not_full(const Context& ctx) { return until_below(ctx, max_queued_); }
    /// Waits until offer() has room for something.
    Task<Result<void>> room(const Context& ctx) { return until_below(ctx, max_queued_ / 2); }
    /// Sends an answer with a rest as one event, as fast as the client reads; one at a time. What is put in meanwhile
    /// waits behind it. If it breaks off, by the context too, the response is cut: nobody may take it for whole.
    Task<Result<void>> pass(const Context& ctx, Answer answer, std::string_view id = {});

    /// What is queued still goes out, then the response ends; with `part` the connection too, because the handler goes
    /// on.
    void finish(bool part = false);
    /// Makes run() return as soon as the write under way is over; what is queued stays. finish() wins.
    void release();

    enum class End : std::uint8_t { kFinished, kReleased, kGone };
    /// Sends the head, then whatever comes and keep-alives, until one of the above or the client has gone.
    Task<End> run(const Context& ctx, http::Exchange& exchange, const http::Headers& headers, Duration keep_alive);

    enum class Idle : std::uint8_t { kWoken, kTimeout, kGone };
    /// The waiting part alone, for a response that is not yet decided: until something was put in, released or the
    /// client has gone.
    Task<Idle> idle(const Context& ctx, http::Exchange& exchange, Deadline deadline);

    bool begun() const noexcept { return begun_; }
    bool gone() const noexcept { return gone_; }
    bool released() const noexcept { return released_; }
    /// What is queued, for whoever has released the stream and goes on by hand.
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
    std::unique_ptr<std::string> aside_;  // while a long event passes: what comes behind it
    std::optional<CancelSource> waker_;   // while idle
    Event drained_;
};

}  // namespace gantry::mcp
