#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gantry/json.hpp"

namespace gantry::testing {

/// One answer as it came. `status` 0: the connection ended before there was a whole one.
struct RawReply {
    int status = 0;
    std::string head = {};
    std::string body = {};  // without its chunks
    /// Whether the body came to the end its framing promised.
    bool whole = false;

    /// A field's value, empty when it is not there.
    std::string header(std::string_view name) const;
    /// The body as JSON; of an event stream, the last message.
    Json json() const;
    /// The JSON-RPC error code; 0 when there is none.
    std::int64_t code() const;
    /// The id as it was spelt; "-" when there is none.
    std::string id() const;
    /// The text of a tool's first content, or what came instead.
    std::string text() const;
};

/// A connection that says exactly the bytes it is given, whatever they are.
class RawClient {
public:
    explicit RawClient(int port);
    /// To a Unix socket.
    explicit RawClient(const std::string& path);
    ~RawClient();
    RawClient(RawClient&& other) noexcept;
    RawClient& operator=(RawClient&&) = delete;

    /// False when the other side would not take all of it.
    bool send(std::string_view bytes);
    /// Says that nothing more will be sent.
    void finish();

    /// The next answer on this connection; one to HEAD has no body.
    RawReply reply(bool to_head = false);
    /// Reads until `text` was seen in this stream; false at its end.
    bool see(std::string_view text);
    /// Everything up to the end of the connection.
    std::string rest();
    /// What was read and not yet taken by reply().
    const std::string& seen() const noexcept { return seen_; }
    /// Whether something has arrived, the end included, without waiting.
    bool said_something() const;
    /// Whether the other side has closed, without waiting.
    bool ended() const;

    /// Leaves the kernel little room for what is not read. Said before anything is received.
    void receive_at_most(int bytes);

private:
    bool more();
    std::string read_body(const RawReply& reply, bool& whole);

    int socket_ = -1;
    std::string seen_;
};

}  // namespace gantry::testing
