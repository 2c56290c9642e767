#include "app/process/local_request.hpp"

#include <algorithm>
#include <array>

#include "mcp/server/hosts.hpp"

namespace gantry::app {
namespace {

bool is_loopback(std::string_view address) {
    return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

/// Header fields that proxies add to forwarded requests.
constexpr std::array<std::string_view, 8> kForwarding = {
    "forwarded",          "via",       "x-forwarded-for",         "x-forwarded-host", "x-forwarded-proto",
    "x-forwarded-server", "x-real-ip", "x-original-forwarded-for"};

}  // namespace

bool is_local_request(std::string_view peer_address, const http::Headers& headers) {
    static const mcp::HostRules kLoopback({}, {});
    const auto host = headers.get(http::FieldName::kHost);
    return is_loopback(peer_address) && host && headers.count("host") == 1 && kLoopback.admits_host(*host) &&
           std::ranges::none_of(kForwarding, [&](std::string_view name) { return headers.get(name).has_value(); });
}

}  // namespace gantry::app
