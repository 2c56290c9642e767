#pragma once
// Inside Rpc: one request in flight. rpc.cpp serves those whose answers are read, rpc_relay.cpp those passed on.

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
    std::optional<TimePoint> held_since;  // a person logs in: no time limit counts
    Duration held{};                      // how long that took so far
    std::optional<double> progress;
    bool sent = false;    // at least one byte may have left
    bool writing = true;  // write() has not returned yet
    int http_status = 0;
    HttpFailure failure;
    std::function<void(const Progress&)> on_progress;
    std::function<void(const NotificationMessage&)> on_notification;
    /// A relayed request: its answer is one of these two, and the outcome is an empty success.
    bool relayed = false;
    bool oversized = false;  // failed because its answer is longer than the connection allows
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
    /// A sign of life: idle starts anew.
    void revive() {
        alive_since = SteadyClock::now();
        changed.pulse();
    }
};

}  // namespace gantry::mcp
