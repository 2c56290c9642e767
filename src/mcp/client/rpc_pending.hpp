#pragma once
// Internal to Rpc: one request in flight. rpc.cpp handles decoded answers, rpc_relay.cpp relayed ones.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mcp/client/rpc.hpp"
#include "mcp/transport/spooled_message.hpp"

namespace gantry::mcp {

struct Rpc::Pending {
    RequestId id;
    std::string method;
    std::optional<Result<Json>> outcome;
    Event changed;  // answered, progressed or failed
    TimePoint alive_since;
    TimePoint started;
    std::optional<TimePoint> held_since;  // a user is logging in: all timeouts are paused
    Duration held{};                      // total of earlier pauses
    std::optional<double> progress;
    bool sent = false;    // at least one byte may have left
    bool writing = true;  // write() has not returned yet
    int http_status = 0;
    HttpFailure failure;
    std::function<void(const Progress&)> on_progress;
    std::function<void(const NotificationMessage&)> on_notification;
    /// A relayed request: its answer is in one of these two, and the outcome is an empty success.
    bool relayed = false;
    bool oversized = false;  // failed because its answer exceeds the connection's limit
    std::unique_ptr<RawMessage> raw;
    std::unique_ptr<SpooledMessage> spooled;

    void hold(bool waiting) {
        const TimePoint now = SteadyClock::now();
        if (waiting) {
            held_since = now;
        } else if (held_since) {
            held += now - *std::exchange(held_since, std::nullopt);
            alive_since = now;
        }
        changed.pulse();
    }
    void settle(Result<Json> result) {
        if (outcome) return;
        outcome = std::move(result);
        changed.set();
    }
    /// A sign of life: restarts the idle timeout.
    void revive() {
        alive_since = SteadyClock::now();
        changed.pulse();
    }
};

}  // namespace gantry::mcp
