#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gantry::json {

/// Whether a byte may occur unescaped in a string and is a character of its own:
/// ASCII without controls, quote and backslash.
constexpr bool is_plain(unsigned char byte) noexcept {
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/// First byte in [p, end) that is not plain, or end. Sixteen bytes at a time with SSE2.
inline const char* skip_plain(const char* p, const char* end) noexcept {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    while (end - p >= 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        // Signed comparison: bytes from 0x80 up are negative and hence less than the space.
        const __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                                          _mm_cmplt_epi8(bytes, space));
        const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
        if (mask != 0) return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
    while (p != end && is_plain(static_cast<unsigned char>(*p))) ++p;
    return p;
}

/// Validates UTF-8 byte by byte; the same table (Unicode 3.9) for whole texts and pieces.
class Utf8Checker {
public:
    bool inside() const noexcept { return left_ != 0; }

    /// `byte` starts a sequence and is >= 0x80.
    bool lead(unsigned char byte) noexcept {
        low_ = 0x80;
        high_ = 0xBF;
        if (byte >= 0xC2 && byte <= 0xDF) {
            left_ = 1;
        } else if (byte >= 0xE0 && byte <= 0xEF) {
            left_ = 2;
            if (byte == 0xE0) low_ = 0xA0;
            if (byte == 0xED) high_ = 0x9F;  // surrogates
        } else if (byte >= 0xF0 && byte <= 0xF4) {
            left_ = 3;
            if (byte == 0xF0) low_ = 0x90;
            if (byte == 0xF4) high_ = 0x8F;  // beyond U+10FFFF
        } else {
            return false;
        }
        return true;
    }
    bool next(unsigned char byte) noexcept {
        if (byte < low_ || byte > high_) return false;
        low_ = 0x80;
        high_ = 0xBF;
        --left_;
        return true;
    }

private:
    std::uint8_t left_ = 0;
    std::uint8_t low_ = 0x80;
    std::uint8_t high_ = 0xBF;
};

/// -1 if not a hexadecimal digit.
constexpr int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
constexpr bool is_high_surrogate(unsigned unit) noexcept {
    return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool is_low_surrogate(unsigned unit) noexcept {
    return unit >= 0xDC00 && unit <= 0xDFFF;
}
/// The character `\c` represents, 0 if it is not a simple escape.
constexpr char simple_escape(char c) noexcept {
    switch (c) {
        case '"': return '"';
        case '\\': return '\\';
        case '/': return '/';
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        default: return 0;
    }
}

/// Writes `code_point` (not a surrogate) as UTF-8 and returns the number of bytes.
std::size_t encode_utf8(std::uint32_t code_point, char (&out)[4]) noexcept;

/// Appends the unescaped content of a string token (without its quotes).
/// Precondition: a reader has accepted `inside`.
void unescape_to(std::string_view inside, std::string& out);

/// Whether `inside` unescapes to exactly `text`.
bool unescaped_equals(std::string_view inside, std::string_view text);

/// Appends `text` as a string token with quotes and the shortest legal escapes. Invalid UTF-8
/// becomes U+FFFD, so that the output is valid JSON for any input.
void quote_to(std::string_view text, std::string& out);

}  // namespace gantry::json
