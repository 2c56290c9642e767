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

class HttpLane;
class RelayParty;
struct RelayAnswer;
struct RelayRequest;

/// How long a call may take. Each progress notification starts `idle` anew, and it does not run while we work on
/// something the server asked (a person may be answering); `total` counts on. Neither counts while one request waits
/// for a person to log in; a call of several requests has `total` for all of them.
struct CallTimes {
    Duration idle = seconds(30);
    Duration total = std::chrono::minutes(10);
};

/// One outgoing request as the session wants it carried.
struct RpcCall {
    std::string method;
    /// An object, or null for none. `_meta.progressToken` is added here when on_progress is set.
    Json params;
    std::vector<std::pair<std::string, std::string>> headers;
    CallTimes times;
    std::function<void(const Progress&)> on_progress;
    /// Told to the peer with notifications/cancelled when we give up; initialize must not be.
    bool cancellable = true;
    /// Filled in when an HTTP peer answered with something else than JSON-RPC; may be null.
    HttpFailure* failure = nullptr;
    /// The HTTP status the answer came with, 0 when unknown; may be null.
    int* http_status = nullptr;
    /// Notifications that came on this request's own stream, or for stdio any that carry its id as
    /// subscriptionId. Null: they go to the general hook.
    std::function<void(const NotificationMessage&)> on_notification;
    /// Receives the id before anything is sent, so that others can refer to it; may be null.
    RequestId* id = nullptr;
};

/// What the conversation does with messages it did not ask for.
struct RpcHooks {
    /// A request of the peer. The returned task answers it; an Error becomes a JSON-RPC error. The context stops
    /// when the peer cancels its request; nothing is answered then.
    std::function<Task<Result<Json>>(const Context& ctx, RequestMessage request)> on_request;
    std::function<void(const NotificationMessage& notification)> on_notification;
    /// A message that could not be understood or was not expected; reading goes on.
    std::function<void(const Error& error)> on_oddity;
};

/// Matches answers to requests on one connection, any number in flight.
///
/// Every request ends exactly once: answered, failed, timed out, cancelled or lost with the connection.
/// Answers nobody waits for (late, doubled, unknown id) are counted and dropped.
class Rpc {
public:
    /// `cancel_by_closing`: giving a request up closes its stream, as a modern HTTP peer expects; all others get
    /// notifications/cancelled.
    /// `hold_bytes`: longer messages are spooled to files from the start, see Connection::prefer_raw(); zero: from the
    /// first relayed request on.
    Rpc(std::unique_ptr<Connection> connection, RpcHooks hooks, bool cancel_by_closing, UnsentLimits unsent = {},
        std::size_t hold_bytes = 0);
    ~Rpc();
    Rpc(const Rpc&) = delete;
    Rpc& operator=(const Rpc&) = delete;

    /// Sends and waits for the answer. A JSON-RPC error comes back as kRpc with rpc() set.
    /// kConnection: it was never sent. kOutcomeUnknown: sent, but the connection broke before the answer.
    Task<Result<Json>> request(const Context& ctx, RpcCall call);
    Task<Result<void>> notify(const Context& ctx, std::string method, Json params);

    void set_revision(Revision revision);
    /// From now on giving up closes the stream instead of sending notifications/cancelled.
    void set_cancel_by_closing(bool value) noexcept { cancel_by_closing_ = value; }

    /// Completes when the peer is gone (or close() was called), with the reason.
    Task<Error> closed();
    bool is_closed() const noexcept { return end_.has_value(); }
    /// Answers and notifications that fitted nothing; for tests and diagnostics.
    std::uint64_t unexpected_messages() const noexcept { return unexpected_; }

    /// Ends the connection and every request still waiting; required before destruction.
    Task<void> close();

    // For requests that are passed on as bytes (rpc_relay.cpp).

    /// Null unless the connection has one.
    HttpLane* lane() const noexcept { return connection_->lane(); }
    /// An id no other request of this connection has.
    std::int64_t take_id() noexcept { return next_id_++; }
    /// Sends `text`, the composed request with that id, and waits for its answer. Errors as those of request().
    /// `out.revision` says the era.
    Task<Result<void>> relay(const Context& ctx, const RelayRequest& request, std::int64_t id, std::string text,
                             RelayAnswer& out);
    /// From now on what the server says to nobody in particular may be for this one.
    void enlist(RelayParty& party);
    void discharge(RelayParty& party) noexcept;
    /// Answers a request of the server with a whole message.
    Task<Result<void>> reply(const Context& ctx, RequestId id, std::string text);
    /// A notification that is for nobody in particular.
    void hear(const RawMessage& note);
    /// Nobody waits for the answer to a request that was not sent by request(): tells the server, as the era has it.
    void forsake(std::int64_t id, std::string reason);
    /// Somebody begins or ends to work on a request of the server.
    void serve(bool begins);
    void odd(std::string what);
    /// What the server asked and has not taken the answers of; a reader of its messages waits in catch_up() while full.
    UnsentAnswers& unsent() noexcept { return unsent_; }
    /// Stops reading until the server has taken answers. A server that does not within the stall time loses the
    /// connection, and the error says so.
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
    Answering answering_;  // the peer's requests, until answered
    UnsentAnswers unsent_;
    FairTurn fair_;
    bool slowed_ = false;            // the peer has had more than its share once
    std::size_t working_bytes_ = 0;  // size of the peer's requests whose handlers are at work
    int serving_ = 0;                // those of them whose handler is at work
    std::vector<RelayParty*> parties_;
    std::size_t raw_beyond_ = 0;  // what the connection was told with prefer_raw()
    std::optional<Error> end_;
    Event ended_;
    bool closing_ = false;
    Event finished_;  // close() is through; whoever else closes waits for it
    Scope scope_;
};

}  // namespace gantry::mcp
