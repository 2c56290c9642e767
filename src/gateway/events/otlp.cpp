#include "gateway/events/otlp.hpp"

#include "base/hex.hpp"
#include "base/json/text.hpp"
#include "base/version.hpp"

namespace gantry::gateway::events {
namespace {

constexpr std::string_view kServerKind = "2";
constexpr std::string_view kErrorStatus = "2";

void append_quoted_hex(std::string& out, std::span<const std::uint8_t> bytes) {
    out += '"';
    append_hex(out, bytes);
    out += '"';
}

/// Omits empty values.
void attribute(std::string& out, std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (out.back() != '[') out += ',';
    out += R"({"key":)";
    json::quote_to(key, out);
    out += R"(,"value":{"stringValue":)";
    json::quote_to(value, out);
    out += "}}";
}

void append_span(std::string& out, const CallSpan& span) {
    out += R"({"traceId":)";
    append_quoted_hex(out, span.ids.trace);
    out += R"(,"spanId":)";
    append_quoted_hex(out, span.ids.span);
    if (span.ids.parent != std::array<std::uint8_t, 8>{}) {
        out += R"(,"parentSpanId":)";
        append_quoted_hex(out, span.ids.parent);
    }
    out += R"(,"name":)";
    json::quote_to(span.name.empty() ? span.method : span.method + " " + span.name, out);
    out.append(R"(,"kind":)").append(kServerKind);
    // 64-bit numbers are strings in protobuf's JSON mapping.
    out.append(R"(,"startTimeUnixNano":")").append(std::to_string(span.began));
    out.append(R"(","endTimeUnixNano":")").append(std::to_string(span.ended)).append(R"(","attributes":[)");
    attribute(out, "mcp.method.name", span.method);
    attribute(out, "gen_ai.tool.name", span.method == "tools/call" ? std::string_view(span.name) : std::string_view());
    attribute(out, "mcp.session.id", span.session);
    attribute(out, "enduser.id", span.principal);
    attribute(out, "gantry.source", span.source);
    attribute(out, "gantry.correlation_id", span.correlation);
    attribute(out, "error.type", span.error);
    out += ']';
    if (!span.error.empty()) out.append(R"(,"status":{"code":)").append(kErrorStatus).append("}");
    out += '}';
}

}  // namespace

std::string otlp_request(std::span<const CallSpan> spans, std::string_view service, std::string_view instance) {
    std::string out = R"({"resourceSpans":[{"resource":{"attributes":[)";
    attribute(out, "service.name", service);
    attribute(out, "service.version", kVersion);
    attribute(out, "service.instance.id", instance);
    out += R"(]},"scopeSpans":[{"scope":{"name":"gantry","version":)";
    json::quote_to(kVersion, out);
    out += R"(},"spans":[)";
    for (const CallSpan& span : spans) {
        if (out.back() != '[') out += ',';
        append_span(out, span);
    }
    out += "]}]}]}";
    return out;
}

}  // namespace gantry::gateway::events
