#include "mcp/server/hosts.hpp"

#include <algorithm>
#include <utility>

#include "io/http/ascii.hpp"

namespace gantry::mcp {
namespace {

/// "example.com:8080" and "[::1]:8080" without the port. Empty if it has neither form.
std::string_view without_port(std::string_view authority) noexcept {
    std::size_t end = authority.find(':');
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) return {};
        end = close + 1;
        if (end < authority.size() && authority[end] != ':') return {};
    }
    if (end >= authority.size()) return authority;
    const std::string_view port = authority.substr(end + 1);
    if (port.size() > 5 || !std::ranges::all_of(port, http::is_digit)) return {};
    return authority.substr(0, end);
}

bool is_loopback(std::string_view name) noexcept {
    return http::equal_ignoring_case(name, "localhost") || name == "127.0.0.1" || name == "[::1]";
}

/// The part after "http://" or "https://"; empty for any other origin, including "null".
std::string_view authority_of(std::string_view origin) noexcept {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.size() > scheme.size() && http::equal_ignoring_case(origin.substr(0, scheme.size()), scheme)) {
            const std::string_view rest = origin.substr(scheme.size());
            return rest.find_first_of("/@?# ") == std::string_view::npos ? rest : std::string_view();
        }
    }
    return {};
}

}  // namespace

HostRules::HostRules(std::vector<std::string> hosts, std::vector<std::string> origins)
    : hosts_(std::move(hosts)), origins_(std::move(origins)) {
    any_host_ = std::ranges::find(hosts_, "*") != hosts_.end();
    any_origin_ = std::ranges::find(origins_, "*") != origins_.end();
}

bool HostRules::lists_host(std::string_view name) const noexcept {
    return std::ranges::any_of(hosts_, [&](const std::string& host) { return http::equal_ignoring_case(host, name); });
}

bool HostRules::admits_host(std::string_view host) const noexcept {
    const std::string_view name = without_port(host);
    if (name.empty()) return false;
    return is_loopback(name) || any_host_ || lists_host(name);
}

bool HostRules::admits_origin(std::string_view origin, std::string_view host) const noexcept {
    if (any_origin_) return true;
    if (std::ranges::any_of(origins_, [&](const auto& one) { return http::equal_ignoring_case(one, origin); }))
        return true;
    const std::string_view authority = authority_of(origin);
    const std::string_view name = without_port(authority);
    if (name.empty()) return false;
    if (is_loopback(name)) return true;
    // A page served by this server itself. Not if any host is accepted: then the name proves nothing.
    return lists_host(name) && http::equal_ignoring_case(authority, host);
}

void add_cors(http::Headers& headers, std::string_view origin) {
    headers.add("Access-Control-Allow-Origin", origin);
    headers.add("Access-Control-Expose-Headers", "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate");
    headers.add("Vary", "Origin");
}

http::Headers preflight(std::string_view origin, std::string_view asked) {
    http::Headers headers;
    add_cors(headers, origin);
    headers.add("Access-Control-Allow-Methods", "POST, GET, DELETE, OPTIONS");
    // Echoed, because no fixed list could contain the Mcp-Param-* of every tool.
    constexpr std::string_view kUsual =
        "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, "
        "Last-Event-ID";
    headers.add("Access-Control-Allow-Headers", asked.empty() ? kUsual : asked);
    headers.add("Access-Control-Max-Age", "600");
    return headers;
}

}  // namespace gantry::mcp
