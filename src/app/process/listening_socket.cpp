#include "app/process/listening_socket.hpp"

#include <limits>

#include "app/process/service_manager.hpp"
#include "base/try.hpp"

// Provided by mimalloc, if the program is linked with it.
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace gantry::app {
namespace {

/// The allocator caches freed memory; after an attack that would be most of the process.
void return_free_memory() {
    if (mi_collect != nullptr) mi_collect(true);
}

}  // namespace

Result<ListeningSocket> open_listener(Loop& loop, const Config& config, http::Handler handler,
                                      std::function<std::string(const net::TcpStream&)> refuse) {
    GANTRY_TRY(ListenAddress address, parse_listen(config.listen));
    GANTRY_TRY(auto inherited, take_inherited_socket());
    if (inherited) address = inherited->address;
    if (!address.is_loopback() && !config.allow_unauthenticated) {
        return fail(ErrorCode::kDenied,
                    "listen: " + address.text() +
                        " can be reached from other machines, and callers are not authenticated; listen on "
                        "127.0.0.1, or set allow_unauthenticated: true if this network is trusted");
    }
    auto server = std::make_unique<http::Server>(
        loop,
        http::ServerOptions{.host = address.host,
                            .port = address.port,
                            .inherited = inherited ? inherited->socket.release() : -1,
                            // The endpoint has its own limit and rejects in the order of the protocol, as JSON-RPC.
                            .max_body_bytes = std::numeric_limits<std::size_t>::max(),
                            .max_connections = config.max_connections,
                            .max_unfinished_bytes = config.max_unfinished_request_bytes,
                            .on_memory_freed = return_free_memory,
                            .refuse = std::move(refuse)},
        std::move(handler));
    if (auto started = server->start(); !started) {
        return fail(started.error().within("cannot listen on " + address.text()));
    }
    return ListeningSocket{.address = address, .server = std::move(server)};
}

}  // namespace gantry::app
