#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "io/stream.hpp"
#include "mcp/server/backend.hpp"
#include "mcp/server/http_endpoint.hpp"

namespace gantry::mcp {

struct StdioEndpointOptions {
    Eras eras = Eras::kBoth;
    std::size_t max_line_bytes = 4u << 20;
    std::size_t max_depth = 64;
    std::size_t max_calls = 256;
    std::size_t max_queued_bytes = 1u << 20;
    Duration ask_timeout = std::chrono::minutes(10);
    /// When cancelled, reading stops as if the peer had closed its end; calls in flight may still be answered.
    CancelToken finish = {};
    /// Called after the last message has been read.
    std::function<void()> on_last = {};
};

/// MCP over a pair of streams, one message per line: a legacy session after `initialize`, modern requests at any
/// time. Returns once the peer has closed its end and every call is answered or, after `grace` or with the context,
/// cancelled.
Task<Result<void>> serve_lines(const Context& ctx, Stream& in, Stream& out, Backend& backend,
                               StdioEndpointOptions options = {}, Duration grace = seconds(5));

}  // namespace gantry::mcp
