#pragma once

#include <memory>
#include <string>

#include "io/loop.hpp"
#include "mcp/client/open.hpp"
#include "transcripts/lines.hpp"

namespace gantry::mcp::testing {

/// Long enough for a slow machine; a transcript that reaches it has hung.
inline Context watchdog() {
    return Context::background().within(seconds(60));
}

/// The server's end of a real transport, played line by line. A step that fails reports a test failure and returns
/// false.
class PlayedServer {
public:
    virtual ~PlayedServer() = default;

    /// How the client connects to it.
    virtual Route route() = 0;
    /// The next message the client must send.
    virtual Task<bool> expect(const Line& line) = 0;
    virtual Task<bool> say(const Line& line) = 0;
    /// Called after the client is closed. With `complain`, reports messages of the client that are not in the
    /// transcript.
    virtual Task<void> end(bool complain) = 0;
};

/// A child process whose pipes are connected to the player.
std::unique_ptr<PlayedServer> played_over_stdio();
std::unique_ptr<PlayedServer> played_over_streamable_http();
std::unique_ptr<PlayedServer> played_over_http_sse();

}  // namespace gantry::mcp::testing
