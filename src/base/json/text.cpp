#include "base/json/text.hpp"

#include <algorithm>

namespace gantry::json {
namespace {

unsigned hex4(const char* p) noexcept {
    unsigned value = 0;
    for (int i = 0; i < 4; ++i) value = value * 16 + static_cast<unsigned>(hex_value(p[i]));
    return value;
}

/// Decodes the escape at `p` (its backslash) into `out`; `size` is the number of bytes used.
const char* decode_escape(const char* p, char (&out)[4], std::size_t& size) noexcept {
    if (p[1] != 'u') {
        out[0] = simple_escape(p[1]);
        size = 1;
        return p + 2;
    }
    std::uint32_t code_point = hex4(p + 2);
    p += 6;
    if (is_high_surrogate(code_point)) {
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (hex4(p + 2) - 0xDC00);
        p += 6;
    }
    size = encode_utf8(code_point, out);
    return p;
}

void escape_control(unsigned char byte, std::string& out) {
    constexpr char kHex[] = "0123456789abcdef";
    switch (byte) {
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    }
}

/// The end of the well-formed sequence that starts at `p`, or null.
const char* utf8_sequence(const char* p, const char* end) noexcept {
    Utf8Checker checker;
    if (!checker.lead(static_cast<unsigned char>(*p++))) return nullptr;
    while (checker.inside()) {
        if (p == end || !checker.next(static_cast<unsigned char>(*p++))) return nullptr;
    }
    return p;
}

}  // namespace

std::size_t encode_utf8(std::uint32_t code_point, char (&out)[4]) noexcept {
    auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
    if (code_point < 0x80) {
        out[0] = static_cast<char>(code_point);
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = static_cast<char>(0xC0 | (code_point >> 6));
        out[1] = tail(0);
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = static_cast<char>(0xE0 | (code_point >> 12));
        out[1] = tail(6);
        out[2] = tail(0);
        return 3;
    }
    out[0] = static_cast<char>(0xF0 | (code_point >> 18));
    out[1] = tail(12);
    out[2] = tail(6);
    out[3] = tail(0);
    return 4;
}

void unescape_to(std::string_view inside, std::string& out) {
    const char* p = inside.data();
    const char* const end = p + inside.size();
    while (p != end) {
        const char* run = p;
        while (p != end && *p != '\\') ++p;
        out.append(run, p);
        if (p == end) return;
        char decoded[4];
        std::size_t size = 0;
        p = decode_escape(p, decoded, size);
        out.append(decoded, size);
    }
}

bool unescaped_equals(std::string_view inside, std::string_view text) {
    if (inside.find('\\') == std::string_view::npos) return inside == text;
    std::string decoded;
    unescape_to(inside, decoded);
    return decoded == text;
}

void quote_to(std::string_view text, std::string& out) {
    const char* p = text.data();
    const char* const end = p + text.size();
    if (skip_plain(p, end) == end) {
        const std::size_t size = out.size();
        out.resize_and_overwrite(size + text.size() + 2, [&](char* to, std::size_t) {
            to[size] = '"';
            std::copy(p, end, to + size + 1);
            to[size + 1 + text.size()] = '"';
            return size + text.size() + 2;
        });
        return;
    }
    out += '"';
    while (p != end) {
        const char* stop = skip_plain(p, end);
        out.append(p, stop);
        p = stop;
        if (p == end) break;
        const auto byte = static_cast<unsigned char>(*p);
        if (byte >= 0x80) {
            const char* after = utf8_sequence(p, end);
            if (after != nullptr) {
                out.append(p, after);
            } else {
                out += "\xEF\xBF\xBD";
            }
            p = after != nullptr ? after : p + 1;
            continue;
        }
        if (byte < 0x20) {
            escape_control(byte, out);
        } else {
            out += {'\\', static_cast<char>(byte)};
        }
        ++p;
    }
    out += '"';
}

}  // namespace gantry::json
