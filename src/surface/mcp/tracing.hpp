#pragma once

#include <string>

#include "base/json/scan.hpp"
#include "gateway/model/trace.hpp"
#include "gateway/ports/tracer.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// A call's trace context, and its params with `_meta.traceparent` replaced by this call's own span.
struct Traced {
    gateway::TraceIds ids;
    /// {"params":…}; `view` refers to it.
    std::string text;
    std::string_view params;
    json::ParamsView view;
};

/// Reads the caller's trace context from `_meta` or the header field; `_meta` wins, since it is part of the call. Null
/// when the call has no params to carry it.
std::unique_ptr<const Traced> begin_trace(const mcp::Call& call, gateway::Tracer& tracer);

}  // namespace gantry::surface
