#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::http {

/// Names of header fields that something here looks for. They are told apart once, when a head is read, so that whoever
/// looks for one compares a number instead of letters.
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
};

/// Without regard to case.
FieldName field_name(std::string_view text) noexcept;

}  // namespace gantry::http
