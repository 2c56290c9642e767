#pragma once

#include <string_view>

#include "gateway/model/trace.hpp"

namespace gantry::gateway {

/// Gives calls their place in traces that cross programs.
class Tracer {
public:
    virtual ~Tracer() = default;
    /// A place for a new call, under what its caller says of itself: a `traceparent` as W3C Trace Context spells it;
    /// one that is empty or malformed begins a trace of its own.
    virtual TraceIds begin(std::string_view traceparent) noexcept = 0;
};

}  // namespace gantry::gateway
