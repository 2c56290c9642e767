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

/// Numeric, an IPv6 one with its zone if it has one; empty for another family.
std::string text_of(const sockaddr* address);

inline bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK;
}

/// An IPv4 or IPv6 address with its port, as the socket functions want it.
class SocketAddress {
public:
    /// Numeric, an IPv6 one with its zone if it has one; empty for anything else.
    static std::optional<SocketAddress> parse(const std::string& address, std::uint16_t port);
    /// `address` is of either family; the port is replaced.
    static SocketAddress of(const sockaddr* address, socklen_t size, std::uint16_t port) noexcept;

    int family() const noexcept { return storage_.ss_family; }
    const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const noexcept { return size_; }
    /// To be filled by accept(2) and its like.
    sockaddr* data() noexcept { return reinterpret_cast<sockaddr*>(&storage_); }
    socklen_t* room() noexcept { return &size_; }

    /// Numeric; an IPv4 address inside IPv6 in IPv4 form.
    std::string address() const;
    std::uint16_t port() const noexcept;

private:
    sockaddr_storage storage_{};
    socklen_t size_ = sizeof storage_;
};

/// A Unix socket's name. kInvalidArgument when it is longer than the system allows.
Result<sockaddr_un> unix_address(const std::string& path);

Error connection_error(std::string_view what, int error);

class TcpStream::Impl {
public:
    /// `socket` is connected and non-blocking; makes it prompt.
    Impl(Loop& loop, Fd socket);

    /// After this many reads without suspending the next one lets others run.
    static constexpr int kEagerReads = 16;

    Descriptor socket;
    int eager = 0;
    std::string peer_address;
    std::uint16_t peer_port = 0;
};

std::unique_ptr<TcpStream> make_stream(Loop& loop, Fd socket);

}  // namespace gantry::net
