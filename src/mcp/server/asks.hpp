#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::mcp {

/// Requests sent to one legacy client that are still unanswered.
class Asks {
public:
    /// Sends one message to the client.
    using Send = std::function<void(std::string message)>;

    /// Sends a request through `send` and waits for its result as JSON text; kRpc if the client answered with an error.
    /// When the context ends or `timeout` elapses, the client gets notifications/cancelled. `send` must remain valid
    /// until the task completes.
    Task<Result<std::string>> ask(const Context& ctx, Duration timeout, std::string method, std::string params,
                                  Send send);

    /// Delivers a response of the client. False if no request is waiting for it.
    bool answer(const json::EnvelopeView& response);
    /// The client disconnected: every request fails with kConnection.
    void abandon();
    bool empty() const noexcept { return first_ == nullptr; }

private:
    struct Pending;
    Pending* first_ = nullptr;
    std::uint64_t next_ = 1;
};

}  // namespace gantry::mcp
