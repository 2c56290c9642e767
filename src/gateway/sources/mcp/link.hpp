#pragma once

#include <memory>
#include <string>
#include <utility>

#include "gateway/ports/reply_line.hpp"
#include "mcp/client/client.hpp"

namespace gantry::gateway {

/// One client of the server: the shared one, or one that is private to some callers.
class Link {
public:
    explicit Link(std::unique_ptr<mcp::Client> made) : client_(std::move(made)) {}

    mcp::Client& client() noexcept { return *client_; }
    const mcp::ServerDescription& server() const noexcept { return client_->server(); }
    bool modern() const noexcept { return mcp::is_modern(server().revision); }

    /// A legacy server logs for the whole session, so it is asked once for all levels, and each call receives the part
    /// it wants. A refusal is final.
    Task<void> open_logs(const Context& ctx) {
        if (logs_open_ || modern() || !server().capabilities.logging) co_return;
        logs_open_ = true;
        auto asked = co_await client_->set_log_level(ctx, mcp::LogLevel::kDebug);
        // The request did not get through: the next call that wants logs tries again.
        if (!asked && asked.error().rpc() == nullptr) logs_open_ = false;
    }

    /// The lowest level of the server's log messages that this caller receives; empty: none. A caller that set no level
    /// receives what the server sends by default, without details that were enabled for another caller.
    std::optional<mcp::LogLevel> log_level_for(const ReplyLine& line) const noexcept {
        if (line.log_level() || !line.takes_unasked_logs()) return line.log_level();
        return logs_open_ ? mcp::LogLevel::kInfo : mcp::LogLevel::kDebug;
    }

private:
    std::unique_ptr<mcp::Client> client_;
    bool logs_open_ = false;
};
using LinkPtr = std::shared_ptr<Link>;

}  // namespace gantry::gateway
