#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mcp/server/event_log.hpp"
#include "mcp/server/hosts.hpp"
#include "mcp/server/media_type.hpp"
#include "mcp/server/peers.hpp"
#include "mcp/server/request_validation.hpp"
#include "mcp/server/session_id.hpp"

// Unauthenticated input: header fields (the lines up to an empty one) and a body. It is also decoded as the content of
// a session id, which only the seal protects from forgery.

namespace {

using namespace gantry;
using namespace gantry::mcp;

void require(bool holds) {
    if (!holds) std::abort();
}

http::Headers take_headers(std::string_view& text) {
    http::Headers headers;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (line.empty()) break;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view name = line.substr(0, colon);
        const std::string_view value = line.substr(colon + 1);
        if (http::Headers::valid_name(name) && http::Headers::valid_value(value)) headers.add(name, value);
    }
    return headers;
}

void climb(std::string_view text, const RequestHead* head, Eras eras) {
    const auto view = json::scan_envelope(text, {.max_depth = 64});
    if (!view) return;
    const std::string_view id = usable_id(*view);
    require(id.empty() || id.data() >= text.data());
    const auto kind = shape_of(*view);
    if (!kind) return;
    const auto era = era_of(*view, *kind, head, eras);
    if (!era) return require(era.error().status >= 400 && era.error().error.code != 0);
    require(eras == Eras::kBoth || (*era == Era::kModern) == (eras == Eras::kModern));
    if (*era != Era::kModern) return;
    const auto claim = validate_modern(*view, view->method.text().value_or(""), *kind, head, eras);
    if (!claim) return require(claim.error().status >= 400);
    if (*kind != MessageKind::kRequest) return;
    // An accepted message has described its client, consistently with its headers.
    require(is_modern(claim->revision) && view->in_params.in_meta.client_capabilities.is_object());
    if (head != nullptr) require(head->version.value == to_string(claim->revision));
    if (head != nullptr) require(view->method.is(head->method.value));
    const auto identity = std::make_shared<const Identity>("fuzz");
    PeerCache peers;
    const auto peer = peers.find(peers.client(identity), identity, claim->revision, view->in_params.in_meta);
    if (peer) require(peers.find(peers.client(identity), identity, claim->revision, view->in_params.in_meta) == *peer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto facts = decode_facts(text)) require(encode_facts(*facts) == text);
    if (const auto id = EventId::parse(text)) require(EventId::parse(id->to_string()) == *id);
    const http::Headers headers = take_headers(text);
    const RequestHead head = RequestHead::of(headers);
    static const HostRules kRules({"gw.example.com"}, {"https://app.example.com"});
    (void)kRules.admits_host(head.host.value);
    (void)kRules.admits_origin(head.origin.value, head.host.value);
    (void)is_json_type(head.content_type.value);
    (void)accepts(head.accept.value, "text/event-stream");
    (void)legacy_version(head);
    for (const Eras eras : {Eras::kBoth, Eras::kLegacy, Eras::kModern}) {
        climb(text, &head, eras);
        climb(text, nullptr, eras);
    }
    return 0;
}
