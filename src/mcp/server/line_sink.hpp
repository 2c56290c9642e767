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
    /// A long answer goes through a file, so that the line is not begun before all of it is here. One that breaks off
    /// becomes an error.
    Task<void> answer(const Context& ctx, std::string_view raw_id, Answer answer) override;

    /// The task that writes; ends with its context or the stream.
    Task<void> run(Context ctx);
    /// Waits until everything has been written.
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
    AsyncMutex turn_;  // a whole line, however long
};

}  // namespace gantry::mcp
