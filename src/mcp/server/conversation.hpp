#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/server/ladder.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/session.hpp"

namespace gantry::mcp {

/// Where all messages to one client go, in order.
class MessageSink {
public:
    virtual ~MessageSink() = default;
    /// Never waits; false: too much is waiting already, and this was dropped.
    virtual bool offer(std::string_view message) = 0;
    /// For the few small messages that must not be lost; never waits.
    virtual void push(std::string_view message) = 0;
    /// Waits until offer() has room.
    virtual Task<Result<void>> room(const Context& ctx) = 0;
    /// One answer, however long; waits for room.
    virtual Task<void> answer(const Context& ctx, std::string_view raw_id, Answer answer) = 0;
};

/// A client whose messages all come and go on one line: stdio, or HTTP+SSE. Legacy after `initialize`, modern at any
/// time, side by side.
class Conversation {
public:
    struct Options {
        Eras eras = Eras::kBoth;
        JsonLimits limits = {};
        std::size_t max_calls = 256;
        Duration ask_timeout = std::chrono::minutes(10);
        std::string session = {};  // what a legacy session is called
        /// Where the sizes of messages that are being served add up, for a bound over several conversations; may be
        /// null and must outlive the conversation.
        std::size_t* bytes_in_flight = nullptr;
    };
    /// `backend` and `sink` must outlive it. finish() is required before destruction.
    Conversation(const Context& ctx, Backend& backend, std::shared_ptr<const Identity> identity, MessageSink& sink,
                 Options options);
    ~Conversation();

    /// Takes one message of the client. Never waits: requests are served beside each other.
    void receive(std::string text);
    /// No more messages come: subscriptions end, calls may go on for `grace` and are cancelled then.
    Task<void> finish(Duration grace);
    /// Ends subscriptions in good order.
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
    std::expected<Call, Fall> call_of(const Item& item, Era era);

    Backend& backend_;
    const std::shared_ptr<const Identity> identity_;
    MessageSink& sink_;
    const Options options_;
    PeerCache peers_;
    CallList calls_;
    std::unique_ptr<LineSession> session_;
    bool greeting_ = false;  // an initialize has been accepted
    Event greeted_;          // and answered
    Event draining_;
    Event changed_;  // a call ended
    Scope scope_;
};

}  // namespace gantry::mcp
