#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gantry::http {

// Character classes of RFC 9110 and 9112, independent of locale and of char's signedness.

namespace detail {
/// Letters, digits and `marks`.
constexpr std::array<bool, 256> make_table(std::string_view marks) {
    std::array<bool, 256> table{};
    for (char c = '0'; c <= '9'; ++c) table[static_cast<std::uint8_t>(c)] = true;
    for (char c = 'a'; c <= 'z'; ++c) table[static_cast<std::uint8_t>(c)] = true;
    for (char c = 'A'; c <= 'Z'; ++c) table[static_cast<std::uint8_t>(c)] = true;
    for (const char c : marks) table[static_cast<std::uint8_t>(c)] = true;
    return table;
}
inline constexpr std::array<bool, 256> kTokenTable = make_table("!#$%&'*+-.^_`|~");
}  // namespace detail

constexpr bool is_token_char(char c) noexcept {
    return detail::kTokenTable[static_cast<std::uint8_t>(c)];
}

constexpr char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

namespace detail {
constexpr bool is_field_byte(std::uint8_t byte) noexcept {
    return (byte >= 0x20 || byte == 0x09) && byte != 0x7f;
}
/// Whether eight bytes contain a control character, tabs included.
inline bool has_control(const char* eight) noexcept {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kHigh = kOnes << 7;
    std::uint64_t word;
    std::memcpy(&word, eight, sizeof(word));
    const std::uint64_t deletes = word ^ (kOnes * 0x7f);
    return ((((word - kOnes * 0x20) & ~word) | ((deletes - kOnes) & ~deletes)) & kHigh) != 0;
}
}  // namespace detail

/// Whether a text is allowed as field value, reason phrase or chunk extension: no control character but tab.
inline bool is_field_text(std::string_view text) noexcept {
    const char* at = text.data();
    std::size_t left = text.size();
    if (left >= 8) {
        const char* const last = at + left - 8;
        while (at < last && !detail::has_control(at)) at += 8;
        if (at >= last && !detail::has_control(last)) return true;
        at = text.data();  // a tab, or a control character
    }
    for (; left > 0; --left) {
        if (!detail::is_field_byte(static_cast<std::uint8_t>(*at++))) return false;
    }
    return true;
}

/// Whether a text is allowed as request target: visible ASCII.
constexpr bool is_visible(std::string_view text) noexcept {
    unsigned bad = 0;
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        bad |= static_cast<unsigned>(byte <= 0x20) | static_cast<unsigned>(byte >= 0x7f);
    }
    return bad == 0;
}

constexpr std::string_view trim_blanks(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

}  // namespace gantry::http
