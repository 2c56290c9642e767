#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gantry/mcp/notifications.hpp"
#include "io/scope.hpp"
#include "io/sync.hpp"
#include "mcp/client/fair_turn.hpp"
#include "mcp/client/unsent_answers.hpp"
#include "mcp/transport/connection.hpp"

namespace gantry::mcp {

class RawHttpExchange;
class RelayParty;
struct RelayAnswer;
struct RelayRequest;

/// Timeouts of a call. Each progress notification restarts `idle`, and it is paused while we work on a request of the
/// server (a user may be answering); `total` is not. Both are paused while one request waits for a user to log in; a
/// call of several requests has `total` for all of them.
struct CallTimes {
    Duration idle = seconds(30);
    Duration total = std::chrono::minutes(10);
};

/// One outgoing request and how to send it.
struct RpcCall {
    std::string method;
    /// An object, or null for none. `_meta.progressToken` is added here when on_progress is set.
    Json params;
    std::vector<std::pair<std::string, std::string>> headers;
    CallTimes times;
    std::function<void(const Progress&)> on_progress;
    /// Whether to send notifications/cancelled when the request is abandoned; not allowed for initialize.
    bool cancellable = true;
    /// Filled in if an HTTP peer answered with something other than JSON-RPC; may be null.
    HttpFailure* failure = nullptr;
    /// The HTTP status of the answer, 0 if unknown; may be null.
    int* http_status = nullptr;
    /// Notifications on this request's own stream, or over stdio those that carry its id as subscriptionId. Null: they
    /// go to the general hook.
    std::function<void(const NotificationMessage&)> on_notification;
    /// Receives the id before anything is sent, so that other messages can refer to it; may be null.
    RequestId* id = nullptr;
};

/// Handles messages that do not answer a request.
struct RpcHooks {
    /// A request of the peer. The returned task answers it; an Error becomes a JSON-RPC error. If the peer cancels its
    /// request, the context is cancelled and nothing is answered.
    std::function<Task<Result<Json>>(const Context& ctx, RequestMessage request)> on_request;
    std::function<void(const NotificationMessage& notification)> on_notification;
    /// A message that was invalid or unexpected; reading continues.
    std::function<void(const Error& error)> on_oddity;
};

/// Matches answers to requests on one connection; any number may be in flight.
///
/// Every request completes exactly once: answered, failed, timed out, cancelled or lost with the connection.
/// Unexpected answers (late, duplicate, unknown id) are counted and dropped.
class Rpc {
public:
    /// `cancel_by_closing`: abandoning a request closes its stream, as a modern HTTP peer expects; all others get
    /// notifications/cancelled.
    /// `hold_bytes`: longer messages are spooled to files from the start, see Connection::prefer_raw(); zero: only once
    /// a request is relayed.
    Rpc(std::unique_ptr<Connection> connection, RpcHooks hooks, bool cancel_by_closing, UnsentLimits unsent = {},
        std::size_t hold_bytes = 0);
    ~Rpc();
    Rpc(const Rpc&) = delete;
    Rpc& operator=(const Rpc&) = delete;

    /// Sends a request and waits for the answer. A JSON-RPC error fails with kRpc and rpc() set.
    /// kConnection: never sent. kOutcomeUnknown: sent, but the connection broke before the answer.
    Task<Result<Json>> request(const Context& ctx, RpcCall call);
    Task<Result<void>> notify(const Context& ctx, std::string method, Json params);

    void set_revision(Revision revision);
    /// From now on abandoning a request closes its stream instead of sending notifications/cancelled.
    void set_cancel_by_closing(bool value) noexcept { cancel_by_closing_ = value; }

    /// Completes with the reason once the peer disconnected or close() was called.
    Task<Error> closed();
    bool is_closed() const noexcept { return end_.has_value(); }
    /// Number of unexpected answers and notifications; for tests and diagnostics.
    std::uint64_t unexpected_messages() const noexcept { return unexpected_; }

    /// Closes the connection and fails every pending request; required before destruction.
    Task<void> close();

    // For requests relayed as bytes (rpc_relay.cpp).

    /// Null unless the connection has one.
    RawHttpExchange* lane() const noexcept { return connection_->lane(); }
    /// Allocates an id that is unique on this connection.
    std::int64_t take_id() noexcept { return next_id_++; }
    /// Sends `text`, the composed request with that id, and waits for its answer. Errors as in request().
    /// `out.revision` determines the era.
    Task<Result<void>> relay(const Context& ctx, const RelayRequest& request, std::int64_t id, std::string text,
                             RelayAnswer& out);
    /// Registers a relayed request to receive messages of the server that are not attributed to a request.
    void register_request(RelayParty& party);
    void unregister_request(RelayParty& party) noexcept;
    /// Answers a request of the server with a complete message.
    Task<Result<void>> reply(const Context& ctx, RequestId id, std::string text);
    /// Handles a notification that is not attributed to a request.
    void hear(const RawMessage& note);
    /// Abandons a request that was not sent by request(): notifies the server as its era requires.
    void abandon(std::int64_t id, std::string reason);
    /// A handler starts or stops working on a request of the server.
    void serve(bool begins);
    void report_anomaly(std::string what);
    /// Answers to the server's requests that it has not read yet; its reader waits in catch_up() while this is full.
    UnsentAnswers& unsent() noexcept { return unsent_; }
    /// Stops reading until the server has read answers. If it does not within the stall timeout, the connection is
    /// closed with an error that says so.
    Task<Result<void>> catch_up(const Context& ctx);

private:
    using Answering = std::multimap<RequestId, CancelSource>;
    struct Pending;

    void prefer_raw(std::size_t hold_bytes);
    Task<void> read_loop();
    Task<bool> stay_fair(const Context& ctx, std::size_t bytes, TimePoint arrived);
    void dispatch(Incoming incoming);
    void on_lost(const std::optional<RequestId>& id, Error why);
    void on_spool_fault(const SpooledMessage& spooled);
    void on_response(ResponseMessage response, const std::optional<RequestId>& stream, int http_status);
    void on_notification(NotificationMessage notification, const std::optional<RequestId>& stream);
    Task<void> answer(RequestMessage request, CancelSource stop, Answering::iterator entry,
                      UnsentAnswers::Entry unsent);
    void start_answer(RequestMessage request, std::size_t bytes);
    void end_if_stalled(const Error& error);
    bool offer(RawMessage& message);
    bool offer_note(const RawMessage& note);
    bool take_answer(Incoming& incoming);
    void dispatch_raw(Incoming incoming);
    void dispatch_spooled(Incoming incoming);
    void dispatch_tree(Incoming incoming);
    Result<void> hand_over(Pending& pending, const RelayRequest& request, RelayAnswer& out);
    void on_cancelled(const NotificationMessage& notification);
    Task<void> send(std::shared_ptr<Pending> pending, Outgoing outgoing, Context ctx);
    Task<void> give_up(RequestId id, std::string reason, bool tell);
    Task<Result<void>> wait_for_answer(const Context& ctx, Pending& pending, const CallTimes& times);
    void end(Error why);
    Pending* find(const RequestId& id);

    std::unique_ptr<Connection> connection_;
    RpcHooks hooks_;
    bool cancel_by_closing_;
    std::int64_t next_id_ = 1;
    std::uint64_t unexpected_ = 0;
    std::map<RequestId, std::shared_ptr<Pending>> pending_;
    Answering answering_;  // the peer's requests until answered
    UnsentAnswers unsent_;
    FairTurn fair_;
    bool slowed_ = false;            // the peer exceeded its share at least once
    std::size_t working_bytes_ = 0;  // total size of the peer's requests being handled
    int serving_ = 0;                // number of handlers running
    std::vector<RelayParty*> parties_;
    std::size_t raw_beyond_ = 0;  // the value passed to prefer_raw()
    std::optional<Error> end_;
    Event ended_;
    bool closing_ = false;
    Event finished_;  // close() is done; concurrent callers wait for it
    Scope scope_;
};

}  // namespace gantry::mcp
