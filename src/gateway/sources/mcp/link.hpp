#pragma once

#include <memory>
#include <string>
#include <utility>

#include "mcp/client/client.hpp"

namespace gantry::gateway {

/// One client of the server: the shared one, or one that some callers have for themselves.
class Link {
public:
    explicit Link(std::unique_ptr<mcp::Client> made) : client_(std::move(made)) {}

    mcp::Client& client() noexcept { return *client_; }
    const mcp::ServerDescription& server() const noexcept { return client_->server(); }
    bool modern() const noexcept { return mcp::is_modern(server().revision); }

    /// A legacy server logs for the whole session: it is asked once for everything, and each call gets what it wants
    /// of that. A server that refuses is left alone.
    Task<void> open_logs(const Context& ctx) {
        if (logs_open_ || modern() || !server().capabilities.logging) co_return;
        logs_open_ = true;
        auto asked = co_await client_->set_log_level(ctx, mcp::LogLevel::kDebug);
        // Not heard: the next call that wants logs asks again.
        if (!asked && asked.error().rpc() == nullptr) logs_open_ = false;
    }

private:
    std::unique_ptr<mcp::Client> client_;
    bool logs_open_ = false;
};
using LinkPtr = std::shared_ptr<Link>;

}  // namespace gantry::gateway
