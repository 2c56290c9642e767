#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/json/scan.hpp"
#include "io/context.hpp"
#include "io/task.hpp"

namespace gantry::mcp {

/// The questions put to one legacy client and not answered yet.
class Asks {
public:
    /// Puts one message on its way to the client.
    using Send = std::function<void(std::string message)>;

    /// Sends a request by `send` and waits for its result as JSON text; kRpc when the client answered with an error.
    /// When the context ends or `patience` is over, the client is told that nobody waits any more. `send` must stay
    /// usable as long as the task runs.
    Task<Result<std::string>> ask(const Context& ctx, Duration patience, std::string method, std::string params,
                                  Send send);

    /// A response of the client. False: nobody waits for it.
    bool answer(const json::EnvelopeView& response);
    /// The client is gone: every question ends with kConnection.
    void abandon();
    bool empty() const noexcept { return first_ == nullptr; }

private:
    struct Pending;
    Pending* first_ = nullptr;
    std::uint64_t next_ = 1;
};

}  // namespace gantry::mcp
