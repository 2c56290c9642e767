#include "gateway/model/trace.hpp"

#include <span>

#include "base/hex.hpp"

namespace gantry::gateway {
namespace {

constexpr std::size_t kSize = 2 + 1 + 32 + 1 + 16 + 1 + 2;
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = 36;
constexpr std::size_t kFlagsAt = 53;

/// The format does not allow upper case.
int nibble(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// False when the text is not hexadecimal, or all zeros where that is invalid.
bool read_hex(std::string_view text, std::span<std::uint8_t> into) noexcept {
    bool something = false;
    for (std::size_t i = 0; i < into.size(); ++i) {
        const int high = nibble(text[2 * i]);
        const int low = nibble(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        into[i] = static_cast<std::uint8_t>(high << 4 | low);
        something = something || into[i] != 0;
    }
    return something || into.size() == 1;
}

}  // namespace

std::string to_traceparent(const TraceIds& ids) {
    std::string out = "00-";
    out.reserve(kSize);
    append_hex(out, ids.trace);
    out += '-';
    append_hex(out, ids.span);
    out += ids.sampled ? "-01" : "-00";
    return out;
}

std::optional<TraceIds> read_traceparent(std::string_view text) noexcept {
    if (text.size() < kSize || text[2] != '-' || text[kSpanAt - 1] != '-' || text[kFlagsAt - 1] != '-')
        return std::nullopt;
    std::array<std::uint8_t, 1> version{};
    std::array<std::uint8_t, 1> flags{};
    TraceIds ids;
    if (!read_hex(text.substr(0, 2), version) || version[0] == 0xff ||
        !read_hex(text.substr(kTraceAt, 32), ids.trace) || !read_hex(text.substr(kSpanAt, 16), ids.parent) ||
        !read_hex(text.substr(kFlagsAt, 2), flags))
        return std::nullopt;
    if (version[0] == 0 ? text.size() != kSize : text.size() > kSize && text[kSize] != '-') return std::nullopt;
    ids.sampled = (flags[0] & 1) != 0;
    return ids;
}

}  // namespace gantry::gateway
