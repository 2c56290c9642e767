#pragma once

#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/http_caller.hpp"

namespace gantry::mcp {

struct HttpSseConfig {
    /// The URL is that of the event stream.
    HttpConfig http = {};
    /// Timeout for the event that names the POST endpoint.
    Duration endpoint_timeout = seconds(30);
    /// Every request reaches the same peer whatever host its URL names (http::ClientOptions::dial): of the endpoint's
    /// URL only path and query count. Servers name themselves localhost, 127.0.0.1 or what they are bound to.
    bool any_endpoint_host = false;
};

/// HTTP+SSE as of 2024-11-05: one GET stream carries every message of the server; its first event names the URL to POST
/// to, which must have the same origin. The stream is the session: when it ends, the connection ends.
class HttpSseTransport final : public Transport {
public:
    explicit HttpSseTransport(HttpSseConfig config);

    /// Opens the stream and waits for the endpoint. kUnsupported if the URL does not serve such a stream.
    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    HttpSseConfig config_;
};

}  // namespace gantry::mcp
