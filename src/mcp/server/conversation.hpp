#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/request_validation.hpp"
#include "mcp/server/session.hpp"

namespace gantry::mcp {

/// Ordered outgoing messages to one client.
class MessageSink {
public:
    virtual ~MessageSink() = default;
    /// Never blocks; returns false if the queue is full, and drops the message.
    virtual bool offer(std::string_view message) = 0;
    /// For the few small messages that must not be dropped; never blocks.
    virtual void push(std::string_view message) = 0;
    /// Waits until offer() has room.
    virtual Task<Result<void>> room(const Context& ctx) = 0;
    /// Sends one answer of any length; waits for room.
    virtual Task<void> answer(const Context& ctx, std::string_view raw_id, Answer answer) = 0;
};

/// A client with a single message stream in each direction: stdio, or HTTP+SSE. Serves legacy requests after
/// `initialize` and modern ones at any time, side by side.
class Conversation {
public:
    struct Options {
        Eras eras = Eras::kBoth;
        JsonLimits limits = {};
        std::size_t max_calls = 256;
        Duration ask_timeout = std::chrono::minutes(10);
        std::string session = {};  // name of the legacy session
        /// Accumulates the sizes of messages being served, as a bound across several conversations; may be null,
        /// otherwise it must outlive the conversation.
        std::size_t* bytes_in_flight = nullptr;
    };
    /// `backend` and `sink` must outlive it. finish() is required before destruction.
    Conversation(const Context& ctx, Backend& backend, std::shared_ptr<const Identity> identity, MessageSink& sink,
                 Options options);
    ~Conversation();

    /// Accepts one message of the client. Never blocks: requests are served concurrently.
    void receive(std::string text);
    /// End of input: subscriptions end; calls in flight may continue for `grace` and are then cancelled.
    Task<void> finish(Duration grace);
    /// Ends subscriptions with their result.
    void drain() { draining_.set(); }
    void cancel() { scope_.cancel(); }
    std::size_t serving() const noexcept { return calls_.size(); }

private:
    class Line;
    class LineSession;
    struct Item;
    using ItemPtr = std::unique_ptr<Item>;

    void refuse(std::string_view raw_id, const RpcError& error);
    void take_request(ItemPtr item, Era era);
    void notified(const Item& item, Era era);
    Task<void> serve(ItemPtr item, Era era);
    Task<void> serve_batch(ItemPtr item);
    Task<Answer> answer(const Context& ctx, const Call& call, Era era);
    Task<Answer> greet(const Context& ctx, const Call& call);
    Task<void> listen(const Context& ctx, const Call& call);
    Task<void> begin_watch(Context ctx);
    std::expected<Call, Rejection> call_of(const Item& item, Era era);

    Backend& backend_;
    const std::shared_ptr<const Identity> identity_;
    MessageSink& sink_;
    const Options options_;
    PeerCache peers_;
    CallList calls_;
    std::unique_ptr<LineSession> session_;
    bool greeting_ = false;  // an initialize was accepted
    Event greeted_;          // and answered
    Event draining_;
    Event changed_;  // a call ended
    Scope scope_;
};

}  // namespace gantry::mcp
