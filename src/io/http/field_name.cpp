#include "io/http/field_name.hpp"

#include "io/http/headers.hpp"

namespace gantry::http {

/// The length rules out most names before any letter is compared.
FieldName field_name(std::string_view text) noexcept {
    const auto named = [text](std::string_view name, FieldName field) {
        return detail::same_letters(text, name) ? field : FieldName::kOther;
    };
    switch (text.size()) {
        case 4: return named("host", FieldName::kHost);
        case 6:
            switch (text[0] | 0x20) {
                case 'a': return named("accept", FieldName::kAccept);
                case 'e': return named("expect", FieldName::kExpect);
                default: return named("origin", FieldName::kOrigin);
            }
        case 8: return named("mcp-name", FieldName::kMcpName);
        case 10:
            return (text[0] | 0x20) == 'm' ? named("mcp-method", FieldName::kMcpMethod)
                                           : named("connection", FieldName::kConnection);
        case 12:
            return (text[0] | 0x20) == 'c' ? named("content-type", FieldName::kContentType)
                                           : named("x-request-id", FieldName::kXRequestId);
        case 13:
            return (text[0] | 0x20) == 'l' ? named("last-event-id", FieldName::kLastEventId)
                                           : named("authorization", FieldName::kAuthorization);
        case 14:
            return (text[0] | 0x20) == 'm' ? named("mcp-session-id", FieldName::kMcpSessionId)
                                           : named("content-length", FieldName::kContentLength);
        case 16: return named("x-correlation-id", FieldName::kXCorrelationId);
        case 17: return named("transfer-encoding", FieldName::kTransferEncoding);
        case 20: return named("mcp-protocol-version", FieldName::kMcpProtocolVersion);
        default: return FieldName::kOther;
    }
}

}  // namespace gantry::http
