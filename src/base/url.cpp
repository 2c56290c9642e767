#include "base/url.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace gantry {
namespace {

constexpr std::size_t kMaxHost = 253;

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_alpha(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

using Ipv4 = std::array<unsigned char, 4>;
using Ipv6 = std::array<unsigned char, 16>;

std::optional<Ipv4> ipv4(const std::string& text) noexcept {
    Ipv4 address;
    if (inet_pton(AF_INET, text.c_str(), address.data()) != 1) return std::nullopt;
    return address;
}
std::optional<Ipv6> ipv6(const std::string& text) noexcept {
    Ipv6 address;
    if (inet_pton(AF_INET6, text.c_str(), address.data()) != 1) return std::nullopt;
    return address;
}

/// The scheme before ":", empty if the reference has none.
std::string_view scheme_of(std::string_view text) noexcept {
    if (text.empty() || !is_alpha(text[0])) return {};
    for (std::size_t i = 1; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ':') return text.substr(0, i);
        if (!is_alpha(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return {};
    }
    return {};
}

Result<void> check_characters(std::string_view text) {
    if (text.size() > Url::kMaxLength) return fail(ErrorCode::kLimit, "URL is longer than 64 KiB");
    for (const char c : text) {
        if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f)
            return fail(ErrorCode::kParse, "URL holds a space or control character");
        if (static_cast<unsigned char>(c) >= 0x80)
            return fail(ErrorCode::kParse, "URL holds a character beyond ASCII; percent-encode it");
    }
    // Browsers read "\" as "/" and other programs do not, so host and path would depend on the reader.
    if (text.substr(0, text.find_first_of("?#")).find('\\') != std::string_view::npos)
        return fail(ErrorCode::kParse, "URL holds a backslash");
    return {};
}

/// Resolvers take a host that ends in a number for an address, so it must be a plain one.
bool looks_numeric(std::string_view host) noexcept {
    if (host.ends_with('.')) host.remove_suffix(1);
    const std::string_view last = host.substr(host.rfind('.') + 1);
    return last.starts_with("0x") || std::ranges::all_of(last, is_digit);
}

Result<std::string> parse_name(std::string_view text) {
    if (text.empty()) return fail(ErrorCode::kParse, "URL has no host");
    std::string host = lowered(text);
    const std::size_t dot = host.ends_with('.') ? 1 : 0;
    if (host.size() - dot > kMaxHost) return fail(ErrorCode::kParse, "URL host is too long");
    if (host.starts_with('.') || host.find("..") != std::string::npos)
        return fail(ErrorCode::kParse, "URL host has an empty label");
    if (host.find('%') != std::string::npos) return fail(ErrorCode::kParse, "URL host is percent-encoded");
    for (const char c : host)
        if (!is_alpha(c) && !is_digit(c) && c != '.' && c != '-' && c != '_')
            return fail(ErrorCode::kParse, "URL host holds a character that no host name has");
    if (looks_numeric(host) && !ipv4(host))
        return fail(ErrorCode::kParse, "URL host is a number but not an IPv4 address of four plain decimals");
    return host;
}

Result<std::uint16_t> parse_port(std::string_view text, std::uint16_t otherwise) {
    if (text.empty()) return otherwise;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc() || end != text.data() + text.size() || port == 0)
        return fail(ErrorCode::kParse, "URL port is not a number between 1 and 65535");
    return port;
}

void drop_last_segment(std::string& path) {
    const std::size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
}

/// RFC 3986 section 5.2.4, for paths that start with "/".
std::string without_dots(std::string_view path) {
    std::string out;
    out.reserve(path.size());
    while (!path.empty()) {
        const std::size_t end = path.find('/', 1);
        const std::string_view segment = path.substr(0, end);
        const bool last = end == std::string_view::npos;
        if (segment == "/.." || segment == "/.") {
            if (segment == "/..") drop_last_segment(out);
            if (last) out += '/';
        } else {
            out += segment;
        }
        path = last ? std::string_view() : path.substr(end);
    }
    return out;
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
    if (auto ok = check_characters(text); !ok) return fail(std::move(ok).error());

    Url url;
    const std::string_view scheme = scheme_of(text);
    if (const std::string name = lowered(scheme); name == "https") {
        url.https_ = true;
    } else if (name != "http") {
        return fail(ErrorCode::kParse, "URL must start with http:// or https://");
    }
    std::string_view rest = text.substr(scheme.size() + 1);
    if (!rest.starts_with("//")) return fail(ErrorCode::kParse, "URL has no // after its scheme");
    rest.remove_prefix(2);

    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    rest.remove_prefix(authority.size());
    if (authority.find('@') != std::string_view::npos)
        return fail(ErrorCode::kParse, "URL carries user-info; configure credentials apart from the URL");

    std::string_view port;
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) return fail(ErrorCode::kParse, "URL host has no closing bracket");
        url.host_ = lowered(authority.substr(1, close - 1));
        if (!ipv6(url.host_)) return fail(ErrorCode::kParse, "URL host is not an IPv6 address");
        port = authority.substr(close + 1);
        if (!port.empty() && port[0] != ':') return fail(ErrorCode::kParse, "URL has text between host and port");
    } else {
        const std::size_t colon = authority.find(':');
        auto host = parse_name(authority.substr(0, colon));
        if (!host) return fail(std::move(host).error());
        url.host_ = *std::move(host);
        if (colon != std::string_view::npos) port = authority.substr(colon);
    }
    if (!port.empty()) port.remove_prefix(1);
    auto number = parse_port(port, url.https_ ? 443 : 80);
    if (!number) return fail(std::move(number).error());
    url.port_ = *number;

    url.text_ = text;
    url.path_at_ = text.size() - rest.size();
    rest = rest.substr(0, rest.find('#'));
    const std::size_t question = rest.find('?');
    url.path_ = rest.substr(0, question);
    if (url.path_.empty()) url.path_ = "/";
    url.has_query_ = question != std::string_view::npos;
    if (url.has_query_) url.query_ = rest.substr(question + 1);
    return url;
}

Result<Url> Url::resolve(std::string_view reference) const {
    if (!scheme_of(reference).empty()) return parse(reference);
    const std::string_view own = text_;
    if (reference.starts_with("//")) {
        // A network-path reference: only the scheme is inherited.
        const std::size_t path_at = std::min(reference.find_first_of("/?#", 2), reference.size());
        const std::size_t tail_at = std::min(reference.find_first_of("?#", path_at), reference.size());
        std::string text(own.substr(0, own.find(':') + 1));
        text += reference.substr(0, path_at);
        text += without_dots(reference.substr(path_at, tail_at - path_at));
        text += reference.substr(tail_at);
        return parse(text);
    }

    const std::size_t tail_at = std::min(reference.find_first_of("?#"), reference.size());
    const std::string_view path = reference.substr(0, tail_at);
    const std::string_view tail = reference.substr(tail_at);
    std::string text(own.substr(0, path_at_));
    if (path.starts_with('/')) {
        text += without_dots(path);
    } else if (!path.empty()) {
        text += without_dots(path_.substr(0, path_.rfind('/') + 1).append(path));
    } else {
        const std::string_view own_path = own.substr(path_at_);
        text += own_path.substr(0, own_path.find_first_of(tail.starts_with('?') ? "?#" : "#"));
    }
    text += tail;
    return parse(text);
}

std::string Url::target() const {
    return has_query_ ? path_ + '?' + query_ : path_;
}

std::string Url::authority() const {
    std::string out = host_.find(':') == std::string::npos ? host_ : '[' + host_ + ']';
    if (port_ != (https_ ? 443 : 80)) out += ':' + std::to_string(port_);
    return out;
}

std::string Url::origin() const {
    return (https_ ? "https://" : "http://") + authority();
}

bool Url::is_loopback_literal() const noexcept {
    if (host_ == "localhost") return true;
    if (const auto address = ipv4(host_)) return (*address)[0] == 127;
    constexpr Ipv6 kLoopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    return ipv6(host_) == kLoopback;
}

}  // namespace gantry
