#pragma once

#include <memory>
#include <string>

#include "mcp/transport/connection.hpp"
#include "mcp/transport/http_caller.hpp"

namespace gantry::mcp {

struct StreamableHttpConfig {
    HttpConfig http = {};
    /// Legacy: keep a GET stream open for messages that belong to no call.
    bool listen = true;
    /// Legacy: the delay before a broken stream is resumed, unless the server's `retry:` overrides it; doubled after
    /// each failure up to the maximum. After max_resume_attempts failures in a row the stream is given up.
    Duration resume_delay = seconds(1);
    Duration max_resume_delay = seconds(30);
    int max_resume_attempts = 5;
    /// Timeout of the DELETE that close() sends.
    Duration close_timeout = seconds(2);
    /// Once cancelled, close() no longer sends the DELETE.
    CancelToken force_close = {};
};

/// Streamable HTTP of both eras. Each message is its own POST; any number run concurrently on pooled connections.
///
/// A message's headers follow from the message itself: `params._meta` with a protocol version makes it modern
/// (MCP-Protocol-Version, Mcp-Method, Mcp-Name, no session); otherwise it gets those of the legacy session
/// (Mcp-Session-Id, and MCP-Protocol-Version as set by set_revision()), and `initialize` gets none.
///
/// Broken legacy streams are resumed by GET with Last-Event-ID; modern ones are lost (see Incoming::lost).
/// Nothing is ever sent to an origin other than that of the URL.
///
/// The client's head_timeout limits how long a server may take to answer with JSON; configure a generous one and rely
/// on the call's deadline.
class StreamableHttpTransport final : public Transport {
public:
    explicit StreamableHttpTransport(StreamableHttpConfig config);

    /// Sends nothing; the first write() does.
    Task<Result<std::unique_ptr<Connection>>> connect(const Context& ctx) override;
    std::string describe() const override;

private:
    StreamableHttpConfig config_;
};

}  // namespace gantry::mcp
