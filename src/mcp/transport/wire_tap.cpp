#include "mcp/transport/wire_tap.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace gantry::mcp {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::size_t kMaxCommandText = 200;

constexpr std::array<std::string_view, 24> kHarmless = {
    "accept",
    "access-control-allow-origin",
    "allow",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "host",
    "keep-alive",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "retry-after",
    "server",
    "transfer-encoding",
    "user-agent",
    "vary",
    "via",
    "www-authenticate",
    "x-accel-buffering",
    "x-request-id",
};
constexpr std::array<std::string_view, 8> kSecretWords = {"token", "secret", "passw",  "key",
                                                          "auth",  "cred",   "bearer", "cookie"};

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool harmless(std::string_view name) {
    const std::string folded = lower(name);
    return std::ranges::find(kHarmless, folded) != kHarmless.end() || folded.starts_with("mcp-param-");
}

bool sounds_secret(std::string_view text) {
    const std::string folded = lower(text);
    return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return folded.contains(word); });
}

}  // namespace

std::vector<std::pair<std::string, std::string>> masked(const http::Headers& headers) {
    std::vector<std::pair<std::string, std::string>> out;
    out.reserve(headers.size());
    for (std::size_t i = 0; i < headers.size(); ++i) {
        const auto [name, value] = headers[i];
        out.emplace_back(std::string(name), std::string(harmless(name) ? value : kMask));
    }
    return out;
}

std::string without_query(std::string_view url) {
    url = url.substr(0, url.find_first_of("?#"));
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::string(url);
    const auto host = scheme + 3;
    const auto path = std::min(url.find('/', host), url.size());
    const auto at = url.substr(0, path).rfind('@');
    if (at == std::string_view::npos || at < host) return std::string(url);
    return std::string(url.substr(0, host)).append(url.substr(at + 1));
}

std::string masked_command(std::string_view program, const std::vector<std::string>& args) {
    std::string out(program);
    bool hide_next = false;
    for (const std::string& arg : args) {
        out += ' ';
        const auto equals = arg.find('=');
        if (hide_next && !arg.starts_with('-')) {
            out += kMask;
        } else if (arg.contains("://")) {
            out += without_query(arg);
        } else if (equals != std::string::npos && sounds_secret(std::string_view(arg).substr(0, equals))) {
            out.append(arg, 0, equals + 1).append(kMask);
        } else {
            out += arg;
        }
        hide_next = arg.starts_with('-') && equals == std::string::npos && sounds_secret(arg);
    }
    if (out.size() > kMaxCommandText) out.replace(kMaxCommandText, std::string::npos, "…");
    return out;
}

}  // namespace gantry::mcp
