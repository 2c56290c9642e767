#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/descriptor.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

/// Numeric, for IPv6 with its zone if there is one; empty for another family.
std::string text_of(const sockaddr* address);

inline bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK;
}

/// An IPv4 or IPv6 address with its port, for the socket functions.
class SocketAddress {
public:
    /// Numeric, for IPv6 with its zone if there is one; empty for anything else.
    static std::optional<SocketAddress> parse(const std::string& address, std::uint16_t port);
    /// `address` is of either family; the port is replaced.
    static SocketAddress of(const sockaddr* address, socklen_t size, std::uint16_t port) noexcept;

    int family() const noexcept { return storage_.ss_family; }
    const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const noexcept { return size_; }
    /// Output buffer for accept(2) and its like.
    sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage_); }
    socklen_t* room() noexcept { return &size_; }

    /// Numeric; an IPv4-mapped address in IPv4 form.
    std::string address() const;
    std::uint16_t port() const noexcept;

private:
    sockaddr_storage storage_{};
    socklen_t size_ = sizeof storage_;
};

/// A Unix socket's address. kInvalidArgument if the path is longer than the system allows.
Result<sockaddr_un> unix_address(const std::string& path);

Error connection_error(std::string_view what, int error);

class TcpStream::Impl {
public:
    /// Precondition: `socket` is connected and non-blocking. Disables Nagle's delay.
    Impl(Loop& loop, Fd socket);

    /// After this many reads without suspending, the next one yields.
    static constexpr int kEagerReads = 16;

    Descriptor socket;
    int eager = 0;
    std::string peer_address;
    std::uint16_t peer_port = 0;
};

std::unique_ptr<TcpStream> make_stream(Loop& loop, Fd socket);

}  // namespace gantry::net
