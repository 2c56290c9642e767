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
    /// Where a URL may be reached; an error is the refusal, and the client's answer is 403. CONNECT asks with https.
    std::function<Task<Result<std::vector<net::Endpoint>>>(const Context& ctx, Url url)> approve;
    /// A refusal somebody may want to know of, with the host's name and nothing else of the request.
    std::function<void(const std::string& host, std::uint16_t port)> on_refused = {};
    Duration head_timeout = seconds(15);
    Duration connect_timeout = seconds(20);
    Duration idle_timeout = std::chrono::minutes(10);
    std::size_t max_connections = 256;
};

/// An HTTP forward proxy: CONNECT, and plain HTTP with whole URLs. Opens connections only to addresses that were
/// approved, so what cannot connect elsewhere reaches nobody else. One request of plain HTTP per connection, with the
/// Host of its URL.
class ForwardProxy {
public:
    /// Serves at once.
    ForwardProxy(Loop& loop, std::unique_ptr<net::TcpListener> listener, ForwardProxyOptions options);
    /// Cuts everybody off; what is left of it ends on the next turns of the loop.
    ~ForwardProxy();
    ForwardProxy(const ForwardProxy&) = delete;
    ForwardProxy& operator=(const ForwardProxy&) = delete;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace gantry::http
