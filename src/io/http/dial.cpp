#include <sys/socket.h>

#include "base/try.hpp"
#include "io/http/pool.hpp"
#include "io/net/egress.hpp"
#include "io/net/tls.hpp"

namespace gantry::http {
namespace {

/// Trusts the system's roots; created for the first https URL.
const Result<std::shared_ptr<const net::TlsClientContext>>& default_tls() {
    static const auto context = net::TlsClientContext::make();
    return context;
}

}  // namespace

bool PooledConnection::still_usable() const noexcept {
    char byte;
    return ::recv(tcp->native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

Task<Result<std::shared_ptr<PooledConnection>>> dial_as_told(const Context& ctx, const ClientOptions& options) {
    GANTRY_CO_TRY(std::unique_ptr<net::TcpStream> stream,
                  options.dial ? co_await options.dial(ctx) : co_await net::connect_unix(ctx, options.unix_path));
    auto connection = std::make_shared<PooledConnection>();
    connection->tcp = stream.get();
    connection->stream = std::move(stream);
    co_return connection;
}

Task<Result<std::shared_ptr<PooledConnection>>> dial(const Context& ctx, const net::EgressGuard& guard,
                                                     std::shared_ptr<const net::TlsClientContext> tls,
                                                     const Destination& to) {
    const Url& url = to.url;
    if (to.egress) GANTRY_CO_CHECK(to.egress->check_url(url));
    GANTRY_CO_TRY(std::vector<net::Endpoint> endpoints, co_await guard.resolve(ctx, url));
    if (to.egress) {
        GANTRY_CO_TRY(endpoints, to.egress->approve(std::move(endpoints), url.host()));
    }
    GANTRY_CO_TRY(std::unique_ptr<net::TcpStream> tcp, co_await net::connect_any(ctx, std::move(endpoints)));
    auto connection = std::make_shared<PooledConnection>();
    connection->tcp = tcp.get();
    if (url.is_https()) {
        if (!tls) {
            GANTRY_CO_TRY(tls, default_tls());
        }
        GANTRY_CO_TRY(connection->stream, co_await net::tls_connect(ctx, std::move(tcp), std::move(tls), url.host()));
    } else {
        connection->stream = std::move(tcp);
    }
    co_return connection;
}

}  // namespace gantry::http
