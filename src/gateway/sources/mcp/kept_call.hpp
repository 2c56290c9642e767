#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/ports/reply_line.hpp"
#include "gateway/sources/mcp/carried.hpp"
#include "gateway/sources/mcp/lanes.hpp"
#include "gateway/sources/mcp/params.hpp"
#include "io/sync.hpp"
#include "mcp/client/relay.hpp"

namespace gantry::gateway {

/// A request to a legacy server that may ask something while it works, and so may outlive the exchange with the client
/// it is made for.
///
/// A client that can be asked while it waits is asked at once. For any other the questions collect here, the exchange
/// ends, and the next one brings the answers: the request itself stays open all the time (protocol.md C3).
class KeptCall : public std::enable_shared_from_this<KeptCall> {
public:
    struct Request {
        std::string method;
        OwnParams params;
        std::string name = {};  // in the place of the one in params; empty: stays
        CarriedPtr carried;     // what the client may be asked
        mcp::CallTimes times = {};
        std::size_t max_result_bytes = 64u << 20;
        bool repeatable = false;
        /// The server's task this waits for on nobody else's behalf: giving up means that it is not wanted any more.
        std::string task = {};
        Lease lease;
    };
    KeptCall(std::string principal, std::string about, Request request);
    ~KeptCall();

    const std::string& principal() const noexcept { return principal_; }
    /// What the call is about, to tell one retry from another.
    const std::string& about() const noexcept { return about_; }
    void set_about(std::string about) { about_ = std::move(about); }

    /// Makes the request and waits for its end; to be spawned once.
    static Task<void> run(std::shared_ptr<KeptCall> self);

    enum class Turn : std::uint8_t { kDone, kAsked };
    /// Serves one exchange with the client, whose line this is: until there is an outcome, or questions that have
    /// waited `coalesce` for others. If the exchange is given up, so is the request.
    Task<Result<Turn>> turn(const Context& ctx, ReplyLine& line, Duration coalesce);

    /// Waits for an outcome or questions without being anybody's exchange: giving up changes nothing.
    Task<void> settle(const Context& ctx, Duration coalesce);

    /// After kDone, once. The lease is handed over for an answer that still streams.
    Result<mcp::RelayAnswer> take_outcome(Lease& lease);
    bool done() const noexcept { return outcome_.has_value(); }

    bool has_questions() const noexcept { return !questions_.empty(); }
    /// The open questions as the object `inputRequests`.
    std::string questions() const;
    JsonObject question_objects() const;
    /// Refuses answers of the wrong shape as -32602; answers to unknown questions are ignored.
    Result<void> check(const Json& answers) const;
    /// Sends on what was answered; the rest stays open.
    void answer(const Json& answers);
    /// Nobody will answer: the server is told so, then the request is cancelled.
    Task<void> expire();
    /// Cancels the request.
    void abandon() { stop_.cancel(); }

private:
    struct Question;
    class Attended;
    static Task<Result<std::string>> asked(std::shared_ptr<KeptCall> self, Context ctx, std::string method,
                                           std::string params);
    Task<Result<std::string>> ask_line(Context ctx, std::string method, std::string params);
    mcp::RelayHooks hooks();
    Task<void> cancel_task();
    /// Until there is an outcome, or questions that have waited long enough for others.
    Task<Result<void>> wait(const Context& ctx, Duration coalesce);

    std::string principal_;
    std::string about_;
    Request request_;
    CancelSource stop_;
    ReplyLine* line_ = nullptr;
    std::list<CancelSource> asking_;  // what the present line is being asked
    std::vector<std::shared_ptr<Question>> questions_;
    TimePoint last_question_ = {};
    std::optional<Result<mcp::RelayAnswer>> outcome_;
    Event changed_;
};

/// `params` of notifications/progress without its token.
std::string without_token(std::string_view params, const json::ParamsView& view);

/// A text nobody can guess.
std::string random_name();

}  // namespace gantry::gateway
