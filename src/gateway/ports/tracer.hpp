#pragma once

#include <string_view>

#include "gateway/model/trace.hpp"

namespace gantry::gateway {

/// Assigns trace and span ids to calls (distributed tracing).
class Tracer {
public:
    virtual ~Tracer() = default;
    /// Starts a span for a new call under the caller's `traceparent` (W3C Trace Context); an empty or malformed one
    /// starts a new trace.
    virtual TraceIds begin(std::string_view traceparent) noexcept = 0;
};

}  // namespace gantry::gateway
