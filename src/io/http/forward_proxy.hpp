#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/url.hpp"
#include "io/context.hpp"
#include "io/net/egress.hpp"
#include "io/net/tcp.hpp"
#include "io/task.hpp"

namespace gantry::http {

struct ForwardProxyOptions {
    /// Approves a URL and returns its addresses; on error the client gets 403. CONNECT is checked with https.
    std::function<Task<Result<std::vector<net::Endpoint>>>(const Context& ctx, Url url)> approve;
    /// Reports a rejected target: only the host's name and port, nothing else of the request.
    std::function<void(const std::string& host, std::uint16_t port)> on_refused = {};
    Duration head_timeout = seconds(15);
    Duration connect_timeout = seconds(20);
    Duration idle_timeout = std::chrono::minutes(10);
    std::size_t max_connections = 256;
};

/// An HTTP forward proxy: CONNECT, and plain HTTP with absolute URLs. Connects only to approved addresses, so a client
/// without other network access reaches nothing else. One plain HTTP request per connection, with its URL's Host.
class ForwardProxy {
public:
    /// Starts serving immediately.
    ForwardProxy(Loop& loop, std::unique_ptr<net::TcpListener> listener, ForwardProxyOptions options);
    /// Closes all connections; their tasks end within the next turns of the loop.
    ~ForwardProxy();
    ForwardProxy(const ForwardProxy&) = delete;
    ForwardProxy& operator=(const ForwardProxy&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace gantry::http
