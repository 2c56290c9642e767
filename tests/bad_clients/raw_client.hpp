#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::testing {

/// One response as received. `status` 0: the connection ended before there was a complete one.
struct RawReply {
    int status = 0;
    std::string head = {};
    std::string body = {};  // with the chunk framing removed
    /// Whether the body was complete according to its framing.
    bool whole = false;

    /// A header field's value; empty when absent.
    std::string header(std::string_view name) const;
    /// The body as JSON; for an event stream, its last message.
    Json json() const;
    /// The JSON-RPC error code; 0 when there is none.
    std::int64_t code() const;
    /// The id as spelt; "-" when there is none.
    std::string id() const;
    /// The text of a tool's first content item, or what was received instead.
    std::string text() const;
};

/// A connection that sends exactly the bytes it is given.
class RawClient {
public:
    explicit RawClient(int port);
    /// Connects to a Unix socket.
    explicit RawClient(const std::string& path);
    ~RawClient();
    RawClient(RawClient&& other) noexcept;
    RawClient& operator=(RawClient&&) = delete;

    /// False when the peer did not accept all of it.
    bool send(std::string_view bytes);
    /// Half-closes the connection.
    void finish();

    /// The next response on this connection; one to HEAD has no body.
    RawReply reply(bool to_head = false);
    /// Reads until `text` has appeared in this stream; false at its end.
    bool see(std::string_view text);
    /// Everything up to the end of the connection.
    std::string rest();
    /// Bytes read but not yet consumed by reply().
    const std::string& seen() const noexcept { return seen_; }
    /// Whether something has arrived, including the end. Does not wait.
    bool said_something() const;
    /// Whether the peer has closed. Does not wait.
    bool ended() const;

    /// Limits the kernel's receive buffer. Call before anything is received.
    void receive_at_most(int bytes);

private:
    bool more();
    std::string read_body(const RawReply& reply, bool& whole);

    int socket_ = -1;
    std::string seen_;
};

}  // namespace gantry::testing
