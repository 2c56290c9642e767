#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/try.hpp"
#include "io/net/socket.hpp"
#include "io/net/tcp.hpp"

namespace gantry::net {

namespace asio = boost::asio;

namespace {

constexpr Duration kFirstPause = milliseconds(50);
constexpr Duration kLongestPause = seconds(1);

Result<asio::ip::tcp::endpoint> local_endpoint(const ListenOptions& options) {
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
    asio::ip::tcp::endpoint endpoint;
    std::memcpy(endpoint.data(), found->ai_addr, found->ai_addrlen);
    endpoint.resize(found->ai_addrlen);
    endpoint.port(options.port);
    return endpoint;
}

bool concerns_one_connection(const boost::system::error_code& error) {
    // accept(2) also passes on network errors already pending on the new socket.
    switch (error.value()) {
        case ECONNABORTED:
        case EINTR:
        case EPROTO:
        case EPERM:
        case ENETDOWN:
        case ENOPROTOOPT:
        case EHOSTDOWN:
        case ENONET:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EAGAIN: return true;
        default: return false;
    }
}

bool machine_is_exhausted(const boost::system::error_code& error) {
    return error.value() == EMFILE || error.value() == ENFILE || error.value() == ENOBUFS || error.value() == ENOMEM;
}

}  // namespace

class TcpListener::Impl {
public:
    explicit Impl(Loop& on) : loop(on), acceptor(on.executor()) {}

    Loop& loop;
    Acceptor acceptor;
    std::uint16_t port = 0;
    bool closed = false;
};

TcpListener::TcpListener(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}

TcpListener::~TcpListener() {
    close();
}

Result<std::unique_ptr<TcpListener>> TcpListener::listen(Loop& loop, const ListenOptions& options) {
    GANTRY_TRY(const asio::ip::tcp::endpoint endpoint, local_endpoint(options));
    auto impl = std::make_unique<Impl>(loop);
    Acceptor& acceptor = impl->acceptor;
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error && options.reuse_port) {
        const int on = 1;
        if (::setsockopt(acceptor.native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
            error.assign(errno, boost::system::system_category());
        }
    }
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(options.backlog, error);
    if (!error) impl->port = acceptor.local_endpoint(error).port();
    if (error) {
        return fail(connection_error("listen on " + options.host + " port " + std::to_string(options.port), error)
                        .retryable(false));
    }
    return std::unique_ptr<TcpListener>(new TcpListener(std::move(impl)));
}

std::uint16_t TcpListener::port() const noexcept {
    return impl_->port;
}

Task<Result<std::unique_ptr<TcpStream>>> TcpListener::accept(const Context& ctx) {
    Impl& impl = *impl_;
    Duration pause = kFirstPause;
    for (;;) {
        if (impl.closed) co_return fail(ErrorCode::kConnection, "the listener is closed");
        GANTRY_CO_CHECK(ctx.check());
        Socket socket(impl.loop.executor());
        boost::system::error_code error;
        bool ended = false;
        {
            const ContextGuard guard(impl.acceptor, impl.loop, ctx);
            std::tie(error) = co_await impl.acceptor.async_accept(socket, kAwait);
            ended = guard.ended();
        }
        if (!error) co_return make_stream(impl.loop, std::move(socket));
        if (impl.closed || ended || concerns_one_connection(error)) continue;
        if (!machine_is_exhausted(error)) co_return fail(connection_error("accept", error));
        GANTRY_CO_CHECK(co_await sleep_for(ctx, pause));
        pause = std::min(2 * pause, kLongestPause);
    }
}

void TcpListener::close() noexcept {
    if (std::exchange(impl_->closed, true)) return;
    boost::system::error_code ignored;
    impl_->acceptor.close(ignored);
}

}  // namespace gantry::net
