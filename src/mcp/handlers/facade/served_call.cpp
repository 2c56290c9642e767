#include "mcp/handlers/facade/bridge.hpp"

namespace gantry {
namespace {

// Separate coroutines, because a coroutine lambda must not capture.
Task<Result<mcp::ElicitResult>> elicit_on(const Context& ctx, mcp::ServerCall& call, std::string key,
                                          mcp::ElicitParams params) {
    co_return co_await call.elicit(ctx, std::move(key), std::move(params));
}
Task<Result<mcp::CreateMessageResult>> sample_on(const Context& ctx, mcp::ServerCall& call, std::string key,
                                                 mcp::CreateMessageParams params) {
    co_return co_await call.sample(ctx, std::move(key), std::move(params));
}
Task<Result<std::vector<mcp::Root>>> roots_on(const Context& ctx, mcp::ServerCall& call, std::string key) {
    co_return co_await call.roots(ctx, std::move(key));
}
Task<Result<bool>> become_task_on(mcp::ServerCall& call, std::string message) {
    co_return call.become_task(std::move(message));
}

}  // namespace

bool ServedCall::cancelled() const noexcept {
    return bridge_.cancelled;
}
mcp::Revision ServedCall::revision() const noexcept {
    return bridge_.peer->revision;
}
const mcp::ClientCapabilities& ServedCall::client() const noexcept {
    return bridge_.peer->capabilities;
}
const std::optional<mcp::Implementation>& ServedCall::client_info() const noexcept {
    return bridge_.peer->info;
}

void ServedCall::progress(double progress, std::optional<double> total, std::string message) {
    bridge_.gate->post([bridge = bridge_.shared_from_this(), progress, total, message = std::move(message)] {
        if (bridge->call != nullptr) bridge->call->progress(progress, total, message);
    });
}

void ServedCall::log(mcp::LogLevel level, Json data, std::string logger) {
    bridge_.gate->post(
        [bridge = bridge_.shared_from_this(), level, data = std::move(data), logger = std::move(logger)]() mutable {
            if (bridge->call != nullptr) bridge->call->log(level, std::move(data), logger);
        });
}

Result<mcp::ElicitResult> ServedCall::elicit(std::string key, mcp::ElicitParams params) {
    return bridge_.ask<mcp::ElicitResult>(
        [key, params](const Context& ctx, mcp::ServerCall& call) { return elicit_on(ctx, call, key, params); });
}

Result<mcp::CreateMessageResult> ServedCall::sample(std::string key, mcp::CreateMessageParams params) {
    return bridge_.ask<mcp::CreateMessageResult>(
        [key, params](const Context& ctx, mcp::ServerCall& call) { return sample_on(ctx, call, key, params); });
}

Result<std::vector<mcp::Root>> ServedCall::roots(std::string key) {
    return bridge_.ask<std::vector<mcp::Root>>(
        [key](const Context& ctx, mcp::ServerCall& call) { return roots_on(ctx, call, key); });
}

Result<bool> ServedCall::become_task(std::string status_message) {
    return bridge_.ask<bool>(
        [status_message](const Context&, mcp::ServerCall& call) { return become_task_on(call, status_message); });
}

}  // namespace gantry
