#pragma once

#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/http_caller.hpp"

namespace gantry::mcp {

struct StreamableHttpConfig {
    HttpConfig http = {};
    /// Legacy: hold a GET stream open for messages that belong to no call.
    bool listen = true;
    /// Legacy: the wait before a broken stream is asked for again, unless the server's `retry:` says otherwise;
    /// doubled after each failure up to the maximum. After so many failures in a row the stream is given up.
    Duration resume_delay = seconds(1);
    Duration max_resume_delay = seconds(30);
    int max_resume_attempts = 5;
    /// How long close() may take to say DELETE.
    Duration close_timeout = seconds(2);
    /// From when it is cancelled, it is not said any more.
    CancelToken force_close = {};
};

/// Streamable HTTP in both shapes. Each message is a POST of its own; any number run at once on pooled connections.
///
/// Which headers a message gets follows from the message itself: `params._meta` with a protocol version makes it a
/// modern one (MCP-Protocol-Version, Mcp-Method, Mcp-Name, no session); otherwise it gets what the legacy
/// session has (Mcp-Session-Id, and MCP-Protocol-Version as set_revision() demands it), `initialize` nothing.
///
/// Legacy streams that break are resumed by GET with Last-Event-ID; modern ones are lost (see Incoming::lost).
/// Nothing is ever sent to another origin than that of the URL.
///
/// The client's head_timeout limits how long a server may think before it answers with JSON; give the client a
/// generous one and let the call's deadline decide.
class StreamableHttpTransport final : public Transport {
public:
    explicit StreamableHttpTransport(StreamableHttpConfig config);

    /// Sends nothing yet: the first write() does.
    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    StreamableHttpConfig config_;
};

}  // namespace gantry::mcp
