#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/reply_line.hpp"
#include "gateway/sources/mcp/forwarded_capabilities.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "gateway/sources/mcp/params.hpp"
#include "io/sync.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::gateway {

/// A request to a legacy server that may ask questions while it runs, and so may outlive the exchange with the client
/// it was made for.
///
/// A client that can be asked during the call is asked at once. For any other client the questions collect here, the
/// exchange ends, and the next exchange brings the answers. The request itself stays open all the time (protocol.md
/// C3).
class SuspendableCall : public std::enable_shared_from_this<SuspendableCall> {
public:
    struct Request {
        std::string method;
        OwnParams params;
        std::string name = {};  // replaces the name in params; empty: unchanged
        std::string correlation_id = {};
        ForwardedCapabilitiesPtr forwarded;  // what may be asked of the client
        mcp::CallTimes times = {};
        std::size_t max_result_bytes = 64u << 20;
        bool repeatable = false;
        /// The server's task this call alone waits for; abandoning the call cancels the task.
        std::string task = {};
        Lease lease;
    };
    SuspendableCall(std::string principal, std::string about, Request request);
    ~SuspendableCall();

    const std::string& principal() const noexcept { return principal_; }
    /// Identifies what is called, to tell one retry from another.
    const std::string& about() const noexcept { return about_; }
    void set_about(std::string about) { about_ = std::move(about); }

    /// Sends the request and waits for its end; spawn exactly once.
    static Task<void> run(std::shared_ptr<SuspendableCall> self);

    enum class Turn : std::uint8_t { kDone, kAsked };
    /// Serves one exchange with the client behind `line`. Returns when there is an outcome, or when questions have
    /// waited `coalesce` for others. Cancelling the exchange cancels the request.
    Task<Result<Turn>> turn(const Context& ctx, ReplyLine& line, Duration coalesce);

    /// Waits for an outcome or questions outside of any exchange; cancelling the wait changes nothing.
    Task<void> settle(const Context& ctx, Duration coalesce);

    /// Call once, after kDone. An answer that is still streaming receives the lease.
    Result<mcp::RelayAnswer> take_outcome(Lease& lease);
    bool done() const noexcept { return outcome_.has_value(); }

    bool has_questions() const noexcept { return !questions_.empty(); }
    /// The open questions as an `inputRequests` object.
    std::string questions() const;
    JsonObject question_objects() const;
    /// Rejects answers of the wrong shape with -32602; answers to unknown questions are ignored.
    Result<void> check(const Json& answers) const;
    /// Forwards the given answers to the server; unanswered questions stay open.
    void answer(const Json& answers);
    /// Gives up on answers: elicitations count as cancelled, other open questions fail, then the request is cancelled.
    Task<void> expire();
    /// Cancels the request.
    void abandon() { stop_.cancel(); }

private:
    struct Question;
    class Attended;
    static Task<Result<std::string>> asked(std::shared_ptr<SuspendableCall> self, Context ctx, std::string method,
                                           std::string params);
    Task<Result<std::string>> ask_line(Context ctx, std::string method, std::string params);
    mcp::RelayHooks hooks();
    Task<void> cancel_task();
    /// Waits for an outcome, or for questions that have waited `coalesce` for others.
    Task<Result<void>> wait(const Context& ctx, Duration coalesce);

    std::string principal_;
    std::string about_;
    Request request_;
    CancelSource stop_;
    ReplyLine* line_ = nullptr;
    std::list<CancelSource> asking_;  // questions in progress on the present line
    std::vector<std::shared_ptr<Question>> questions_;
    TimePoint last_question_ = {};
    std::optional<Result<mcp::RelayAnswer>> outcome_;
    Event changed_;
};

/// The `params` of notifications/progress without its token.
std::string without_token(std::string_view params, const json::ParamsView& view);

/// An unguessable text.
std::string random_name();

}  // namespace gantry::gateway
