#include "io/net/socket.hpp"

#include <arpa/inet.h>
#include <netdb.h>

#include <array>
#include <cstring>

namespace gantry::net {

std::string text_of(const sockaddr* address) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address->sa_family == AF_INET) {
        const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
        return ::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size()) ? text.data() : "";
    }
    if (address->sa_family != AF_INET6) return "";
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
    if (!::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size())) return "";
    std::string plain = text.data();
    // The zone is part of a link-local address.
    if (v6->sin6_scope_id != 0) plain += '%' + std::to_string(v6->sin6_scope_id);
    return plain;
}

std::optional<SocketAddress> SocketAddress::parse(const std::string& address, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    if (address.empty() || ::getaddrinfo(address.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    return of(found->ai_addr, found->ai_addrlen, port);
}

SocketAddress SocketAddress::of(const sockaddr* address, socklen_t size, std::uint16_t port) noexcept {
    SocketAddress copy;
    std::memcpy(&copy.storage_, address, size);
    copy.size_ = size;
    // The port is at the same offset in both families.
    reinterpret_cast<sockaddr_in*>(&copy.storage_)->sin_port = htons(port);
    return copy;
}

std::string SocketAddress::address() const {
    if (family() == AF_INET6) {
        const in6_addr& v6 = reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(&v6)) {
            sockaddr_in inside{};
            inside.sin_family = AF_INET;
            std::memcpy(&inside.sin_addr, &v6.s6_addr[12], sizeof inside.sin_addr);
            return text_of(reinterpret_cast<const sockaddr*>(&inside));
        }
    }
    return text_of(data());
}

std::uint16_t SocketAddress::port() const noexcept {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
}

Result<sockaddr_un> unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        return fail(ErrorCode::kInvalidArgument, "the name of a Unix socket has at most " +
                                                     std::to_string(sizeof address.sun_path - 1) + " bytes: " + path);
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

}  // namespace gantry::net
