#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

namespace {

constexpr Duration kFirstPause = milliseconds(50);
constexpr Duration kLongestPause = seconds(1);

Result<SocketAddress> local_address(const ListenOptions& options) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    const int status = options.host.empty() ? EAI_NONAME : ::getaddrinfo(options.host.c_str(), nullptr, &hints, &found);
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
    if (status != 0 || !found) {
        return fail(ErrorCode::kInvalidArgument,
                    "cannot listen on host '" + options.host + "': " + gai_strerror(status));
    }
    return SocketAddress::of(found->ai_addr, found->ai_addrlen, options.port);
}

bool concerns_one_connection(int error) {
    // accept(2) also reports network errors already pending on the new socket.
    switch (error) {
        case ECONNABORTED:
        case EINTR:
        case EPROTO:
        case EPERM:
        case ENETDOWN:
        case ENOPROTOOPT:
        case EHOSTDOWN:
        case ENONET:
        case EHOSTUNREACH:
        case ENETUNREACH: return true;
        default: return false;
    }
}

bool machine_is_exhausted(int error) {
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace

class TcpListener::Impl {
public:
    Impl(Loop& loop, Fd open) noexcept : socket(loop, std::move(open)) {}

    /// After this many accepts without waiting, the next one yields.
    static constexpr int kAtOnce = 16;

    Descriptor socket;
    int at_once = 0;
    std::uint16_t port = 0;
    std::string path = {};  // of a Unix socket
};

TcpListener::TcpListener(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

TcpListener::~TcpListener() {
    close();
}

Result<std::unique_ptr<TcpListener>> TcpListener::listen_unix(Loop& loop, const ListenOptions& options) {
    GANTRY_TRY(const sockaddr_un wanted, unix_address(options.unix_path));
    Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    // The mode of an unbound socket becomes that of its path: other users can never connect.
    const bool bound = fd && ::fchmod(fd.get(), S_IRUSR | S_IWUSR) == 0 &&
                       ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) == 0;
    if (!bound || ::listen(fd.get(), options.backlog) != 0) {
        return fail(connection_error("listen at " + options.unix_path, errno).retryable(false));
    }
    auto impl = std::make_unique<Impl>(loop, std::move(fd));
    impl->path = options.unix_path;
    return std::unique_ptr<TcpListener>(new TcpListener(std::move(impl)));
}

Result<std::unique_ptr<TcpListener>> TcpListener::listen(Loop& loop, const ListenOptions& options) {
    if (!options.unix_path.empty()) return listen_unix(loop, options);
    GANTRY_TRY(const SocketAddress wanted, local_address(options));
    const auto refused = [&options] {
        return fail(connection_error("listen on " + options.host + " port " + std::to_string(options.port), errno)
                        .retryable(false));
    };
    Fd fd(::socket(wanted.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    if (!fd) return refused();
    const int on = 1;
    if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return refused();
    if (options.reuse_port && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) return refused();
    if (::bind(fd.get(), wanted.data(), wanted.size()) != 0) return refused();
    if (::listen(fd.get(), options.backlog) != 0) return refused();
    return adopt(loop, std::move(fd));
}

Result<std::unique_ptr<TcpListener>> TcpListener::adopt(Loop& loop, Fd socket) {
    SocketAddress bound;
    if (::getsockname(socket.get(), bound.data(), bound.room()) != 0)
        return fail(connection_error("listen", errno).retryable(false));
    auto impl = std::make_unique<Impl>(loop, std::move(socket));
    impl->port = bound.port();
    return std::unique_ptr<TcpListener>(new TcpListener(std::move(impl)));
}

std::uint16_t TcpListener::port() const noexcept {
    return impl_->port;
}

Task<Result<std::unique_ptr<TcpStream>>> TcpListener::accept(const Context& ctx) {
    Descriptor& socket = impl_->socket;
    Duration pause = kFirstPause;
    for (;;) {
        if (!socket.is_open()) co_return fail(ErrorCode::kConnection, "the listener is closed");
        GANTRY_CO_CHECK(ctx.check());
        if (!socket.may_read()) {
            impl_->at_once = 0;
            auto waited = co_await socket.readable(ctx);
            if (waited || !socket.is_open()) continue;
            GANTRY_CO_CHECK(ctx.check());
            co_return fail(std::move(waited).error().within("accept"));
        }
        if (++impl_->at_once > Impl::kAtOnce) {
            // Yield, so that a burst of connections does not starve those being served.
            impl_->at_once = 0;
            co_await yield_now();
            continue;
        }
        Fd accepted(::accept4(socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (accepted) co_return make_stream(socket.loop(), std::move(accepted));
        if (would_block(errno)) {
            socket.read_dry();
        } else if (machine_is_exhausted(errno)) {
            GANTRY_CO_CHECK(co_await sleep_for(ctx, pause));
            pause = std::min(2 * pause, kLongestPause);
        } else if (!concerns_one_connection(errno)) {
            co_return fail(connection_error("accept", errno));
        }
    }
}

void TcpListener::close() noexcept {
    if (!impl_->path.empty() && impl_->socket.is_open()) ::unlink(impl_->path.c_str());
    impl_->socket.close();
}

}  // namespace gantry::net
