#include "mcp/server/request_head.hpp"

#include "io/http/ascii.hpp"

namespace gantry::mcp {
namespace {

RequestHead::Field* place_of(RequestHead& head, http::FieldName name) noexcept {
    using enum http::FieldName;
    switch (name) {
        case kHost: return &head.host;
        case kAccept: return &head.accept;
        case kOrigin: return &head.origin;
        case kMcpName: return &head.name;
        case kMcpMethod: return &head.method;
        case kContentType: return &head.content_type;
        case kLastEventId: return &head.last_event;
        case kMcpSessionId: return &head.session;
        case kMcpProtocolVersion: return &head.version;
        default: return nullptr;
    }
}

}  // namespace

RequestHead RequestHead::of(const http::Headers& headers) noexcept {
    RequestHead head;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        Field* field = place_of(head, headers.name_of(i));
        if (field == nullptr) continue;
        if (field->present) {
            field->repeated = true;
            continue;
        }
        *field = {.value = http::trim_blanks(headers[i].value), .present = true};
    }
    return head;
}

}  // namespace gantry::mcp
