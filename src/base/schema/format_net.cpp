// Host names, addresses and URIs: RFC 1123, 3986, 3987, 4291, 5321.
#include <algorithm>

#include "base/schema/format.hpp"
#include "base/schema/uri.hpp"

namespace gantry::schema {
namespace {

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_alnum(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_one_of(char c, std::string_view set) noexcept {
    return set.find(c) != std::string_view::npos;
}

/// Only unreserved characters, sub-delimiters, escapes and the characters in `extra`.
bool has_only(std::string_view text, std::string_view extra, bool international) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '%') {
            if (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2])) return false;
            i += 2;
        } else if (static_cast<unsigned char>(c) >= 0x80) {
            if (!international) return false;
        } else if (!is_alnum(c) && !is_one_of(c, "-._~!$&'()*+,;=") && !is_one_of(c, extra)) {
            return false;
        }
    }
    return true;
}

bool is_authority(std::string_view text, bool international) noexcept {
    if (const auto at = text.rfind('@'); at != std::string_view::npos) {
        if (!has_only(text.substr(0, at), ":", international)) return false;
        text = text.substr(at + 1);
    }
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return false;
        const std::string_view literal = text.substr(1, end - 1);
        const bool future =
            (literal.starts_with('v') || literal.starts_with('V')) && literal.find('.') != std::string_view::npos;
        if (!future && !is_ipv6(literal)) return false;
        text = text.substr(end + 1);
        if (text.empty()) return true;
        return text.front() == ':' && std::ranges::all_of(text.substr(1), is_digit);
    }
    const auto colon = text.find(':');
    if (!has_only(text.substr(0, colon), "", international)) return false;
    return colon == std::string_view::npos || std::ranges::all_of(text.substr(colon + 1), is_digit);
}

bool is_dot_atom(std::string_view text) noexcept {
    if (text.empty() || text.front() == '.' || text.back() == '.') return false;
    char before = 0;
    for (const char c : text) {
        if (c == '.' ? before == '.' : !is_alnum(c) && !is_one_of(c, "!#$%&'*+-/=?^_`{|}~")) return false;
        before = c;
    }
    return true;
}

/// RFC 5321 Quoted-string, including its quotes.
bool is_quoted_string(std::string_view text) noexcept {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && ++i == text.size()) return false;
        if (text[i] < 32 || text[i] > 126 || (text[i] == '"' && (i == 0 || text[i - 1] != '\\'))) return false;
    }
    return true;
}

}  // namespace

bool is_hostname(std::string_view text) noexcept {
    if (text.empty() || text.size() > 253) return false;
    for (;;) {
        const auto dot = text.find('.');
        const std::string_view label = text.substr(0, dot);
        if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
        if (!std::ranges::all_of(label, [](char c) { return is_alnum(c) || c == '-'; })) return false;
        // "--" in the third position marks an encoding; the only one defined is xn--.
        const bool encoded = label.size() >= 4 && label[2] == '-' && label[3] == '-';
        const bool punycode = encoded && (label[0] | 32) == 'x' && (label[1] | 32) == 'n';
        if (encoded && (!punycode || label.size() == 4)) return false;
        if (dot == std::string_view::npos) return true;
        text = text.substr(dot + 1);
    }
}

bool is_ipv4(std::string_view text) noexcept {
    for (int part = 0; part < 4; ++part) {
        std::size_t digits = 0;
        int value = 0;
        while (digits < text.size() && digits < 4 && is_digit(text[digits]))
            value = value * 10 + (text[digits++] - '0');
        if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && text.front() == '0')) return false;
        text.remove_prefix(digits);
        if (part == 3) break;
        if (!text.starts_with('.')) return false;
        text.remove_prefix(1);
    }
    return text.empty();
}

bool is_ipv6(std::string_view text) noexcept {
    int groups = 0;
    bool gap = false;
    if (text.starts_with("::")) {
        gap = true;
        text.remove_prefix(2);
        if (text.empty()) return true;
    }
    for (;;) {
        if (text.find('.') != std::string_view::npos && text.find(':') == std::string_view::npos) {
            groups += 2;
            return is_ipv4(text) && (gap ? groups < 8 : groups == 8);
        }
        std::size_t digits = 0;
        while (digits < text.size() && is_hex(text[digits])) ++digits;
        if (digits == 0 || digits > 4) return false;
        ++groups;
        text.remove_prefix(digits);
        if (text.empty()) return gap ? groups < 8 : groups == 8;
        if (text.starts_with("::")) {
            if (gap) return false;
            gap = true;
            text.remove_prefix(2);
            if (text.empty()) return groups < 8;
        } else if (text.front() == ':') {
            text.remove_prefix(1);
        } else {
            return false;
        }
        if (groups >= 8) return false;
    }
}

bool is_uri_reference(std::string_view text, bool international) noexcept {
    const UriParts parts = split_uri(text);
    if (parts.has_authority && !is_authority(parts.authority, international)) return false;
    if (!has_only(parts.path, ":@/", international)) return false;
    if (!has_only(parts.query, ":@/?", international) || !has_only(parts.fragment, ":@/?", international)) return false;
    // Without a scheme, a colon in the first segment would make it look like one.
    if (parts.scheme.empty() && !parts.has_authority) {
        const std::string_view first = parts.path.substr(0, parts.path.find('/'));
        if (first.find(':') != std::string_view::npos) return false;
    }
    return true;
}

bool is_uri(std::string_view text, bool international) noexcept {
    return !split_uri(text).scheme.empty() && is_uri_reference(text, international);
}

bool is_email(std::string_view text) noexcept {
    const auto at = text.rfind('@');
    if (at == std::string_view::npos || at > 64 || text.size() > 320) return false;
    const std::string_view local = text.substr(0, at);
    const std::string_view domain = text.substr(at + 1);
    if (!is_dot_atom(local) && !is_quoted_string(local)) return false;
    if (domain.starts_with('[') && domain.ends_with(']')) {
        const std::string_view literal = domain.substr(1, domain.size() - 2);
        if (literal.starts_with("IPv6:")) return is_ipv6(literal.substr(5));
        return is_ipv4(literal);
    }
    return is_hostname(domain);
}

}  // namespace gantry::schema
