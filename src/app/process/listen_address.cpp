#include "app/process/listen_address.hpp"

#include <charconv>

namespace gantry::app {

bool ListenAddress::is_loopback() const noexcept {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string ListenAddress::text() const {
    return (host.contains(':') ? "[" + host + "]" : host) + ':' + std::to_string(port);
}

std::string ListenAddress::authority(std::uint16_t actual_port) const {
    // A wildcard address is not one that a client can connect to.
    const std::string called = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host;
    const std::string shown = called.contains(':') ? "[" + called + "]" : called;
    return shown + ':' + std::to_string(actual_port);
}

Result<ListenAddress> parse_listen(std::string_view text) {
    const auto bad = [&](const char* why) {
        return fail(ErrorCode::kInvalidArgument,
                    "listen: '" + std::string(text) + "' " + why + "; expected HOST:PORT, e.g. 127.0.0.1:8090");
    };
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return bad("has no port");
    std::string_view host = text.substr(0, colon);
    const std::string_view port = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    } else if (host.contains(':')) {
        return bad("is an IPv6 address without brackets");
    }
    if (host.empty()) return bad("has no host");
    ListenAddress address{.host = std::string(host)};
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size()) return bad("has no port between 0 and 65535");
    return address;
}

}  // namespace gantry::app
