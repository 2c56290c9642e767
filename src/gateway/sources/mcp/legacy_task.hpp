#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gateway/sources/mcp/legacy_tasks.hpp"

namespace gantry::gateway {

/// One task a client holds a handle of.
struct LegacyTasks::Held {
    std::string principal;
    std::string inner;  // the server's id
    bool modern = false;
    CarriedPtr carried;
    Lease lease;
    std::shared_ptr<KeptCall> result;  // tasks/result, once it is open
    std::optional<Json> ended;         // what tasks/get answers from now on
    bool followed = false;             // for a client that knows nothing of it
    Duration keep = {};                // so long after somebody last asked
    TimePoint expires;

    // For somebody who wants to be told.
    bool watched = false;   // somebody does
    bool watching = false;  // watch() runs
    Duration poll = {};
    Event moved;       // the server says so, or it is over
    std::string told;  // what was said last

    void unwatch() {
        watched = false;
        moved.set();
    }
};

}  // namespace gantry::gateway
