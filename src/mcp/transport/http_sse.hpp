#pragma once

#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/http_caller.hpp"

namespace gantry::mcp {

struct HttpSseConfig {
    /// The URL is that of the event stream.
    HttpConfig http = {};
    /// How long the server may take to name the endpoint for POSTs.
    Duration endpoint_timeout = seconds(30);
};

/// HTTP+SSE as of 2024-11-05: one GET stream brings every message, the first event on it names the URL to POST to,
/// which must be of the same origin. The stream is the session: its end is the connection's.
class HttpSseTransport final : public Transport {
public:
    explicit HttpSseTransport(HttpSseConfig config);

    /// Opens the stream and waits for the endpoint. kUnsupported when the URL gives no such stream.
    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    HttpSseConfig config_;
};

}  // namespace gantry::mcp
