#include "gateway/policy/descriptor_check.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "gantry/json.hpp"
#include "gateway/policy/joiners.hpp"

namespace gantry::gateway {
namespace {

struct Range {
    char32_t first, last;
};
constexpr std::array kHidden = {
    Range{0x00AD, 0x00AD},    // soft hyphen
    Range{0x180E, 0x180E},    // Mongolian vowel separator
    Range{0x200B, 0x200F},    // zero width, direction marks
    Range{0x202A, 0x202E},    // embeddings and overrides
    Range{0x2060, 0x2064},    // word joiner, invisible operators
    Range{0x2066, 0x2069},    // isolates
    Range{0xFEFF, 0xFEFF},    // zero width no-break space
    Range{0xFFF9, 0xFFFB},    // interlinear annotation
    Range{0xE0000, 0xE007F},  // tags
    Range{0xE0100, 0xE01EF},  // variation selectors that carry bytes
};

/// In lower case with single spaces. A tool's description has no reason to contain any of them.
constexpr std::array<std::string_view, 22> kSuspicious = {"ignore previous",
                                                          "ignore all previous",
                                                          "ignore the above",
                                                          "disregard previous",
                                                          "disregard all",
                                                          "do not tell the user",
                                                          "don't tell the user",
                                                          "do not mention",
                                                          "don't mention this",
                                                          "without telling",
                                                          "do not inform",
                                                          "hide this from",
                                                          "<important>",
                                                          "<system>",
                                                          "system prompt",
                                                          "you are now",
                                                          "before using this tool",
                                                          "before calling this tool",
                                                          "instead of the",
                                                          "~/.ssh",
                                                          "id_rsa",
                                                          "exfiltrate"};

/// Decodes the code point at `at` and advances `at`. The text was validated when it was parsed.
char32_t next(std::string_view text, std::size_t& at) noexcept {
    const auto byte = [&text](std::size_t i) {
        return i < text.size() ? static_cast<char32_t>(static_cast<unsigned char>(text[i])) : char32_t(0x80);
    };
    const char32_t lead = byte(at++);
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    char32_t point = more == 0 ? lead : lead & (0x3Fu >> more);
    for (int i = 0; i < more; ++i) point = (point << 6) | (byte(at++) & 0x3Fu);
    return point;
}

bool has_hidden(std::string_view text) noexcept {
    constexpr char32_t kShownAsPicture = 0xFE0F;  // ignored when looking at the preceding character
    char32_t before = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char32_t point = next(text, at);
        if (is_hidden(point)) {
            std::size_t behind = at;
            const char32_t after = behind < text.size() ? next(text, behind) : 0;
            if (!joiner_belongs(before, point, after)) return true;
        }
        if (point != kShownAsPicture) before = point;
    }
    return false;
}

/// Lower-cased, with white space collapsed, so that line breaks hide nothing.
std::string folded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isspace(byte)) {
            if (!out.empty() && out.back() != ' ') out += ' ';
        } else {
            out += static_cast<char>(std::tolower(byte));
        }
    }
    return out;
}

bool has_instructions(std::string_view text) {
    const std::string plain = folded(text);
    return std::ranges::any_of(kSuspicious, [&plain](std::string_view words) { return plain.contains(words); });
}

struct Findings {
    bool hidden = false;
    bool instructions = false;
};

/// Inspects every text in it, property names included: a model reads them all.
void look(const Json& json, Findings& findings) {
    if (const std::string* text = json.if_string()) {
        findings.hidden = findings.hidden || has_hidden(*text);
        findings.instructions = findings.instructions || has_instructions(*text);
    } else if (const JsonArray* array = json.if_array()) {
        for (const Json& element : *array) look(element, findings);
    } else if (const JsonObject* object = json.if_object()) {
        for (const auto& [key, value] : *object) {
            look(Json(key), findings);
            look(value, findings);
        }
    }
}

}  // namespace

std::string_view to_string(DescriptorFlag flag) noexcept {
    return flag == DescriptorFlag::kHiddenCharacters ? "hidden characters" : "instruction-like text";
}

bool is_hidden(char32_t code_point) noexcept {
    return std::ranges::any_of(
        kHidden, [code_point](const Range& range) { return code_point >= range.first && code_point <= range.last; });
}

std::vector<DescriptorFlag> check_descriptor(std::string_view text) {
    Findings findings;
    const auto json = Json::parse(text);
    look(json ? *json : Json(text), findings);
    std::vector<DescriptorFlag> flags;
    if (findings.hidden) flags.push_back(DescriptorFlag::kHiddenCharacters);
    if (findings.instructions) flags.push_back(DescriptorFlag::kInstructions);
    return flags;
}

}  // namespace gantry::gateway
