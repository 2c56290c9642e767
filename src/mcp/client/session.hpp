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

/// How the peer is reached, as far as the protocol is concerned. A route is kPipe or kHttp; kHttpSse is what a session
/// may discover for the latter: like a pipe, everything comes on one stream.
enum class Wire : std::uint8_t { kPipe, kHttp, kHttpSse };

/// One outgoing request, before the era's envelope is added.
struct SessionRequest {
    std::string method;
    JsonObject params;
    std::vector<std::pair<std::string, std::string>> headers;
    CallTimes times;
    std::function<void(const Progress&)> on_progress;
};

/// One established session: knows the revision, adds the era's envelope to requests, answers the server's requests
/// and completes input rounds.
class Session {
public:
    Session(std::unique_ptr<Rpc> rpc, const ClientSettings& settings, ServerDescription server,
            Wire wire = Wire::kPipe);

    const ServerDescription& server() const noexcept { return server_; }
    Revision revision() const noexcept { return server_.revision; }
    bool modern() const noexcept { return is_modern(server_.revision); }
    Wire wire() const noexcept { return wire_; }
    Rpc& rpc() noexcept { return *rpc_; }

    /// Sends a request and waits for the final answer. The result is an object; for a modern task it is the task's
    /// handle (see result_kind in mcp/protocol). kProtocol if the answer violates the protocol.
    Task<Result<Json>> request(const Context& ctx, SessionRequest request);

    /// Relays a request and its answer with the least possible inspection: no input rounds, no validation of the
    /// result. `session_gone`: the server forgot the HTTP session and has not run the request; reinitialize() and
    /// retry.
    Task<Result<void>> relay(const Context& ctx, const RelayRequest& request, RelayAnswer& out, bool& session_gone);

    /// Number of the current initialization of this connection.
    std::uint64_t generation() const noexcept { return generation_; }
    /// Initializes again, unless that already happened since `seen_generation`.
    Task<Result<void>> reinitialize(const Context& ctx, std::uint64_t seen_generation);

    /// Called after each reinitialize() that opened a new HTTP session: the server lost the subscriptions too.
    void on_reinitialized(std::function<void()> hook) { reinitialized_ = std::move(hook); }

    /// Adds the modern envelope to params; legacy params are unchanged.
    Json stamped(Json params) const;

    /// Log level requested with every modern request from now on.
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
    /// Envelopes of relayed requests, by the capabilities they declare.
    std::vector<std::pair<std::string, std::string>> stamps_;
    /// Counts initializations of this connection, so that concurrent calls that lose the HTTP session renew it once.
    std::uint64_t generation_ = 0;
    AsyncMutex renewing_;
    std::function<void()> reinitialized_;
};

}  // namespace gantry::mcp
