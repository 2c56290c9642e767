#include "mcp/server/request_head.hpp"

#include "io/http/ascii.hpp"

namespace gantry::mcp {
namespace {

/// The length tells most names apart before a letter is compared.
RequestHead::Field* place_of(RequestHead& head, std::string_view name) noexcept {
    const auto named = [&](std::string_view text) { return http::detail::same_letters(name, text); };
    switch (name.size()) {
        case 4: return named("host") ? &head.host : nullptr;
        case 6: return named("accept") ? &head.accept : named("origin") ? &head.origin : nullptr;
        case 8: return named("mcp-name") ? &head.name : nullptr;
        case 10: return named("mcp-method") ? &head.method : nullptr;
        case 12: return named("content-type") ? &head.content_type : nullptr;
        case 13: return named("last-event-id") ? &head.last_event : nullptr;
        case 14: return named("mcp-session-id") ? &head.session : nullptr;
        case 20: return named("mcp-protocol-version") ? &head.version : nullptr;
        default: return nullptr;
    }
}

}  // namespace

RequestHead RequestHead::of(const http::Headers& headers) noexcept {
    RequestHead head;
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto [name, value] = headers[i];
        Field* field = place_of(head, name);
        if (field == nullptr) continue;
        if (field->present) {
            field->repeated = true;
            continue;
        }
        *field = {.value = http::trim_blanks(value), .present = true};
    }
    return head;
}

}  // namespace gantry::mcp
