#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mcp/client/rpc.hpp"
#include "mcp/client/settings.hpp"

namespace gantry::mcp {

/// How the peer is reached, as far as the protocol cares.
enum class Wire : std::uint8_t { kPipe, kHttp };

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
    Session(std::unique_ptr<Rpc> rpc, const ClientSettings& settings, ServerDescription server);

    const ServerDescription& server() const noexcept { return server_; }
    Revision revision() const noexcept { return server_.revision; }
    bool modern() const noexcept { return is_modern(server_.revision); }
    Rpc& rpc() noexcept { return *rpc_; }

    /// Sends and waits for the final answer. The result is an object; for a modern task it is the task's handle
    /// (see result_kind in mcp/protocol). kProtocol when the server breaks the rules of an answer.
    Task<Result<Json>> request(const Context& ctx, SessionRequest request);

    /// Params with the envelope a modern request needs; legacy ones stay as they are.
    Json stamped(Json params) const;

    /// The log level asked for with every modern request from now on.
    void set_log_level(std::optional<LogLevel> level) noexcept { log_level_ = level; }

    Task<void> close();

private:
    Task<Result<Json>> exchange(const Context& ctx, const SessionRequest& request, const JsonObject& params);
    Task<Result<Json>> rounds(const Context& ctx, const SessionRequest& request);
    Task<Result<void>> reinitialize(const Context& ctx, std::uint64_t seen_generation);
    Task<Result<bool>> visit_required_urls(const Context& ctx, const Error& error);

    std::unique_ptr<Rpc> rpc_;
    const ClientSettings& settings_;
    ServerDescription server_;
    std::optional<LogLevel> log_level_;
    /// Counts initializations of this connection, so that calls that lose the HTTP session together renew it once.
    std::uint64_t generation_ = 0;
    AsyncMutex renewing_;
};

}  // namespace gantry::mcp
