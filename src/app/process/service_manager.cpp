#include "app/process/service_manager.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "io/net/socket.hpp"

namespace gantry::app {
namespace {

constexpr int kFirstInherited = 3;  // sd_listen_fds(3)

/// A variable's value as a number; -1 when it is unset or is not one.
long number_in(const char* variable) {
    const char* text = std::getenv(variable);
    long value = -1;
    if (text == nullptr) return -1;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
    return error == std::errc() && *end == '\0' ? value : -1;
}

std::unexpected<Error> unusable(const std::string& why) {
    return fail(ErrorCode::kInvalidArgument, "the service manager's socket (LISTEN_FDS) " + why +
                                                 "; gantry.socket needs one ListenStream=HOST:PORT");
}

}  // namespace

Result<std::optional<InheritedSocket>> take_inherited_socket() {
    const bool ours = number_in("LISTEN_PID") == ::getpid();
    const long count = number_in("LISTEN_FDS");
    // Neither a second call nor a child process may use them.
    for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(variable);
    if (!ours || count <= 0) return std::nullopt;
    if (count > 1) return unusable("is one of " + std::to_string(count));

    Fd socket(kFirstInherited);
    int listening = 0;
    socklen_t size = sizeof listening;
    net::SocketAddress bound;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0)
        return unusable("does not listen");
    if (::getsockname(socket.get(), bound.data(), bound.room()) != 0 ||
        (bound.family() != AF_INET && bound.family() != AF_INET6))
        return unusable("is not a TCP socket");
    const int flags = ::fcntl(socket.get(), F_GETFL);
    if (::fcntl(socket.get(), F_SETFD, FD_CLOEXEC) != 0 || flags < 0 ||
        ::fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0)
        return unusable("cannot be made non-blocking");
    return InheritedSocket{.socket = std::move(socket), .address = {.host = bound.address(), .port = bound.port()}};
}

void notify_service_manager(std::string_view state) noexcept {
    const char* path = std::getenv("NOTIFY_SOCKET");
    if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = std::strlen(path);
    if (length >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, path, length);
    if (path[0] == '@') address.sun_path[0] = '\0';  // abstract namespace
    const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
    static_cast<void>(::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&address), size));
}

}  // namespace gantry::app
