#include "gateway/policy/joiners.hpp"

#include <algorithm>
#include <array>

namespace gantry::gateway {
namespace {

constexpr char32_t kNonJoiner = 0x200C;
constexpr char32_t kJoiner = 0x200D;

/// Characters used in emoji sequences; a superset of the standard's list, all of it visible.
bool is_picture(char32_t point) noexcept {
    struct Range {
        char32_t first, last;
    };
    constexpr std::array kPictures = {
        Range{0x2190, 0x21FF},    // arrows
        Range{0x2300, 0x23FF},    // technical
        Range{0x25A0, 0x27BF},    // shapes, signs, dingbats
        Range{0x2B00, 0x2BFF},    // more arrows and shapes
        Range{0x1F000, 0x1FAFF},  // emoji, skin tones
    };
    return std::ranges::any_of(kPictures,
                               [point](const Range& range) { return point >= range.first && point <= range.last; });
}

/// Identifies the joining script of a letter or vowel sign (not of digits); 0: not in such a script.
int joining_script(char32_t point) noexcept {
    // The Indic blocks share a layout: stops and digits are at 64 to 6F of each.
    if (point >= 0x0900 && point <= 0x0DFF) {
        const char32_t place = point & 0x7F;
        return place >= 0x64 && place <= 0x6F ? 0 : static_cast<int>(point >> 7);
    }
    struct Range {
        char32_t first, last;
        int script;
    };
    constexpr std::array kScripts = {
        Range{0x0620, 0x065F, 1}, Range{0x066E, 0x06D3, 1}, Range{0x06D5, 0x06DC, 1}, Range{0x06FA, 0x06FF, 1},
        Range{0x0750, 0x077F, 1}, Range{0x0870, 0x088E, 1}, Range{0x08A0, 0x08E1, 1},  // Arabic
        Range{0x0710, 0x074F, 2},                                                      // Syriac
        Range{0x07CA, 0x07F5, 3},                                                      // N'Ko
        Range{0x1780, 0x17D3, 4},                                                      // Khmer
        Range{0x1820, 0x18AA, 5},                                                      // Mongolian
    };
    const auto found = std::ranges::find_if(
        kScripts, [point](const Range& range) { return point >= range.first && point <= range.last; });
    return found == kScripts.end() ? 0 : found->script;
}

}  // namespace

bool joiner_belongs(char32_t before, char32_t joiner, char32_t after) noexcept {
    if (joiner != kJoiner && joiner != kNonJoiner) return false;
    if (joiner == kJoiner && is_picture(before) && is_picture(after)) return true;
    const int script = joining_script(before);
    return script != 0 && script == joining_script(after);
}

}  // namespace gantry::gateway
