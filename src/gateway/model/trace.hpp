#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::gateway {

/// A call's position in a distributed trace (W3C Trace Context). All zero: not traced.
struct TraceIds {
    std::array<std::uint8_t, 16> trace = {};
    /// The call's own span.
    std::array<std::uint8_t, 8> span = {};
    /// The caller's span; zero for a root span.
    std::array<std::uint8_t, 8> parent = {};
    /// Whether the originator of the trace asked for it to be recorded.
    bool sampled = false;

    explicit operator bool() const noexcept { return trace != std::array<std::uint8_t, 16>{}; }
    bool operator==(const TraceIds&) const = default;
};

/// The header fields and `_meta` keys that carry the trace context.
inline constexpr std::string_view kTraceParent = "traceparent";
inline constexpr std::string_view kTraceState = "tracestate";

/// "00-<trace>-<span>-<flags>", for requests made on behalf of this call.
std::string to_traceparent(const TraceIds& ids);

/// The caller's context: its span becomes the result's `parent`, and the result's own `span` is zero. Empty unless the
/// text is well-formed; later versions of the format are read as far as they agree with the first.
std::optional<TraceIds> read_traceparent(std::string_view text) noexcept;

}  // namespace gantry::gateway
