#include "io/net/egress.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/try.hpp"
#include "io/net/address.hpp"
#include "io/net/resolver.hpp"

namespace gantry::net {

namespace {

/// "Example.COM." and "example.com" are the same host.
std::string normal(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    std::string lower(host);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

bool matches(const std::string& pattern, const std::string& host) {
    if (!pattern.starts_with("*.")) return pattern == host;
    const std::string_view suffix = std::string_view(pattern).substr(1);
    return host.size() > suffix.size() && host.ends_with(suffix);
}

bool any_matches(const std::vector<std::string>& patterns, const std::string& host) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return matches(p, host); });
}

}  // namespace

EgressGuard::EgressGuard(EgressRules rules, Resolve resolve)
    : rules_(std::move(rules)), resolve_(resolve ? std::move(resolve) : Resolve(resolve_host)) {
    for (auto* list : {&rules_.allow_hosts, &rules_.deny_hosts}) {
        for (std::string& pattern : *list) pattern = normal(pattern);
    }
}

Result<void> EgressGuard::check_url(const Url& url) const {
    const std::string host = normal(url.host());
    if (!url.is_https() && !rules_.allow_http) {
        return fail(ErrorCode::kDenied, "egress rule allow_http: plain http to '" + host + "' is not allowed");
    }
    if (any_matches(rules_.deny_hosts, host)) {
        return fail(ErrorCode::kDenied, "egress rule deny_hosts: host '" + host + "' is denied");
    }
    if (!rules_.allow_hosts.empty() && !any_matches(rules_.allow_hosts, host)) {
        return fail(ErrorCode::kDenied, "egress rule allow_hosts: host '" + host + "' is not on the list");
    }
    if (Address::parse(host)) return check_address(host);
    return {};
}

Result<void> EgressGuard::check_address(const std::string& address) const {
    const auto parsed = Address::parse(address);
    if (!parsed) return fail(ErrorCode::kDenied, "egress: '" + address + "' is not a numeric address");
    const AddressKind kind = classify(*parsed);
    const bool loops_back = kind == AddressKind::kLoopback || kind == AddressKind::kUnspecified;
    const bool inside = kind != AddressKind::kPublic && kind != AddressKind::kLoopback;
    const char* rule = nullptr;
    if (loops_back && !rules_.allow_loopback) rule = "allow_loopback";
    if (kind == AddressKind::kLinkLocal && !rules_.allow_link_local) rule = "allow_link_local";
    if (inside && !rules_.allow_private) rule = "allow_private";
    if (!rule) return {};
    return fail(ErrorCode::kDenied, std::string("egress rule ") + rule + ": " + address + " is a " +
                                        std::string(to_string(kind)) + " address");
}

Task<Result<std::vector<Endpoint>>> EgressGuard::resolve(const Context& ctx, const Url& url) const {
    GANTRY_CO_CHECK(check_url(url));
    GANTRY_CO_TRY(std::vector<Endpoint> endpoints, co_await resolve_(ctx, url.host(), url.port()));
    co_return approve(std::move(endpoints), url.host());
}

Result<std::vector<Endpoint>> EgressGuard::approve(std::vector<Endpoint> endpoints, const std::string& host) const {
    std::optional<Error> refusal;
    std::erase_if(endpoints, [&](const Endpoint& endpoint) {
        const auto checked = check_address(endpoint.address);
        if (!checked && !refusal) refusal = checked.error();
        return !checked;
    });
    if (!endpoints.empty()) return endpoints;
    if (!refusal) refusal = Error(ErrorCode::kConnection, "no address");
    return fail(refusal->within("host '" + host + "'"));
}

}  // namespace gantry::net
