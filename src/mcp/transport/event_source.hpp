#pragma once

#include <cstddef>
#include <optional>

#include "io/http/client.hpp"
#include "io/sse/parser.hpp"

namespace gantry::mcp {

/// The events of one response body. Destroying it closes the connection unless the end was reached.
class EventSource {
public:
    EventSource(http::Response response, std::size_t max_event_bytes)
        : response_(std::move(response)), parser_(max_event_bytes) {}

    /// See sse::Parser: events beyond `bytes` then come in parts.
    void hand_out_beyond(std::size_t bytes) noexcept { parser_.hand_out_beyond(bytes); }

    /// The next event; empty at a clean end. After an error the source is unusable.
    Task<Result<std::optional<sse::Event>>> next(const Context& ctx);
    /// The next event if it is already buffered, without waiting; empty otherwise, also at the end and after an error.
    std::optional<sse::Event> take();
    /// Whether the end has been received; events still buffered do not count.
    bool ended();
    /// Closes the connection.
    void abort() noexcept { response_.abort(); }

private:
    bool feed();

    http::Response response_;
    sse::Parser parser_;
    std::optional<Error> failed_;  // reported after the events before it are taken
};

}  // namespace gantry::mcp
