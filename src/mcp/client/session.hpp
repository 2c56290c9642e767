#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/client/relay.hpp"
#include "mcp/client/rpc.hpp"
#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// How the peer is reached, as far as the protocol cares. A route says kPipe or kHttp; kHttpSse is what a session may
/// find at the end of the latter: like a pipe, everything comes on one stream.
enum class Wire : std::uint8_t { kPipe, kHttp, kHttpSse };

/// One request of ours, before the era's envelope is put around it.
struct SessionRequest {
    std::string method;
    JsonObject params;
    std::vector<std::pair<std::string, std::string>> headers;
    CallTimes times;
    std::function<void(const Progress&)> on_progress;
};

/// One established conversation: knows the revision, puts the era's envelope around requests, serves what the
/// server asks back and drives input rounds to their end.
class Session {
public:
    Session(std::unique_ptr<Rpc> rpc, const ClientSettings& settings, ServerDescription server,
            Wire wire = Wire::kPipe);

    const ServerDescription& server() const noexcept { return server_; }
    Revision revision() const noexcept { return server_.revision; }
    bool modern() const noexcept { return is_modern(server_.revision); }
    Wire wire() const noexcept { return wire_; }
    Rpc& rpc() noexcept { return *rpc_; }

    /// Sends and waits for the final answer. The result is an object; for a modern task it is the task's handle
    /// (see result_kind in mcp/protocol). kProtocol when the server breaks the rules of an answer.
    Task<Result<Json>> request(const Context& ctx, SessionRequest request);

    /// Passes somebody's request on and brings the answer, without looking at either more than must be: no input
    /// rounds, no check of the result. `session_gone`: the server forgot the HTTP session and has not run the request;
    /// reinitialize() and try again.
    Task<Result<void>> relay(const Context& ctx, const RelayRequest& request, RelayAnswer& out, bool& session_gone);

    /// Which initialization of this connection counts now.
    std::uint64_t generation() const noexcept { return generation_; }
    /// Initializes again, unless somebody has since `seen_generation`.
    Task<Result<void>> reinitialize(const Context& ctx, std::uint64_t seen_generation);

    /// Called after each reinitialize() that opened a new HTTP session: the server has forgotten subscriptions too.
    void on_reinitialized(std::function<void()> hook) { reinitialized_ = std::move(hook); }

    /// Params with the envelope a modern request needs; legacy ones stay as they are.
    Json stamped(Json params) const;

    /// The log level asked for with every modern request from now on.
    void set_log_level(std::optional<LogLevel> level) noexcept { log_level_ = level; }

    Task<void> close();

private:
    Task<Result<Json>> exchange(const Context& ctx, const SessionRequest& request, const JsonObject& params);
    Task<Result<Json>> rounds(const Context& ctx, const SessionRequest& request);
    std::string_view stamp_for(std::string_view capabilities);
    Task<Result<bool>> visit_required_urls(const Context& ctx, const Error& error);

    std::unique_ptr<Rpc> rpc_;
    const ClientSettings& settings_;
    ServerDescription server_;
    Wire wire_;
    std::optional<LogLevel> log_level_;
    /// What relayed requests say about us, by the capabilities they declare.
    std::vector<std::pair<std::string, std::string>> stamps_;
    /// Counts initializations of this connection, so that calls that lose the HTTP session together renew it once.
    std::uint64_t generation_ = 0;
    AsyncMutex renewing_;
    std::function<void()> reinitialized_;
};

}  // namespace gantry::mcp
