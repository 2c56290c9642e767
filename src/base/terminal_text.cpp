#include "base/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace gantry {
namespace {

struct Range {
    char32_t first, last;
};
constexpr std::array kSpeltOut = {
    Range{0x00AD, 0x00AD},    // soft hyphen
    Range{0x061C, 0x061C},    // Arabic letter mark
    Range{0x180E, 0x180E},    // Mongolian vowel separator
    Range{0x200B, 0x200B},    // zero width space
    Range{0x200E, 0x200F},    // direction marks
    Range{0x2028, 0x202E},    // separators, embeddings and overrides
    Range{0x2060, 0x2064},    // word joiner, invisible operators
    Range{0x2066, 0x206F},    // isolates, deprecated format characters
    Range{0xFEFF, 0xFEFF},    // zero width no-break space
    Range{0xFFF9, 0xFFFB},    // interlinear annotation
    Range{0xE0000, 0xE007F},  // tags
};

bool is_spelt_out(char32_t point) noexcept {
    return std::ranges::any_of(kSpeltOut,
                               [point](const Range& range) { return point >= range.first && point <= range.last; });
}

/// The size of the well-formed character at the start of `text`, and the character; 0 if there is none.
std::size_t read_character(std::string_view text, char32_t& point) noexcept {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t size = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
    if (size == 0 || size > text.size()) return 0;
    point = size == 1 ? lead : lead & (0x7Fu >> size);
    for (std::size_t i = 1; i < size; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) != 0x80) return 0;
        point = (point << 6) | (byte & 0x3Fu);
    }
    constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < kLeast[size] || surrogate || point > 0x10FFFF ? 0 : size;
}

}  // namespace

std::string terminal_excerpt(std::string_view text, std::size_t limit, Lines lines) {
    std::string out;
    out.reserve(std::min(text.size(), limit));
    for (std::size_t count = 0; !text.empty(); ++count) {
        if (count == limit) return out + "…";
        char32_t point = 0;
        const std::size_t size = read_character(text, point);
        const bool layout = lines == Lines::kMany && (point == '\n' || point == '\t');
        // Some terminals interpret C1 controls as commands.
        const bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
        if (lines == Lines::kJoined && point == '\n') {
            out += "; ";
        } else if (size == 0 || (control && !layout)) {
            out += '?';
        } else if (size > 1 && is_spelt_out(point)) {
            std::array<char, 16> name{};
            std::snprintf(name.data(), name.size(), "<U+%04X>", static_cast<unsigned>(point));
            out += name.data();
        } else {
            out.append(text.substr(0, size));
        }
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

std::string terminal_text(std::string_view text, Lines lines) {
    return terminal_excerpt(text, text.size(), lines);
}

}  // namespace gantry
