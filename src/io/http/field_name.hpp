#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::http {

/// Names of the header fields this code looks up. They are recognized once, when a head is parsed, so that a lookup
/// compares a number instead of letters.
enum class FieldName : std::uint8_t {
    kOther,
    kAccept,
    kAuthorization,
    kConnection,
    kContentLength,
    kContentType,
    kExpect,
    kHost,
    kLastEventId,
    kMcpMethod,
    kMcpName,
    kMcpProtocolVersion,
    kMcpSessionId,
    kOrigin,
    kTransferEncoding,
    kXCorrelationId,
    kXRequestId,
};

/// Case-insensitive.
FieldName field_name(std::string_view text) noexcept;

}  // namespace gantry::http
