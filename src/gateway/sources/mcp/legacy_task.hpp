#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/sources/mcp/legacy_tasks.hpp"

namespace gantry::gateway {

/// One task whose handle a client holds.
struct LegacyTasks::Held {
    std::string principal;
    std::string inner;           // the server's id
    std::string correlation_id;  // of the call that started it
    bool modern = false;
    ForwardedCapabilitiesPtr forwarded;
    Lease lease;
    std::shared_ptr<SuspendableCall> result;  // tasks/result, once it is open
    std::optional<Json> ended;                // the final answer to tasks/get
    bool followed = false;                    // for a client without task support
    Duration keep = {};                       // kept this long after the last request for it
    TimePoint expires;

    // State of the notifications about it.
    bool watched = false;   // a client follows it
    bool watching = false;  // watch() runs
    Duration poll = {};
    Event moved;       // the server reported progress, or the task is over
    std::string told;  // last state reported

    void unwatch() {
        watched = false;
        moved.set();
    }
};

}  // namespace gantry::gateway
