#include "gateway/catalog/names.hpp"

#include <algorithm>

#include "gateway/catalog/stable_hash.hpp"

namespace gantry::gateway {

namespace {

constexpr std::string_view kTagStart = "via-";

constexpr bool is_alnum(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
constexpr bool fits_models(char c) noexcept {
    return is_alnum(c) || c == '_' || c == '-';
}
constexpr bool fits_mcp(char c) noexcept {
    return fits_models(c) || c == '.' || c == '/';
}
constexpr bool is_ascii(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x80;
}
constexpr bool continues_character(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Replaces each character that is not allowed by `_`.
void append_fitting(std::string_view text, std::string& out) {
    for (const char c : text) {
        if (continues_character(c)) continue;
        out += fits_models(c) ? c : '_';
    }
}

}  // namespace

std::string hashed_name(std::string_view name, std::string_view source, std::string_view own) {
    constexpr std::size_t kTail = 9;
    std::string out(name.substr(0, kMaxName - kTail));
    out += '_';
    out += stable_hex8(own, stable_hash(source));
    return out;
}

std::string plain_name(std::string_view prefix, std::string_view source, std::string_view own) {
    if (prefix.empty() && !own.empty() && own.size() <= kMaxOwnName && std::ranges::all_of(own, fits_mcp)) {
        return std::string(own);
    }
    std::string name;
    name.reserve(prefix.size() + 1 + own.size());
    if (!prefix.empty()) {
        append_fitting(prefix, name);
        name += '_';
    }
    append_fitting(own, name);
    if (name.size() > kMaxName || !std::ranges::all_of(own, is_ascii)) return hashed_name(name, source, own);
    return name;
}

std::string suffixed_name(std::string_view name, std::string_view source, std::string_view own) {
    std::string out(name);
    out += '_';
    append_fitting(source, out);
    if (out.size() > kMaxName || !std::ranges::all_of(source, is_ascii)) return hashed_name(name, source, own);
    return out;
}

std::string uri_tag(std::string_view source) {
    // A scheme consists of letters, digits, "-" and "."; programs may change its case.
    std::string tag(kTagStart);
    bool same = true;
    for (const char c : source) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
        same = same && fits;
        if (fits) {
            tag += c;
        } else if (c >= 'A' && c <= 'Z') {
            tag += static_cast<char>(c - 'A' + 'a');
        } else if (!continues_character(c)) {
            tag += '-';
        }
    }
    if (!same) tag += '.' + stable_hex8(source);
    return tag + '+';
}

std::string_view tag_of(std::string_view uri) noexcept {
    if (!uri.starts_with(kTagStart)) return {};
    const auto plus = uri.find('+');
    return plus == std::string_view::npos ? std::string_view() : uri.substr(0, plus + 1);
}

}  // namespace gantry::gateway
