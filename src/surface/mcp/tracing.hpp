#pragma once

#include <string>

#include "base/json/scan.hpp"
#include "gateway/model/trace.hpp"
#include "gateway/ports/tracer.hpp"
#include "mcp/server/call.hpp"

namespace gantry::surface {

/// A call's place in a trace, and its params as they go on: `_meta.traceparent` names this call instead of its caller.
struct Traced {
    gateway::TraceIds ids;
    /// {"params":…}; the view refers to it.
    std::string text;
    std::string_view params;
    json::ParamsView view;
};

/// What the caller says of its trace is in `_meta` or in the header field; `_meta` counts, since it is part of the
/// call. Null where the params cannot take it: there are none.
std::unique_ptr<const Traced> begin_trace(const mcp::Call& call, gateway::Tracer& tracer);

}  // namespace gantry::surface
