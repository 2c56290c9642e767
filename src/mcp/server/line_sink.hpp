#pragma once

#include <string>

#include "io/stream.hpp"
#include "io/sync.hpp"
#include "mcp/server/conversation.hpp"

namespace gantry::mcp {

/// Sends one message per line on a stream, for any number of tasks.
class LineSink final : public MessageSink {
public:
    LineSink(Stream& stream, std::size_t max_queued) : stream_(stream), max_queued_(max_queued) {}

    bool offer(std::string_view message) override;
    void push(std::string_view message) override;
    Task<Result<void>> room(const Context& ctx) override;
    /// A long answer is spooled to a file first, so that its line is not started before it is complete. If it breaks
    /// off, an error is sent instead.
    Task<void> answer(const Context& ctx, std::string_view raw_id, Answer answer) override;

    /// The writer task; ends with its context or the stream.
    Task<void> run(Context ctx);
    /// Waits until the queue is flushed.
    Task<Result<void>> close(const Context& ctx);

private:
    Task<bool> write(const Context& ctx, std::string_view bytes);

    Stream& stream_;
    std::size_t max_queued_;
    std::string queued_;
    std::size_t writing_ = 0;
    bool broken_ = false;
    Event work_;
    Event drained_;
    AsyncMutex turn_;  // held for a whole line, however long
};

}  // namespace gantry::mcp
