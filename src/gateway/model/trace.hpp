#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::gateway {

/// Where a call stands in a trace that crosses programs (W3C Trace Context). All zero: in none.
struct TraceIds {
    std::array<std::uint8_t, 16> trace = {};
    /// The call itself.
    std::array<std::uint8_t, 8> span = {};
    /// Who made it; zero: it is the first.
    std::array<std::uint8_t, 8> parent = {};
    /// Whether whoever began the trace wants it kept.
    bool sampled = false;

    explicit operator bool() const noexcept { return trace != std::array<std::uint8_t, 16>{}; }
    bool operator==(const TraceIds&) const = default;
};

/// The header field and `_meta` key, in which a call's place travels.
inline constexpr std::string_view kTraceParent = "traceparent";
inline constexpr std::string_view kTraceState = "tracestate";

/// "00-<trace>-<span>-<flags>" of a call that others are made for.
std::string to_traceparent(const TraceIds& ids);

/// Who calls: its span is the result's `parent`, its own `span` is zero. Empty unless it is well-formed; later versions
/// of the format are read as far as they agree with the first.
std::optional<TraceIds> read_traceparent(std::string_view text) noexcept;

}  // namespace gantry::gateway
