#pragma once

#include <memory>
#include <string>

#include "io/sync.hpp"
#include "mcp/server/conversation.hpp"
#include "mcp/server/event_stream.hpp"

namespace gantry::mcp {

/// One HTTP+SSE session: a long-lived stream, and the messages posted next to it.
class SseSession final : public MessageSink {
public:
    SseSession(const Context& ctx, Backend& backend, std::shared_ptr<const Identity> identity, std::size_t max_queued,
               Conversation::Options options)
        : backend(backend),
          identity(identity),
          stream(max_queued),
          conversation(ctx, backend, identity, *this, std::move(options)) {}

    bool offer(std::string_view message) override;
    void push(std::string_view message) override;
    Task<Result<void>> room(const Context& ctx) override { return stream.room(ctx); }
    Task<void> answer(const Context& ctx, std::string_view raw_id, Answer answer) override;

    void end() {
        conversation.cancel();
        stream.finish();
    }

    Backend& backend;
    AsyncMutex long_turn;  // serializes answers that do not fit into the queue
    const std::shared_ptr<const Identity> identity;
    EventStream stream;
    Conversation conversation;
};

}  // namespace gantry::mcp
