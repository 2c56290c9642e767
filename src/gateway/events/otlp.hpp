#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "gateway/model/trace.hpp"

namespace gantry::gateway::events {

/// One call as a span.
struct CallSpan {
    TraceIds ids;
    std::int64_t began = 0;  // nanoseconds since 1970
    std::int64_t ended = 0;
    std::string method;
    std::string name;
    std::string source;
    std::string principal;
    std::string session;
    std::string correlation;
    /// Empty on success.
    std::string error;
};

/// The body of a request to an OTLP/HTTP collector, in JSON.
std::string otlp_request(std::span<const CallSpan> spans, std::string_view service, std::string_view instance);

}  // namespace gantry::gateway::events
