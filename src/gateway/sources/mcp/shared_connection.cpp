#include "gateway/sources/mcp/shared_connection.hpp"

#include "gateway/sources/mcp/start_limiter.hpp"
#include "io/loop.hpp"
#include "mcp/client/backoff.hpp"
#include "mcp/transport/stdio.hpp"

namespace gantry::gateway {

namespace {

/// Time limit for a server to respond after a call failed to reach it.
constexpr Duration kProbeTime = seconds(10);

SourceHealth lost(const Error& why) {
    return mcp::is_orderly_exit(why) ? SourceHealth::kExited : SourceHealth::kCrashed;
}

}  // namespace

SharedConnection::SharedConnection(const McpServerSpec& spec, const McpSourceOptions& options, SourceStatus& status,
                                   Scope& scope, Hooks hooks)
    : spec_(spec), options_(options), status_(status), scope_(scope), hooks_(std::move(hooks)) {}

Task<bool> SharedConnection::open() {
    const Context ctx = scope_.context();
    mcp::Backoff backoff(options_.retry_first, options_.retry_longest);
    while (!status_.stopping()) {
        {
            auto permit = co_await options_.starts->acquire(ctx);
            if (!permit) co_return false;
            auto connected = co_await link_->client().connect(ctx);
            if (connected) {
                link_->client().watch([this](mcp::ConnectionState state) { on_client_state(state); });
                on_client_state(link_->client().state());
                co_return true;
            }
            if (status_.stopping()) co_return false;
            const std::string why = no_connection(connected.error());
            if (status_.state() != SourceState::kDown)
                status_.problem(Error(ErrorCode::kConnection, "it cannot be reached: " + why));
            status_.set_health(lost(connected.error()));
            status_.set_state(SourceState::kDown, why);
            ++failures_;
            status_.pulse();
        }
        if (auto hurried = co_await hurry_.wait(ctx.within(backoff.next())); !hurried && ctx.cancel().cancelled())
            co_return false;
    }
    co_return false;
}

std::string SharedConnection::no_connection(const Error& why) const {
    const std::string text = reason(why);
    if (why.code() != ErrorCode::kTimeout || !text.ends_with("the deadline passed")) return text;
    const Duration limit = options_.connect_timeout.value_or(connect_limit(spec_));
    const auto whole = std::chrono::duration_cast<milliseconds>(limit).count();
    return "it did not answer within " +
           (whole % 1000 == 0 ? std::to_string(whole / 1000) + " s" : std::to_string(whole) + " ms") +
           " (connect_timeout)";
}

void SharedConnection::on_client_state(mcp::ConnectionState state) {
    if (status_.stopping()) return;
    if (state == mcp::ConnectionState::kReconnecting) {
        const auto& why = link_->client().trouble();
        status_.set_health(why ? lost(*why) : SourceHealth::kCrashed);
        scope_.spawn(wait_out(++outages_));
        // Only this message distinguishes a program that was killed for what it did from one that crashed.
        std::string told = "the connection was lost";
        if (why) told += ": " + reason(*why);
        told += "; reconnecting";
        status_.problem(Error(ErrorCode::kConnection, told));
        status_.set_state(SourceState::kStarting, told);
    } else if (state == mcp::ConnectionState::kConnected) {
        ++outages_;
        status_.set_health(SourceHealth::kHealthy);
        connected_at_ = SteadyClock::now();
        hooks_.connected();
    }
    status_.pulse();
}

/// A server that is not back after the grace period is down.
Task<void> SharedConnection::wait_out(std::uint64_t outage) {
    const Context ctx = scope_.context();
    const TimePoint until = SteadyClock::now() + options_.grace;
    // Once enough attempts have failed, a ping returns the reason.
    auto asked = co_await link_->client().ping(ctx.within(options_.grace));
    // A timeout here says nothing about the server; the last connection attempt does.
    const auto& last = link_->client().trouble();
    const bool known = !asked && asked.error().code() != ErrorCode::kTimeout;
    if (!asked && outage == outages_ && !status_.stopping()) {
        if (known) {
            status_.set_trouble(reason(asked.error()));
        } else if (last) {
            status_.set_trouble("it cannot be reached again: " + reason(*last));
        }
    }
    while (outage == outages_ && !status_.stopping() && SteadyClock::now() < until) {
        if (!co_await status_.wait(ctx.until(Deadline(until))) && ctx.cancel().cancelled()) co_return;
    }
    if (outage != outages_ || status_.stopping()) co_return;
    if (!known && link_->client().trouble())
        status_.set_trouble("it cannot be reached again: " + reason(*link_->client().trouble()));
    hooks_.given_up();
    const std::string why = status_.trouble();
    status_.problem(Error(ErrorCode::kConnection, "it is down: " + why));
    status_.set_state(SourceState::kDown, why);
}

Task<bool> SharedConnection::close_until_needed() {
    const LinkPtr link = link_;
    link->client().watch({});
    ++outages_;
    // The connection looks usable until it is closed; calls that arrive meanwhile use the next one.
    closing_ = true;
    status_.set_state(SourceState::kAsleep, {});
    co_await link->client().close();
    closing_ = false;
    co_return co_await wait_until_needed();
}

Task<bool> SharedConnection::wait_until_needed() {
    const Context ctx = scope_.context();
    while (status_.state() == SourceState::kAsleep && !status_.stopping()) {
        if (!co_await status_.wait(ctx)) co_return false;
    }
    co_return !status_.stopping();
}

void SharedConnection::wake() {
    if (status_.state() == SourceState::kAsleep) status_.set_state(SourceState::kStarting, "it is starting");
}

void SharedConnection::retry_now() {
    hurry_.pulse();
    if (link_) link_->client().retry_now();
}

void SharedConnection::suspect() {
    if (probing_ || !connected()) return;
    probing_ = true;
    scope_.spawn(probe());
}

Task<void> SharedConnection::probe() {
    const LinkPtr link = link_;
    const auto answered = co_await link->client().ping(scope_.context().within(kProbeTime));
    probing_ = false;
    if (answered || status_.stopping() || link != link_) co_return;
    // Slow is not gone: only an unreachable server loses its session. The client reconnects from then on.
    if (answered.error().code() == ErrorCode::kConnection) link->client().renew();
}

}  // namespace gantry::gateway
